import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { id, seededInts } from "../src/SeededRandom.ts"
import { invent, inventArguments } from "../src/text/invent.ts"

const made = (schema: unknown) => Array.from({ length: 20 }, (_, seed) => invent(schema, seededInts(String(seed))))

describe("an invented value", () => {
  it("has the schema's type and respects its bounds", () => {
    for (const value of made({ type: "string" })) expect(value).toEqual(expect.stringMatching(/^[a-z]+$/))
    for (const value of made({ type: "integer", minimum: 3, maximum: 5 })) expect([3, 4, 5]).toContain(value)
    for (const value of made({ type: "number", exclusiveMinimum: 3, exclusiveMaximum: 5 })) expect(value).toBe(4)
    for (const value of made({ type: "INTEGER", maximum: -4 })) expect(value).toBe(-4)
    for (const value of made({ type: "string", minLength: 12, maxLength: 13 }) as ReadonlyArray<string>)
      expect([12, 13]).toContain(value.length)
    for (const value of made({ type: "array", items: { type: "boolean" }, minItems: 2 }))
      expect(value).toEqual([expect.any(Boolean), expect.any(Boolean)])
    expect(new Set(made({ type: "boolean" })).size).toBe(2)
    expect(new Set(made({ enum: ["a", "b", null] }))).toEqual(new Set(["a", "b", null]))
    expect(made({ const: 7 })[0]).toBe(7)
    expect(made({ type: ["null", "boolean"] })[0]).toEqual(expect.any(Boolean))
    expect(made({ type: "null" })[0]).toBe(null)
    expect(made({ type: "string", format: "date" })[0]).toBe("2026-01-15")
    expect(made({ anyOf: [{ const: 1 }, { const: 2 }] })[0]).toBe(1)
  })

  it("has exactly the required properties, whatever their names", () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"object","required":["x"]},"b":{"$ref":"#/$defs/b"},"c":{}},' +
        '"required":["__proto__","b"],"$defs":{"b":{"type":"integer","minimum":2,"maximum":2}}}'
    ) as unknown
    expect(JSON.stringify(invent(schema, seededInts("")))).toMatch(/^\{"__proto__":\{"x":"[a-z]+"\},"b":2\}$/)
    expect(inventArguments({ type: "string" }, seededInts(""))).toEqual({})
    expect(inventArguments(undefined, seededInts(""))).toEqual({})
  })

  it("is finite for a recursive schema", () => {
    const endless = { properties: { a: { $ref: "#" }, b: { $ref: "#" } }, required: ["a", "b"] }
    expect(JSON.stringify(invent(endless, seededInts(""))).length).toBeLessThan(50_000)
    const names = Array.from({ length: 10 }, (_, index) => `p${index}`)
    const bushy = { properties: Object.fromEntries(names.map((name) => [name, { $ref: "#" }])), required: names }
    expect(JSON.stringify(invent(bushy, seededInts(""))).length).toBeLessThan(50_000)
    const chain = JSON.stringify(invent({ properties: { a: { $ref: "#" } }, required: ["a"] }, seededInts("")))
    expect(chain.split("{").length).toBeLessThan(10)
    const wide = { type: "object", required: Array.from({ length: 100_000 }, (_, index) => `p${index}`) }
    expect(Object.keys(inventArguments(wide, seededInts(""))).length).toBeLessThan(1000)
    expect(invent({ $ref: "#" }, seededInts(""))).toBe(null)
  })

  it("fits a recursive schema that can end", () => {
    const list = {
      $ref: "#/$defs/a~1list",
      $defs: {
        "a/list": {
          type: "object",
          properties: {
            value: { type: "integer" },
            next: { anyOf: [{ $ref: "#/$defs/a~1list" }, { type: "null" }] },
            other: { oneOf: [{ $ref: "#/$defs/a~1list" }, { type: "string" }] }
          },
          required: ["value", "next", "other"],
          additionalProperties: false
        }
      }
    }
    const comment = {
      type: "object",
      properties: { text: { type: "string" }, replies: { type: "array", items: { $ref: "#" } } },
      required: ["text", "replies"],
      additionalProperties: false
    }
    const wide = {
      type: "object",
      properties: {
        a: { type: "array", items: { $ref: "#" }, minItems: 0, maxItems: 5 },
        b: { $ref: "#/properties/a" }
      },
      required: ["a", "b"],
      additionalProperties: false
    }
    type Node = Readonly<Record<string, unknown>>
    const isList = (value: unknown): boolean => {
      const { next, other, value: held, ...rest } = value as Node
      return (
        Number.isInteger(held) &&
        (next === null || isList(next)) &&
        (typeof other === "string" || isList(other)) &&
        Object.keys(rest).length === 0
      )
    }
    const isComment = (value: unknown): boolean => {
      const { replies, text } = value as Node
      return typeof text === "string" && Array.isArray(replies) && replies.every(isComment)
    }
    const isWide = (value: unknown): boolean => {
      const { a, b } = value as Node
      return Array.isArray(a) && Array.isArray(b) && [...a, ...b].every(isWide)
    }
    for (const [schema, is] of [
      [list, isList],
      [comment, isComment],
      [wide, isWide]
    ] as const) {
      for (const value of made(schema)) expect(is(value), JSON.stringify(value)).toBe(true)
    }
    // It is not just the shortest value.
    expect(JSON.stringify(made(comment)[0]).split("replies").length).toBeGreaterThan(2)
  })

  it("is valid JSON for any schema", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom("object", "array", "string", "integer", "number"), (inner, type) => {
        for (const schema of [inner, { type, items: inner, properties: inner, required: inner, minimum: inner }])
          expect(JSON.stringify(invent(schema, seededInts("")))).toEqual(expect.any(String))
      })
    )
  })
})

describe("seeded integers and ids", () => {
  it("are the same for the same seed, and evenly distributed", () => {
    expect(id("a")).toBe(id("a"))
    expect(new Set(Array.from({ length: 5000 }, (_, index) => id(`seed ${index}`))).size).toBe(5000)
    const nextInt = seededInts("x")
    const faces = Array.from({ length: 600 }, () => nextInt(6))
    for (let face = 0; face < 6; face++) expect(faces.filter((one) => one === face).length).toBeGreaterThan(60)
    expect(faces.every((face) => face >= 0 && face < 6)).toBe(true)
  })
})
