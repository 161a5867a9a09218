import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { decode, encode, headerNames, type RateLimits } from "../src/RateLimits.ts"

const integers = fc.nat({ max: 2 ** 31 - 1 })
const limits: fc.Arbitrary<RateLimits> = fc.record(
  {
    limitRequests: integers,
    remainingRequests: integers,
    resetRequests: integers,
    limitTokens: integers,
    remainingTokens: integers,
    resetTokens: integers
  },
  { requiredKeys: [] }
)

it("any set of limits is decoded as it was encoded", () => {
  fc.assert(fc.property(limits, (sent) => assert.deepStrictEqual(decode(encode(sent)), sent)))
})

it("the headers have the names of the specification", () => {
  const all = {
    limitRequests: 1,
    remainingRequests: 2,
    resetRequests: 3,
    limitTokens: 4,
    remainingTokens: 5,
    resetTokens: 6
  }
  assert.deepStrictEqual(headerNames, {
    limitRequests: "X-RateLimit-Limit-Requests",
    remainingRequests: "X-RateLimit-Remaining-Requests",
    resetRequests: "X-RateLimit-Reset-Requests",
    limitTokens: "X-RateLimit-Limit-Tokens",
    remainingTokens: "X-RateLimit-Remaining-Tokens",
    resetTokens: "X-RateLimit-Reset-Tokens"
  })
  const sent = Object.entries(all).map(([key, value]) => [headerNames[key as keyof RateLimits], value])
  assert.deepStrictEqual(encode(all), {
    ...Object.fromEntries(sent.map(([name, value]) => [String(name).toLowerCase(), String(value)])),
    "ratelimit-policy": '"requests";q=1;w=60, "tokens";q=4;w=60;qu="tokens"',
    ratelimit: '"requests";r=2;t=0, "tokens";r=5;t=0'
  })
})

it("RateLimit tells what is left, and the seconds until the minute's limit is whole again", () => {
  const headers = encode({ limitRequests: 60, remainingRequests: 59, limitTokens: 1_000, remainingTokens: 0 })
  assert.strictEqual(headers["ratelimit"], '"requests";r=59;t=1, "tokens";r=0;t=60')
  assert.strictEqual(encode({ limitRequests: 0, remainingRequests: 0 })["ratelimit"], '"requests";r=0;t=60')
  assert.strictEqual(encode({ limitTokens: 5, remainingTokens: 5 })["ratelimit"], undefined)
})

it("zero remaining is not the same as a missing header", () => {
  assert.deepStrictEqual(encode({ remainingRequests: 0 }), { "x-ratelimit-remaining-requests": "0" })
  assert.deepStrictEqual(decode({ "x-ratelimit-remaining-requests": "0" }), { remainingRequests: 0 })
})

describe("a header that is not an integer counts as missing, and the others are still read", () => {
  it.each(["", " ", "-1", "1.5", "1e3", "6m0s", "NaN", "0x10", "1,000", "9".repeat(40), "٣"])("%j", (value) => {
    const headers = { "x-ratelimit-limit-tokens": value, "x-ratelimit-limit-requests": " 60 " }
    assert.deepStrictEqual(decode(headers), { limitRequests: 60 })
  })

  it("every decoded value is a non-negative integer", () => {
    const names = Object.keys(encode({ limitRequests: 1, resetTokens: 1 }))
    const headers = fc.dictionary(fc.constantFrom(...names, "x-other", "__proto__"), fc.string())
    fc.assert(
      fc.property(headers, (sent) =>
        Object.values(decode(sent)).every((value) => Number.isSafeInteger(value) && value >= 0)
      )
    )
  })
})
