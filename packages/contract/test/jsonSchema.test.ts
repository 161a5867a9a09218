import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { documentOf } from "../src/jsonSchema/documentOf.ts"
import { fromJsonSchema, jsonSchemaOf } from "../src/jsonSchema/fromJsonSchema.ts"
import { fromText } from "../src/jsonSchema/fromText.ts"
import type { JsonSchema } from "../src/jsonSchema/JsonSchemaDocument.ts"
import { matcherOf } from "../src/jsonSchema/check/pattern.ts"
import { propertiesOf, typesOf } from "../src/jsonSchema/properties.ts"
import { sampleOf } from "../src/jsonSchema/sampleOf.ts"
import { uncheckedIn } from "../src/jsonSchema/check/uncheckedIn.ts"
import { Open } from "../src/Open.ts"

const definitions: Record<string, JsonSchema> = {
  Place: {
    type: "object",
    properties: { name: { type: "string" }, within: { $ref: "#/$defs/Place" } },
    required: ["name"],
    additionalProperties: false
  },
  Lists: { type: "array", items: { $ref: "#/$defs/Lists" } },
  Rooms: { type: "array", items: { type: "object", properties: { within: { $ref: "#/$defs/Rooms" } } } },
  Unused: { type: "string" }
}
const document = (schema: JsonSchema | boolean) => ({ schema, definitions })

const accepts = (schema: JsonSchema | boolean, value: unknown): boolean =>
  Result.isSuccess(Schema.decodeUnknownResult(fromJsonSchema(document(schema)))(value))

const read = (schema: JsonSchema, text: string): unknown =>
  Schema.decodeUnknownResult(fromText(document(schema)))(text).pipe(Result.getOrElse(() => "refused"))

