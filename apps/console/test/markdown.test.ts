import { describe, expect, it } from "vitest"
import { blocksIn } from "@tollgate/contract/Markdown"
import { spansIn } from "../src/ui/markdown/spans.ts"

describe("the text of a model", () => {
  it("has headings, lists, code, tables, quotes and rules", () => {
    const text = [
      "# Rivers",
      "They bend.",
      "Slowly.",
      "",
      "1. erosion",
      "   - of banks",
      "2. floods",
      "",
      "```ts",
      "const a = `b`",
      "",
      "```",
      "| river | km |",
      "| --- | ---: |",
      "| Nile | 6,650 |",
      "> quoted",
      "---"
    ].join("\n")
    const paragraph = (text: string) => ({ kind: "paragraph", text })
    expect(blocksIn(text)).toEqual([
      { kind: "heading", level: 1, text: "Rivers" },
      paragraph("They bend.\nSlowly."),
      {
        kind: "list",
        start: 1,
        items: [
          [paragraph("erosion"), { kind: "list", start: undefined, items: [[paragraph("of banks")]] }],
          [paragraph("floods")]
        ]
      },
      { kind: "code", info: "ts", code: "const a = `b`\n" },
      { kind: "table", head: ["river", "km"], isNumber: [false, true], rows: [["Nile", "6,650"]] },
      { kind: "quote", blocks: [paragraph("quoted")] },
      { kind: "rule" }
    ])
  })

  it("shows code that has no end yet", () => {
    expect(blocksIn("```py\nprint(1)")).toEqual([{ kind: "code", info: "py", code: "print(1)" }])
  })

  it("links to the web only, and takes HTML for text", () => {
    const text = (text: string) => ({ kind: "text", text })
    expect(spansIn("[a](javascript:alert(1)) <script>b</script> [c](https://example.com/d)")).toEqual([
      text("[a](javascript:alert(1)) <script>b</script> "),
      { kind: "link", href: "https://example.com/d", text: "c" }
    ])
    expect(spansIn("![secret](https://example.com/?q=1)")).toEqual([
      { kind: "link", href: "https://example.com/?q=1", text: "secret" }
    ])
    expect(spansIn("see https://example.com/a. **b** and *c*")).toEqual([
      text("see "),
      { kind: "link", href: "https://example.com/a", text: "https://example.com/a" },
      text(". "),
      { kind: "strong", spans: [text("b")] },
      text(" and "),
      { kind: "stressed", spans: [text("c")] }
    ])
  })

  it("however deep or odd it is, loses none of its words", () => {
    const words = (text: string): string => JSON.stringify(blocksIn(text)) + JSON.stringify(spansIn(text))
    for (const piece of [
      ">",
      "> ",
      "- ",
      "  - ",
      "1. ",
      "[",
      "[a](",
      "**",
      "*a",
      "_",
      "`",
      "|",
      "| - |\n",
      "~~",
      "#"
    ]) {
      expect(words(`${piece.repeat(20_000)}end`)).toContain("end")
    }
    const nested = Array.from({ length: 200 }, (_, depth) => `${"  ".repeat(depth)}- item${depth}`).join("\n")
    for (let depth = 0; depth < 200; depth++) expect(words(nested)).toContain(`item${depth}`)
  })
})
