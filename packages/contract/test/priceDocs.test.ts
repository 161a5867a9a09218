import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { contracts } from "../src/price/contracts.ts"

const rowsOf = (page: string): string =>
  readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .join("\n")

describe("every price contract is in the documents", () => {
  const configuration = rowsOf("configuration.md")
  const operations = rowsOf("operations.md")
  for (const [name, { own }] of Object.entries(contracts)) {
    it(name, () => {
      const row = name === "free" ? '`"free"`' : `\`${name}\``
      assert.isTrue(
        configuration.includes(row),
        `add a row for ${name} to the table of prices in docs/configuration.md`
      )
      if (own === undefined) return
      const form = `"${own.key}":`
      assert.isTrue(operations.includes(form), `add a row with ${form} to the table of prices in docs/operations.md`)
    })
  }
})