describe("a schema made from a JSON Schema", () => {
  it.each([
    [{ type: "integer", minimum: 3 }, 3, 2],
    [{ type: ["string", "null"] }, null, 1],
    [{ enum: ["a", 1] }, 1, "b"],
    [{ const: "a" }, "a", "b"],
    [{ type: "string", pattern: "^[a-z]+$" }, "abc", "ABC"],
    [{ type: "array", items: { type: "string" }, maxItems: 1 }, ["a"], ["a", "b"]],
    [{ type: "object", properties: { a: { type: "string" } }, additionalProperties: false }, { a: "x" }, { b: 1 }],
    [{ type: "object", patternProperties: { "^x": { type: "string" } } }, { x1: "a", y: 1 }, { x1: 1 }],
    [{ anyOf: [{ type: "string" }, { type: "integer" }] }, 1, true],
    [{ $ref: "#/$defs/Place" }, { name: "a", within: { name: "b" } }, { name: "a", within: { name: 1 } }]
  ])("%j accepts %j and refuses %j", (schema, good, bad) => {
    expect([accepts(schema, good), accepts(schema, bad)]).toEqual([true, false])
  })

  it("passes values on as they are", () => {
    const value = { name: "a", more: [1] }
    expect(Schema.decodeUnknownSync(fromJsonSchema(document({ type: "object" })))(value)).toBe(value)
  })

  it.each([
    [{ type: "string", not: { const: "a" } }, "a"],
    [{ type: "object", if: { required: ["a"] }, else: { required: ["b"] } }, { b1: 1 }],
    [{ const: { deep: true } }, 1],
    [{ type: "string", pattern: "^(a+)+$" }, "b"],
    [{ $ref: "https://elsewhere.example/schema.json" }, 1]
  ])("lets pass what cannot be checked: %j", (schema, value) => {
    expect(accepts(schema, value)).toBe(true)
  })

  it("still checks the rest", () => {
    expect(accepts({ type: "string", not: { const: "a" } }, 1)).toBe(false)
  })

  it("names the field that is wrong", () => {
    const result = Schema.decodeUnknownResult(fromJsonSchema(document({ $ref: "#/$defs/Place" })))({
      name: "a",
      within: {}
    })
    expect(String(result)).toContain('["within"]["name"]')
  })

  const ofItself = { type: "object", properties: { in: { $ref: "#/$defs/Node" } } }
  const nested = (levels: number, last: unknown): unknown =>
    Array.from({ length: levels }).reduce((value) => ({ in: value }), last)

  it.each([
    ["anyOf", [ofItself, { ...ofItself, required: ["in"] }]],
    ["oneOf", [ofItself, { ...ofItself, required: ["in"] }]],
    ["anyOf", [{ type: "string" }, { required: ["in"] }, {}]]
  ])("is not tried in more ways the deeper a value is: %s of %j", (key, members) => {
    const node = { ...(members[0] === ofItself ? {} : ofItself), [key]: members }
    const schema = fromJsonSchema({ schema: { $ref: "#/$defs/Node" }, definitions: { Node: node } })
    Schema.decodeUnknownResult(schema)(nested(60, 5))
  })

  it("checks unions of itself whose members differ in their type or in a property", () => {
    const [list, object] = [{ type: "array", items: { $ref: "#/$defs/Node" } }, { ...ofItself }]
    const tagged = (kind: string) => ({
      type: "object",
      required: ["kind"],
      properties: { kind: { const: kind }, in: { $ref: "#/$defs/Node" } }
    })
    const check = (members: ReadonlyArray<JsonSchema>) =>
      Schema.decodeUnknownResult(
        fromJsonSchema({ schema: { $ref: "#/$defs/Node" }, definitions: { Node: { anyOf: members } } })
      )
    expect(Result.isFailure(check([list, object])(nested(60, 5)))).toBe(true)
    expect(Result.isFailure(check([tagged("and"), tagged("or")])({ kind: "and", in: { kind: "nor" } }))).toBe(true)
  })

  const kinds = [["anyOf"], ["oneOf"], ["allOf", "anyOf"], ["anyOf", "oneOf", "allOf"]]
  const keyAt = (kinds: ReadonlyArray<string>, depth: number): string => kinds[depth % kinds.length] ?? "anyOf"

  it.each(kinds)("is applied to a value once, in however many ways its lists lead to it: %j", (...kinds) => {
    const definitions = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `N${i}`,
        i === 0
          ? { type: "object", properties: { a: { type: "integer" } } }
          : { [keyAt(kinds, i)]: Array.from({ length: 4 }, () => ({ $ref: `#/$defs/N${i - 1}` })) }
      ])
    )
    const check = Schema.decodeUnknownResult(fromJsonSchema({ schema: { $ref: "#/$defs/N29" }, definitions }))
    expect(Result.isFailure(check({ a: "b" }))).toBe(true)
    // More than one member of `oneOf` matches.
    expect(Result.isSuccess(check({ a: 1 }))).toBe(!kinds.includes("oneOf"))
    const parts = { schema: { $ref: "#/$defs/N29" }, definitions }
    expect([typesOf(parts), propertiesOf(parts), sampleOf(parts, "x")]).toBeDefined()
  })

  it("is not checked by lists that lead to very many schemas", () => {
    const leaf = (i: number) => ({ type: "object", required: [`p${i}`] })
    const nest = (depth: number, i = 0): JsonSchema =>
      depth === 0 ? leaf(i) : { anyOf: Array.from({ length: 4 }, (_, i) => nest(depth - 1, i)) }
    const wide = { type: "object", ...nest(8) }
    expect([accepts(wide, { other: 1 }), accepts(wide, 1)]).toEqual([true, false])
    expect(uncheckedIn(wide, {})).toEqual([
      { keyword: "anyOf", reason: "leads to more than 1000 schemas for one value" }
    ])
    expect([accepts(nest(3), { other: 1 }), uncheckedIn(nest(3), {})]).toEqual([false, []])
  })

  it("does not compare a value with very many others", () => {
    const many = { enum: Array.from({ length: 400_000 }, (_, i) => `v${i}`) }
    expect([accepts(many, "other"), uncheckedIn(many, {}).map(({ keyword }) => keyword)]).toEqual([true, ["enum"]])
  })

  it("is checked in a bounded number of steps, and what is left passes", () => {
    const numbers = { type: "array", items: { type: "integer" } }
    const long = (wrongAt: number) => Array.from({ length: 60_000 }, (_, i) => (i === wrongAt ? "x" : i))
    expect([accepts(numbers, long(10)), accepts(numbers, long(59_999))]).toEqual([false, true])
  })

  it("applies a costly pattern to short texts only", () => {
    const schema = { type: "string", pattern: "a?a?a?a?a?a?b" }
    expect([accepts(schema, "a".repeat(50)), accepts(schema, "a".repeat(250_000))]).toEqual([false, true])
  })

  it("may lead to itself without end", () => {
    const definitions = { A: { allOf: [{ $ref: "#/$defs/B" }] }, B: { anyOf: [{ $ref: "#/$defs/A" }] } }
    const check = Schema.decodeUnknownResult(fromJsonSchema({ schema: { $ref: "#/$defs/A" }, definitions }))
    expect(Result.isSuccess(check({}))).toBe(true)
    const direct = { schema: { $ref: "#/$defs/A" }, definitions: { A: { $ref: "#/$defs/A" } } }
    expect(Result.isSuccess(Schema.decodeUnknownResult(fromJsonSchema(direct))({}))).toBe(true)
  })

  it("refuses a value that is too deep for a schema of itself, and does not fail over it", () => {
    const schema = fromJsonSchema({ schema: { $ref: "#/$defs/Node" }, definitions: { Node: ofItself } })
    expect(String(Schema.decodeUnknownResult(schema)(nested(100_000, {})))).toContain("nested too deep")
  })

  it("does not match names of properties with patterns that could take very long", () => {
    const schema = { type: "object", patternProperties: { "^(a+)+$": {} }, additionalProperties: false }
    expect(accepts(schema, { [`${"a".repeat(60)}!`]: 1 })).toBe(true)
  })

  it("compares the items of a list only where that is quick", () => {
    expect(accepts({ type: "array", uniqueItems: true, items: { type: "string" } }, ["a", "a"])).toBe(false)
    expect(accepts({ type: "array", uniqueItems: true }, [{}, {}])).toBe(true)
  })

  it("is not compiled before it is used", () => {
    const hostile = { schema: Object.defineProperty({}, "type", { get: () => expect.fail("read") }), definitions }
    expect(jsonSchemaOf(Schema.optionalKey(fromJsonSchema(hostile)))?.definitions).toBe(definitions)
  })
})

