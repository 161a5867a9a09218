import { expect, it } from "vitest"
import { formattedMarkdown } from "../src/formattedMarkdown.ts"

const table = (rows: ReadonlyArray<string>, indent = "") => rows.map((row) => `${indent}${row}\n`).join("")

const padded = ["| name   | amount |", "| ------ | -----: |", "| `a \\|  b` | 1 |", "|        |     20 |"]
const narrow = ["| name | amount |", "| --- | ---: |", "| `a \\|  b` | 1 |", "| | 20 |"]

it("a table is written without padding, in a list too, and stays as it is after that", async () => {
  const [written, inList] = [`# Title\n\n${table(narrow)}`, `- item\n\n${table(narrow, "  ")}`]
  expect(await formattedMarkdown("a.md", `# Title\n\n${table(padded)}`)).toBe(written)
  expect(await formattedMarkdown("a.md", written)).toBe(written)
  expect(await formattedMarkdown("a.md", inList)).toBe(inList)
})

it("what a block of code shows is left alone", async () => {
  const text = `\`\`\`text\n${table(padded)}\`\`\`\n`
  expect(await formattedMarkdown("a.md", text)).toBe(text)
})
