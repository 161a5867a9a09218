import { formatTags, isTagName, isTagValue, parseTags } from "@tollgate/contract/Tags"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const wrongIn = (text: string): string => {
  const tags = parseTags(text)
  return Result.isFailure(tags) ? tags.failure : `read as ${JSON.stringify(tags.success)}`
}

describe("tags", () => {
  it("are read in the order they are sent, with or without spaces around them", () => {
    expect(parseTags("team=search,job=nightly")).toEqual(Result.succeed({ team: "search", job: "nightly" }))
    expect(parseTags(" team = search ,job=a b:c/d ")).toEqual(Result.succeed({ team: "search", job: "a b:c/d" }))
    expect(parseTags("a.b_c-1=~!\"'")).toEqual(Result.succeed({ "a.b_c-1": "~!\"'" }))
  })

  it.each([
    ["", /tag 1 has no equals sign/],
    ["team", /tag 1 has no equals sign/],
    ["team=search,", /tag 2 has no equals sign/],
    [",team=search", /tag 1 has no equals sign/],
    ["team=", /value of tag 1/],
    ["=search", /name of tag 1/],
    ["Team=search", /name of tag 1/],
    ["_team=search", /name of tag 1/],
    ["__proto__=x", /name of tag 1/],
    ["a b=x", /name of tag 1/],
    [`${"n".repeat(33)}=x`, /name of tag 1/],
    ["team=a=b", /value of tag 1/],
    ["team=caf\u00e9", /value of tag 1/],
    ["team=a\u0000b", /value of tag 1/],
    ["team=a\tb", /value of tag 1/],
    [`team=${"v".repeat(65)}`, /value of tag 1/],
    ["team=a,team=b", /tag 2 has the name of an earlier one/],
    [Array.from({ length: 9 }, (_, i) => `t${i}=x`).join(","), /more than 8/],
    ["x".repeat(100_000), /longer than/]
  ])("%j is refused with what is wrong", (text, says) => {
    expect(wrongIn(text)).toMatch(says)
    expect(wrongIn(text).length).toBeLessThan(120)
  })

  it("eight of the largest size are accepted", () => {
    const text = Array.from({ length: 8 }, (_, i) => `${String(i).padEnd(32, "n")}=${"v".repeat(64)}`).join(", ")
    expect(Result.isSuccess(parseTags(text))).toBe(true)
  })

  it("any text is either refused, or read the same after it is written again", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab1_.-=, \tA\u00e9\u0000~") }), (text) => {
        const tags = parseTags(text)
        if (Result.isFailure(tags)) return
        expect(Object.keys(tags.success).every(isTagName)).toBe(true)
        expect(Object.values(tags.success).every(isTagValue)).toBe(true)
        expect(parseTags(formatTags(tags.success))).toEqual(tags)
      }),
      { numRuns: 1_000 }
    )
  })
})
