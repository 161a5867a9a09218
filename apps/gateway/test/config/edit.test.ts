import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { replaceSection } from "../../src/config/text/edit.ts"
import { objectOf, parse } from "../../src/config/text/jsonc.ts"

const sectionsOf = (text: string) => objectOf(Result.getOrThrow(parse(text)).value)

const replace = (text: string, after: unknown) => replaceSection(text, "prices", sectionsOf(text).prices, after)

const file = `// The gateway of the shop
{
  "upstreams": {}, // none yet
  "prices": {
    // What people pay
    "models": {
      "large": { "input": "1", "output": "4" }, // as in May
      "small": {
        "input": "0.1", // per million
        "output": "0.4"
      } // the cheap one
    },
    "operations": { "rerank": { "perMillion": "0.05" } }
  },
  /* the last */
  "sandbox": true,
}
`

describe("a section is replaced in the text of a configuration", () => {
  it("a changed price changes nothing else in the text", () => {
    const { models, operations } = sectionsOf(file).prices as { models: object; operations: object }
    const next = { models: { ...models, large: { input: "1", output: "5" } }, operations }
    expect(replace(file, next)).toBe(file.replace('"output": "4"', '"output": "5"'))
  })

  it("new prices follow the last one, after its comment", () => {
    const { models, operations } = sectionsOf(file).prices as { models: object; operations: object }
    const text = replace(file, {
      models: { ...models, tiny: { input: "0" } },
      operations: { ...operations, usage: "free" }
    })
    expect(text).toBe(
      file
        .replace("} // the cheap one\n", '}, // the cheap one\n      "tiny": {\n        "input": "0"\n      }\n')
        .replace('"0.05" } }', '"0.05" }, "usage": "free" }')
    )
  })

  it("a longer list keeps its values and their comments", () => {
    const lists = [
      ['{ "prices": [] }', '{ "prices": [\n  {\n    "a": 1\n  }\n] }'],
      ['{ "prices": [1, 2] }', '{ "prices": [1, 2, {"a":1}] }'],
      [
        '{\n  "prices": [\n    1, // one\n    2 // two\n  ]\n}',
        '{\n  "prices": [\n    1, // one\n    2, // two\n    {\n      "a": 1\n    }\n  ]\n}'
      ],
      [
        '{\n  "prices": [\n    1, // one\n  ],\n}',
        '{\n  "prices": [\n    1, // one\n    {\n      "a": 1\n    },\n  ],\n}'
      ]
    ] as const
    for (const [text, after] of lists) {
      expect(replace(text, [...(sectionsOf(text).prices as ReadonlyArray<unknown>), { a: 1 }])).toBe(after)
    }
  })

  it("removed prices go, and the comments of the others stay", () => {
    const { models } = sectionsOf(file).prices as { models: Record<string, unknown> }
    const text = replace(file, { models: { large: models.large } })
    expect(sectionsOf(text).prices).toEqual({ models: { large: models.large } })
    expect(text).toContain('"large": { "input": "1", "output": "4" } // as in May\n    }\n  },\n  /* the last */')
    for (const comment of ["// The gateway of the shop", "// none yet", "// What people pay", "/* the last */"]) {
      expect(text).toContain(comment)
    }
  })

  it("a file without the section gets one, also an empty file and one in a line", () => {
    for (const text of [
      "{}",
      "{ }",
      '{"sandbox":true}',
      "{ // only this\n}",
      '{\r\n\t"sandbox": true, // yes\r\n}\r\n'
    ]) {
      const next = replace(text, { operations: { usage: "free" } })
      expect(sectionsOf(next), text).toEqual({ ...sectionsOf(text), prices: { operations: { usage: "free" } } })
      for (const comment of text.match(/\/\/ [\w ]+/g) ?? []) expect(next).toContain(comment)
      expect(next.replaceAll("\r\n", "").includes("\n")).toBe(text.includes("\r\n") ? false : next.includes("\n"))
    }
  })

  it("any section becomes any other, whatever comments are in it", () => {
    const name = fc.constantFrom("a", "b", "a.b", 'quo"te', "__proto__", "日本", "")
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("1", "0.5", "free", true, 7, null),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true })
      )
    }))
    const section = fc.dictionary(name, json.value, { maxKeys: 4, noNullPrototype: true })
    const layout = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.replaceAll("\n", "\r\n"),
      (text) => text.replaceAll(/,\n/g, ', // it\'s "one", {two}\n'),
      (text) => text.replaceAll(/\n(\s*)([}\]])/g, " /* last */ // of them\n$1$2"),
      (text) => text.replaceAll(/([\]}"\d])\n(\s*[}\]])/g, "$1,\n$2"),
      (text) => text.replaceAll(/\n\s*/g, " ")
    )
    fc.assert(
      fc.property(section, section, layout, (before, after, layout) => {
        const text = layout(JSON.stringify({ first: 1, prices: before, last: { x: [1] } }, null, 2))
        // Parsed again: a section arrives as JSON, where __proto__ is a key like any other.
        const wanted: unknown = JSON.parse(JSON.stringify(after))
        const next = replaceSection(text, "prices", sectionsOf(text).prices, wanted)
        expect(JSON.stringify(sorted(sectionsOf(next)))).toBe(
          JSON.stringify(sorted({ first: 1, prices: wanted, last: { x: [1] } }))
        )
      })
    )
  })

  it("thousands of prices are removed and changed", () => {
    const models = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`m${i}`, { input: "1", output: "1" }]))
    const text = `{\n  // first\n  "prices": ${JSON.stringify({ models })}\n}`
    const next = replace(text, { models: { m7: { input: "2", output: "1" } } })
    expect(next).toContain("// first")
    expect(sectionsOf(next)).toEqual({ prices: { models: { m7: { input: "2", output: "1" } } } })
  })
})

/** With the keys of objects in order. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)])
}
