import { expect, it } from "@effect/vitest"
import { readGuides } from "../../../src/endpoints/docs/guides.ts"
import { beginning, blocksIn, type Links, noFiles, rendered, sectionsOf } from "../../../src/endpoints/docs/markdown.ts"

const written = (markdown: string, links?: Links): string =>
  rendered(blocksIn(markdown), "Text", links)
    .join("")
    .replaceAll(/\s*\n\s*/g, "")

it("lists hold lists, numbers, code and paragraphs", () => {
  expect(written("- a\n  goes on\n  - b\n  - c\n- d\n\ntext")).toBe(
    "<ul><li>a goes on<ul><li>b</li><li>c</li></ul></li><li>d</li></ul><p>text</p>"
  )
  expect(written("1. a\n\n   more\n\n2. b")).toBe("<ol><li>a<p>more</p></li><li>b</li></ol>")
  expect(written("- a\n\n  ```sh\n  x\n  ```\n- b")).toMatch(
    /^<ul><li>a<figure.*<code>x<\/code>.*<\/li><li>b<\/li><\/ul>$/
  )
})

it("code is taken as it is, and named after its file or language", () => {
  const page = written('```json file=.mcp.json\n{ "a": 1 }\n# no heading\n\n- no list\n```\ntext')
  expect(page).toContain("<figcaption>.mcp.json</figcaption>")
  expect(page).toMatch(/# no heading- no list<\/code>.*<p>text<\/p>$/)
  expect(written("```sh\nnever ends")).toContain("never ends</code>")
})

it("a heading has the id that links use, also where its title is used twice", () => {
  const ids = blocksIn("## A `b_c`: d?\n\n### Same\n\n### Same").flatMap((block) =>
    block.kind === "heading" ? [block.id] : []
  )
  expect(ids).toEqual(["a-b_c-d", "same", "same-1"])
})

it("a table keeps an escaped line in a cell", () => {
  expect(written("| a | b |\n| --- | --: |\n| `x \\| y` | **1** |")).toMatch(
    /<code>x \| y<\/code>.*<td class="number"><strong>1<\/strong>/
  )
})

it("text never becomes markup, and a link leads only where it may", () => {
  const page = written(
    [
      "<script>alert(1)</script> & <img src=x onerror=alert(2)>",
      "# <b>",
      "[a](javascript:alert(1)) [b](../README.md) [c](https://example.com) [d](#e) [f](data:text/html,x)",
      "![<i>](https://example.com/x.svg)",
      "| <u> | b |\n| --- | --- |\n| <s> | c |",
      "```<em>\n</code></pre><script>\n```",
      "<!-- gone -->"
    ].join("\n\n")
  )
  expect(page).not.toMatch(/<(?:script|img|b|i|u|s|em)[ >]|javascript:|README|data:|gone/)
  expect([...page.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(["#b", "https://example.com", "#e"])
})

it("a picture is part of the page, with its description", () => {
  const { byName, groups, pictures } = readGuides(
    new Map([
      ["own.md", "# Own\n\n`run` does it. More.\n\n![A gate](images/gate.svg)\n\n## Part\n\ntext"],
      ["reference.md", "# Reference"],
      ["images/gate.svg", "<svg/>"]
    ])
  )
  const own = byName.get("own")!
  expect([...byName.keys(), ...groups.map(({ title }) => title)]).toEqual(["own", "More"])
  expect([own.title, own.summary]).toEqual(["Own", "Run does it."])
  const page = rendered(own.blocks, "Own", { ...noFiles, picture: (src) => pictures.get(src) }).join("")
  expect(page).toContain('<img src="data:image/svg+xml,%3Csvg%2F%3E" alt="A gate" />')
  expect(sectionsOf(own.blocks, [2]).map(({ id, text }) => [id, text])).toEqual([
    ["", "run does it. More. A gate"],
    ["part", "text"]
  ])
  expect(beginning([])).toBe("")
  expect(beginning(blocksIn("a file with `/* */` comments. More."))).toBe("A file with /* */ comments.")
  expect(beginning(blocksIn("`maxPrice` caps one call. More."))).toBe("maxPrice caps one call.")
})

it("any text is read", () => {
  for (const text of [
    "",
    "\n",
    "|",
    "- ",
    "-",
    "1.",
    "```",
    "> ",
    "#",
    "![](x)",
    "[](",
    "**",
    "*",
    "- \n\n  - ",
    " - a"
  ])
    expect(() => written(text)).not.toThrow()
})
