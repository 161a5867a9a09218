import { fromText } from "@tollgate/contract/jsonSchema/fromText"
import type { JsonSchema } from "@tollgate/contract/jsonSchema/JsonSchemaDocument"
import { pairsOf, type QueryStyle, readStyled } from "@tollgate/contract/QueryStyle"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const read = (schema: JsonSchema, pairs: ReadonlyArray<readonly [string, string]>, style: QueryStyle): unknown => {
  const [found, ...more] = readStyled(pairs, { q: style })
  expect(more).toEqual([])
  return Schema.decodeUnknownSync(fromText({ schema, definitions: {} }))(found?.[1])
}

describe("a list in a query", () => {
  it.each([
    [
      "repeat",
      [
        ["q", "1"],
        ["q", "2"]
      ]
    ],
    ["spaces", [["q", "1 2"]]],
    ["pipes", [["q", "1|2"]]]
  ] as const)("is written and read by %s", (style, pairs) => {
    expect(pairsOf("q", [1, 2], style)).toEqual(pairs)
    expect(read({ type: "array", items: { type: "integer" } }, pairs, style)).toEqual([1, 2])
  })

  it("is the same after it is written and read, whatever its texts", () => {
    const schema = { type: "array", items: { type: "string" } } as const
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (texts) => {
        expect(read(schema, pairsOf("q", texts, "repeat"), "repeat")).toEqual(texts)
      })
    )
  })

  it("may have one value, or none", () => {
    expect(read({ type: "array", items: { type: "string" } }, [["q", "a,b"]], "repeat")).toEqual(["a,b"])
    expect(pairsOf("q", "a", "repeat")).toEqual([["q", "a"]])
    expect([pairsOf("q", [], "repeat"), pairsOf("q", [], "pipes")]).toEqual([[], []])
  })
})

describe("an object in a query", () => {
  const schema = {
    type: "object",
    properties: {
      n: { type: "integer" },
      s: { type: "string" },
      l: { type: "array", items: { type: "integer" } },
      o: { type: "object", properties: { yes: { type: "boolean" } } }
    }
  } as const

  it("is written and read with brackets", () => {
    const value = { n: 3, s: "3", l: [1, 2], o: { yes: true }, more: "x" }
    const pairs = pairsOf("q", value, "brackets")
    expect(pairs.map(([name]) => name)).toEqual(["q[n]", "q[s]", "q[l]", "q[l]", "q[o][yes]", "q[more]"])
    expect(read(schema, pairs, "brackets")).toEqual(value)
  })

  it("cannot reach beyond itself", () => {
    const hostile = ["q[__proto__][admin]", "q[constructor]", "q[]", "q[", "q]", "[q]", "q[a][b][c][d][e][f]"]
    const pairs = readStyled(
      hostile.map((name) => [name, "1"]),
      { q: "brackets" }
    )
    expect(Object.hasOwn(Object.prototype, "admin")).toBe(false)
    expect(pairs.map(([name]) => name)).toEqual(["q[", "q]", "[q]", "q"])
  })
})