describe("the JSON Schema of a schema", () => {
  it("is the one it was made from, with the definitions that it needs", () => {
    const place = fromJsonSchema(document({ $ref: "#/$defs/Place", title: "Where" }))
    expect(documentOf(place)).toEqual({
      schema: { $ref: "#/$defs/Place", title: "Where" },
      definitions: { Place: definitions["Place"] },
      isDescribed: true
    })
    expect(
      documentOf(Open({ place, days: Schema.optionalKey(fromText(document({ type: "integer" }))) }))
    ).toMatchObject({
      schema: {
        type: "object",
        required: ["place"],
        properties: { place: { title: "Where" }, days: { type: "integer" } }
      },
      definitions: { Place: definitions["Place"] }
    })
  })

  it("tells the properties, those of allOf and references included", () => {
    const found = propertiesOf(
      document({ allOf: [{ $ref: "#/$defs/Place" }, { required: ["at"], properties: { at: {} } }] })
    )
    expect(found?.named.map(({ name, required }) => [name, required])).toEqual([
      ["name", true],
      ["within", false],
      ["at", true]
    ])
    expect(propertiesOf(document({ type: "string" }))).toBeUndefined()
  })

  it("gives an example that it accepts, however often it contains itself", () => {
    for (const schema of [
      { $ref: "#/$defs/Place" },
      { type: "array", items: { $ref: "#/$defs/Place" } },
      {
        type: "object",
        required: ["n", "b", "e"],
        properties: { n: { type: "integer", minimum: 5 }, b: { type: "boolean" }, e: { enum: ["x"] } }
      }
    ])
      expect(accepts(schema, sampleOf(document(schema), "text")), JSON.stringify(schema)).toBe(true)
    const endless = {
      Endless: { type: "object", required: ["next"], properties: { next: { $ref: "#/$defs/Endless" } } }
    }
    expect(
      JSON.stringify(sampleOf({ schema: { $ref: "#/$defs/Endless" }, definitions: endless }, "x")).length
    ).toBeLessThan(200)
  })
})

