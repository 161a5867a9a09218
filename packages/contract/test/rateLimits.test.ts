import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { decode, encode, headerNames, type RateLimits } from "../src/RateLimits.ts"

const wholes = fc.nat({ max: 2 ** 31 - 1 })
const limits: fc.Arbitrary<RateLimits> = fc.record(
  {
    limitRequests: wholes,
    remainingRequests: wholes,
    resetRequests: wholes,
    limitTokens: wholes,
    remainingTokens: wholes,
    resetTokens: wholes
  },
  { requiredKeys: [] }
)

it("come back as they were sent, whichever of them were", () => {
  fc.assert(fc.property(limits, (sent) => assert.deepStrictEqual(decode(encode(sent)), sent)))
})

it("have the names that the interface gives them", () => {
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
  assert.deepStrictEqual(
    encode(all),
    Object.fromEntries(sent.map(([name, value]) => [String(name).toLowerCase(), String(value)]))
  )
})

it("nothing remaining is not the same as nothing said", () => {
  assert.deepStrictEqual(encode({ remainingRequests: 0 }), { "x-ratelimit-remaining-requests": "0" })
  assert.deepStrictEqual(decode({ "x-ratelimit-remaining-requests": "0" }), { remainingRequests: 0 })
})

describe("a header that is not a whole number counts as missing, and takes no other with it", () => {
  it.each(["", " ", "-1", "1.5", "1e3", "6m0s", "NaN", "0x10", "1,000", "9".repeat(40), "٣"])("%j", (value) => {
    const headers = { "x-ratelimit-limit-tokens": value, "x-ratelimit-limit-requests": " 60 " }
    assert.deepStrictEqual(decode(headers), { limitRequests: 60 })
  })

  it("whatever the headers are", () => {
    const names = Object.keys(encode({ limitRequests: 1, resetTokens: 1 }))
    const headers = fc.dictionary(fc.constantFrom(...names, "x-other", "__proto__"), fc.string())
    fc.assert(
      fc.property(headers, (sent) =>
        Object.values(decode(sent)).every((value) => Number.isSafeInteger(value) && value >= 0)
      )
    )
  })
})
