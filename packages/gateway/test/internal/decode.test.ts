import { Open } from "@tollgate/contract/Open"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { check, decode } from "../../src/internal/decode.ts"

it("an error does not repeat a name that is very long", () => {
  const closed = Schema.Struct({ a: Schema.optionalKey(Schema.Int) })
  const { refusal } = Result.getOrThrow(
    Result.flip(decode(closed, { ["n".repeat(10_000)]: 1 }, { onExcessProperty: "error" }))
  )
  expect(refusal.message.length).toBeLessThan(400)
})

it("an error says that a field or a parameter is unknown", () => {
  const closed = Schema.Struct({ a: Schema.optionalKey(Schema.Int) })
  const messageOf = (part: "field" | "parameter") =>
    Result.getOrThrow(Result.flip(decode(closed, { b: 1 }, { onExcessProperty: "error" }, part))).refusal.message
  expect([messageOf("field"), messageOf("parameter")]).toEqual(["b: Unknown field", "b: Unknown parameter"])
})

describe("a body is checked like any other value", () => {
  const schema = Open({
    query: Schema.String,
    n: Schema.optionalKey(Schema.Int),
    inner: Schema.optionalKey(Open({ a: Schema.Int }))
  })

  it.each([
    { query: "q" },
    { query: "q", n: 1, more: [{ a: "b" }], inner: { a: 1, b: {} } },
    { query: 5 },
    { n: 1 },
    { query: "q", inner: { a: "x" } },
    [],
    "text",
    null
  ])("%j", (body) => {
    expect(check(schema, body)).toEqual(decode(schema, body))
  })

  it("and its fields are not copied", () => {
    const body = { query: "q", more: 1 }
    expect(Result.getOrThrow(check(schema, body))).toBe(body)
  })

  it("also if its fields are checked together", () => {
    const checked = Open({}).check(Schema.makeFilter((body) => (body["a"] === 1 ? undefined : "a must be 1")))
    expect(Result.isSuccess(check(checked, { a: 1 }))).toBe(true)
    expect(Result.isFailure(check(checked, { a: 2 }))).toBe(true)
  })

  it("also if no other fields pass", () => {
    const closed = Schema.Record(Schema.String, Schema.Int)
    expect(Result.isFailure(check(closed, { a: "x" }))).toBe(true)
  })
})
