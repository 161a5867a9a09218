import { expect, it } from "@effect/vitest"
import { below, blocksIn, inLead, textIn } from "../../../src/endpoints/docs/markdown.ts"

const written = (text: string): string =>
  below(text)
    .join("")
    .split("\n")
    .map((line) => line.trim())
    .join("")

it("a short description stays beside the summary", () => {
  const text = "Sorts `documents`"
  expect([inLead(text).join(""), written(text)]).toEqual(["Sorts <code>documents</code>.", ""])
  expect([inLead(undefined), below(undefined)]).toEqual([[], []])
})

it("a longer one, as documents of others have it in Markdown, is read below it", () => {
  const text = [
    "> [!NOTE]\n> In preview.",
    "#### Merging",
    "Triggers [notifications](https://docs.example/n). See [rules](/rules):\n* by `name`\n* by\n  date",
    '```json\n{ "a": 1 }\n\n{}\n```',
    "| Name | Use |\n| --- | --- |\n| x | **first** |"
  ].join("\n\n")
  expect(inLead(text)).toEqual([])
  const html = written(text)
  expect(html).toContain("<p><strong>NOTE:</strong> In preview.</p><p><strong>Merging</strong></p>")
  expect(html).toMatch(/<a href="https:\/\/docs.example\/n" +rel="nofollow">notifications<\/a>. See rules:<\/p>/)
  expect(html).toContain("<ul><li>by <code>name</code></li><li>by date</li></ul>")
  expect(html).toContain("<pre><code>{ &quot;a&quot;: 1 }{}</code></pre>")
  expect(html).toMatch(/<table.*<strong>first<\/strong>/)
})

it.each([
  ["markup", "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>"],
  ["a link that runs a script", "[open](javascript:alert(1))\n\n[open](data:text/html,x)"],
  ["a link out of its quotes", '[open](https://x" onclick="alert)\n\nagain'],
  ["a fence without an end", "```\n<b>\n\n"],
  ["many brackets", `${"[".repeat(2_000)}\n\n${"*".repeat(2_000)}\n\n${"`".repeat(2_001)}`],
  ["quotes in quotes", `a\n${">".repeat(20_000)}`],
  ["items in items", `a\n\n${"- 1. ".repeat(20_000)}`]
])("%s stays text", (_, text) => {
  expect(written(text)).not.toMatch(/<script|<img|<b>|href="(?:javascript|data)|" onclick/)
})

/** A pattern that goes back and forth would take minutes for these. */
it.each([
  ["spaces in a heading", `# a${" ".repeat(60_000)}b`],
  ["marks in a heading", `# a ${"#".repeat(60_000)}b`],
  ["a fence", `${"~".repeat(200_000)}\``],
  ["brackets", "![".repeat(60_000)],
  ["links", "[a](".repeat(60_000)],
  ["spaces in a paragraph", `a${" ".repeat(60_000)}b`],
  ["quotes in code", `~~~ts\n${'\\"'.repeat(60_000)}`]
])(
  "a page is made in time from %s without an end",
  (_, text) => {
    for (const block of blocksIn(text)) textIn(block)
    expect(written(`${text}\n\nmore`)).not.toBe("")
  },
  10_000
)

it("a very long one is cut", () => {
  expect(written("word ".repeat(20_000))).toMatch(/^<p>(?:word ){4000}…<\/p>$/)
})

it("a heading may be closed by marks", () => {
  const titles = (text: string) => blocksIn(text).map(textIn)
  expect(titles("# C# ##\n## a #b# # \n### c#\n#### ##")).toEqual(["C#", "a #b#", "c#", "##"])
})