describe("a parameter in an address", () => {
  it.each([
    [{ type: "string" }, "5", "5"],
    [{ type: "integer" }, "5", 5],
    [{ type: "integer" }, "5.5", "refused"],
    [{ type: "integer" }, "1e3", "refused"],
    [{ type: "integer" }, "", "refused"],
    [{ type: "integer" }, "1234567890123456789", "1234567890123456789"],
    [{ type: "number" }, "-1.5", -1.5],
    [{ type: "boolean" }, "true", true],
    [{ type: "boolean" }, "1", "refused"],
    [{ type: "array", items: { type: "integer" } }, "1,2", [1, 2]],
    [{ type: "array", items: { type: "string" } }, '["a,b"]', ["a,b"]],
    [{ type: "array", items: { type: "integer" } }, "[1", "refused"],
    [{ $ref: "#/$defs/Place" }, '{"name":"a"}', { name: "a" }],
    [{ $ref: "#/$defs/Place" }, '{"name":"a","within":{"name":"b"}}', { name: "a", within: { name: "b" } }],
    [{ $ref: "#/$defs/Rooms" }, '{"within":[{"within":[]}]}', [{ within: [{ within: [] }] }]],
    [{ $ref: "#/$defs/Lists" }, "[[],[[]]]", [[], [[]]]],
    [{ $ref: "#/$defs/Lists" }, "a,b", "refused"],
    [{}, "any", "any"]
  ])("%j reads %j as %j", (schema, text, value) => {
    expect(read(schema, text)).toEqual(value)
  })

  it.each(["Place", "Rooms", "Lists"])("is refused if it is too deep, and does not fail over it: %s", (name) => {
    for (const levels of [300, 2_000, 20_000]) {
      const objects = `${'{"name":"a","within":'.repeat(levels)}{}${"}".repeat(levels)}`
      const lists = "[".repeat(levels) + "]".repeat(levels)
      for (const text of [objects, lists]) expect(read({ $ref: `#/$defs/${name}` }, text)).toBe("refused")
    }
  })

  it.each([
    [{ type: "array", items: { type: "string" } }, ["a", "b"], "a,b"],
    [{ type: "array", items: { type: "string" } }, ["a,b"], '["a,b"]'],
    [{ type: "boolean" }, true, "true"],
    [{ $ref: "#/$defs/Place" }, { name: "a" }, '{"name":"a"}']
  ])("%j writes %j as %s", (schema, value, text) => {
    expect(Schema.encodeUnknownSync(fromText(document(schema)))(value)).toBe(text)
  })
})

describe("a pattern", () => {
  it.each(["^[a-z]+$", "^a?b?c?$", "[a-z]{2}", "^\\d{4}-\\d{2}$", "^(?:a|b)$", "^[(*+]+$"])(
    "%s is applied",
    (pattern) => {
      expect(matcherOf(pattern)).toBeDefined()
    }
  )

  it.each(["^(a+)+$", "^(a|aa)+$", "^a*a*a*a*b$", "(?=a)b", "^(.)\\1$", "^(?:a{1,30}){1,30}$", "^((a?)b?)*$"])(
    "%s could take long, and is left out",
    (pattern) => {
      expect(matcherOf(pattern)).toBeUndefined()
    }
  )
})
