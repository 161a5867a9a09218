import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { defaults, fill, Names } from "../src/Names.ts"
import { character } from "./unicode.ts"

const words = ["social_a", "social_b", "social_c", "reseller", "traffic_analytics", "provider"] as const
const fits = (names: unknown) => Exit.isSuccess(Schema.decodeUnknownExit(Names)(names))

it("the default names are those of the specification", () => {
  assert.deepStrictEqual(defaults, {
    social_a: "social_a",
    social_b: "social_b",
    social_c: "social_c",
    reseller: "reseller",
    traffic_analytics: "traffic_analytics",
    provider: "Tollgate"
  })
  assert.isTrue(fits(defaults))
})

describe.each(words)("%s", (word) => {
  it.each([
    "",
    " ",
    "a b",
    "a/b",
    "/",
    "..",
    "a.b",
    "a\\b",
    "a\r\nX-Injected: 1",
    "a\n",
    "\r",
    "a\0",
    "a%2f",
    "a?b",
    "a#b",
    "a:b",
    "{social_a}",
    "ü",
    "١",
    "-a",
    "_a",
    "a".repeat(64),
    7,
    null,
    undefined
  ])("rejects %j", (value) => {
    assert.isFalse(fits({ ...defaults, [word]: value }))
  })

  it("accepts only text that is safe in a path and a header name", () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: character }), fc.stringMatching(/^[\w-]{1,5}[/\r\n .%]?$/))
    fc.assert(
      fc.property(texts, (value) => {
        if (fits({ ...defaults, [word]: value })) assert.match(value, /^[0-9A-Za-z][0-9A-Za-z_-]*$/)
      }),
      { numRuns: 200 }
    )
  })

  it("accepts a plain word", () => {
    assert.isTrue(fits({ ...defaults, [word]: "Plain1" }))
  })
})

it("the provider's name has no dash or underscore, because header names contain it", () => {
  assert.isFalse(fits({ ...defaults, provider: "a-b" }))
  assert.isFalse(fits({ ...defaults, provider: "a_b" }))
  assert.isTrue(fits({ ...defaults, social_a: "a-b_c" }))
})

describe("filling a template", () => {
  it("replaces every placeholder and leaves path parameters", () => {
    const names = { ...defaults, social_a: "birds", provider: "Acme" }
    assert.strictEqual(fill("/{social_a}/x_{social_a}/{task_id}", names), "/birds/x_birds/{task_id}")
    assert.strictEqual(fill("X-{provider}-Async", names), "X-Acme-Async")
    assert.strictEqual(fill("{constructor}{toString}{}", names), "{constructor}{toString}{}")
  })

  it("inserts the name literally", () => {
    assert.strictEqual(fill("{social_a}", { ...defaults, social_a: "$&$1{social_b}" }), "$&$1{social_b}")
  })
})
