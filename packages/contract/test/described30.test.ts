import { describe, expect, it } from "@effect/vitest"
import { described30 } from "../src/openapi/described30.ts"

describe("a JSON Schema in the OpenAPI document", () => {
  it.each([
    [{ anyOf: [{ const: "a" }, { type: "null" }] }, { anyOf: [{ const: "a" }], nullable: true }],
    [{ oneOf: [{ type: "null" }] }, { nullable: true }],
    [{ type: ["string", "null"] }, { type: "string", nullable: true }],
    [
      { type: ["string", "array", "null"] },
      { anyOf: [{ type: "string" }, { type: "array", items: {} }], nullable: true }
    ],
    [{ type: "null" }, { nullable: true }],
    [{ type: ["string", "integer"], anyOf: [{ minimum: 1 }] }, { anyOf: [{ minimum: 1 }] }]
  ])("%j", (written, expected) => {
    expect(described30(written)).toEqual(expected)
  })
})
