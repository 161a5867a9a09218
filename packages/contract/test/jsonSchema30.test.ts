import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { described30 } from "../src/openapi/components.ts"
import { isJson, schema30 } from "../src/openapi/jsonSchema.ts"

const onlyNull = { type: "string", enum: [null], nullable: true }

const types = ["string", "integer", "array", "object", "null"]
const schemasTo = (depth: number): fc.Arbitrary<object> => {
  const inner = depth === 0 ? fc.constant({ type: "null" }) : schemasTo(depth - 1)
  const several = fc.array(inner, { minLength: 1, maxLength: 2 })
  return fc.record(
    {
      type: fc.oneof(fc.constantFrom(...types), fc.subarray(types, { minLength: 1 })),
      nullable: fc.boolean(),
      anyOf: several,
      oneOf: several,
      allOf: several,
      items: inner,
      properties: fc.record({ a: inner })
    },
    { requiredKeys: [] }
  )
}

/** What validators of OpenAPI 3.0 refuse. */
const isWrong = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(isWrong)
  if (!isJson(value)) return false
  const { items, nullable, type } = value
  if (nullable !== undefined && typeof type !== "string") return true
  if (type === "null" || Array.isArray(type) || (type === "array" && items === undefined)) return true
  return Object.values(value).some(isWrong)
}

describe("a JSON Schema in the OpenAPI document", () => {
  it.each([
    [{ anyOf: [{ const: "a" }, { type: "null" }] }, { anyOf: [{ const: "a" }, onlyNull] }],
    [{ oneOf: [{ type: "null" }] }, onlyNull],
    [{ type: ["string", "null"] }, { type: "string", nullable: true }],
    [{ type: ["string", "array", "null"] }, { anyOf: [{ type: "string" }, { type: "array", items: {} }, onlyNull] }],
    [{ type: "null" }, onlyNull],
    [{ nullable: true, description: "a" }, { description: "a" }],
    [{ type: ["string", "integer"], anyOf: [{ minimum: 1 }] }, { anyOf: [{ minimum: 1 }] }]
  ])("%j", (written, expected) => {
    expect(described30(written)).toEqual(expected)
  })

  it("is one of OpenAPI 3.0, whatever it says of null", () => {
    fc.assert(
      fc.property(schemasTo(2), (written) => {
        const document: unknown = JSON.parse(JSON.stringify(schema30(described30(written))))
        expect(isWrong(document), JSON.stringify(document)).toBe(false)
      }),
      { numRuns: 300 }
    )
  })
})
