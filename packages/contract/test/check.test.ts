import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { mismatchOf } from "../src/jsonSchema/check/Check.ts"
import { isJsonSchema, type JsonSchema, referenced } from "../src/jsonSchema/JsonSchemaDocument.ts"

type Definitions = Readonly<Record<string, JsonSchema>>

/** Too much for the plain way. */
const tooMuch = new Error("too much")

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

/** What the words of JSON Schema say, tried in every way. */
const matches = (schema: unknown, value: unknown, definitions: Definitions, left: { steps: number }): boolean => {
  if (typeof schema === "boolean") return schema
  if (!isJsonSchema(schema)) return true
  if (--left.steps < 0) throw tooMuch
  const inner = (part: unknown, of: unknown = value) => matches(part, of, definitions, left)
  const list = (key: string): ReadonlyArray<unknown> => (Array.isArray(schema[key]) ? schema[key] : [])
  const { $ref, additionalProperties, items, properties, type } = schema
  const types = type === undefined ? [] : Array.isArray(type) ? type : [type]
  const isOfType = (name: unknown) =>
    name === typeOf(value) || (name === "integer" && typeof value === "number" && Number.isInteger(value))
  if (types.length > 0 && !types.some(isOfType)) return false
  if (schema["enum"] !== undefined && !list("enum").includes(value)) return false
  if (typeof $ref === "string" && !inner(referenced($ref, definitions))) return false
  if (!list("allOf").every((part) => inner(part))) return false
  if (list("anyOf").length > 0 && !list("anyOf").some((part) => inner(part))) return false
  if (list("oneOf").length > 0 && list("oneOf").filter((part) => inner(part)).length !== 1) return false
  if (Array.isArray(value)) return items === undefined || value.every((item) => inner(items, item))
  if (typeof value !== "object" || value === null) return true
  const own = isJsonSchema(properties) ? properties : {}
  return (
    list("required").every((name) => Object.hasOwn(value, String(name))) &&
    Object.entries(value).every(([name, part]) =>
      Object.hasOwn(own, name)
        ? inner(own[name], part)
        : additionalProperties === undefined || inner(additionalProperties, part)
    )
  )
}

const names = ["a", "b", "constructor"]
const definitionNames = ["A", "B"]

const schema: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom<JsonSchema>(
      { type: "string" },
      { type: "integer" },
      { type: ["number", "null"] },
      { enum: ["x", 1] },
      {}
    ),
    fc.constantFrom(...definitionNames).map((name) => ({ $ref: `#/$defs/${name}` })),
    fc
      .tuple(fc.constantFrom("allOf", "anyOf", "oneOf"), fc.array(tie("schema"), { minLength: 1, maxLength: 3 }))
      .map(([key, members]) => ({ [key]: members })),
    tie("schema").map((items) => ({ type: "array", items })),
    fc
      .tuple(fc.dictionary(fc.constantFrom(...names), tie("schema")), fc.subarray(names), fc.boolean())
      .map(([properties, required, isOpen]) => ({
        type: "object",
        properties,
        required,
        ...(isOpen ? {} : { additionalProperties: false })
      }))
  )
})).schema

const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>("x", "y", 1, 1.5, null, true),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"))
  )
})).value

describe("the check of a value by a JSON Schema", () => {
  it("finds what the words of the schema say, in whatever way it is nested", () => {
    fc.assert(
      fc.property(schema, schema, schema, value, (schema, A, B, value) => {
        const definitions = { A, B }
        let expected: boolean
        try {
          expected = matches(schema, value, definitions, { steps: 2_000 })
        } catch (error) {
          // It leads to itself without end, or in very many ways. The check ends all the same.
          if (error !== tooMuch && !(error instanceof RangeError)) throw error
          return void mismatchOf({ schema, definitions }, value)
        }
        expect(mismatchOf({ schema, definitions }, value) === undefined).toBe(expected)
      }),
      { numRuns: Number(process.env["SCHEMA_FUZZ"] ?? 2_000), seed: 30 }
    )
  })
})
