import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { count, countAll, tokens } from "../src/text/tokens.ts"

describe("tokens", () => {
  const bytes = (text: string) => new TextEncoder().encode(text).length

  it("never exceed the bytes of the text, so that no call costs more than its quote", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string()), (text) => {
        expect(tokens(text).length).toBeLessThanOrEqual(bytes(text))
      }),
      { numRuns: 2000 }
    )
  })

  it.each([
    "İ",
    "İİİİİİİİİİ",
    "ẞ",
    "ŉ",
    "ﬃ",
    "\ud800",
    "\ud800\ud800",
    "👩‍👩‍👧‍👦",
    "𝒳𝒴𝒵𝒳𝒴𝒵𝒳𝒴𝒵",
    "e\u0301\u0301",
    "\u0000\u0001"
  ])("never exceed the bytes of %j", (text) => expect(tokens(text).length).toBeLessThanOrEqual(bytes(text)))

  it("cover the whole text except trailing white space", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(tokens(text).join("")).toBe(text.trimEnd())
      })
    )
    expect(tokens("")).toEqual([])
    expect(tokens(" \n\t ")).toEqual([])
    expect(tokens("The Nile, longest!")).toEqual(["The", " Nile", ",", " longest", "!"])
    expect(tokens("internationalization")).toEqual(["inte", "rnat", "iona", "liza", "tion"])
    expect(tokens(" internationalization")[0]).toBe(" inte")
  })

  it("of texts add up to those of the joined text", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (texts) => {
        const apart = texts.reduce((sum, text) => sum + tokens(text).length, 0)
        expect(tokens(texts.join(" ")).length).toBe(apart)
      })
    )
  })

  it("of a value are those of its texts and field names, at any depth", () => {
    expect(countAll({ a: ["b c", 1, null, { d: "e" }] })).toBe(5)
    expect(countAll(undefined)).toBe(0)
    let deep: unknown = "x"
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(countAll(deep)).toBe(1)
  })

  it("are counted in linear time over white space", () => {
    const blank = " ".repeat(1_000_000)
    expect(count(blank)).toBe(0)
    expect(count(`a${blank}b${blank}`)).toBe(2)
  })
})
