import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { parseQuery } from "../../src/internal/query.ts"

const entries = (text: string) => {
  const parsed = parseQuery(text)
  return parsed === undefined ? undefined : [...parsed]
}

describe("a query string", () => {
  it.each<[string, ReadonlyArray<readonly [string, string]> | undefined]>([
    ["", []],
    [
      "a=1&b=2",
      [
        ["a", "1"],
        ["b", "2"]
      ]
    ],
    ["a", [["a", ""]]],
    ["a=", [["a", ""]]],
    ["=a", [["", "a"]]],
    ["a=b=c", [["a", "b=c"]]],
    ["&&a=1&", [["a", "1"]]],
    ["a+b=c+d", [["a b", "c d"]]],
    ["a%2Bb=%2B", [["a+b", "+"]]],
    ["%61=%E2%82%AC", [["a", "€"]]],
    ["a=1&a=2", [["a", "1"]]],
    ["a=1&%61=2", [["a", "1"]]],
    [
      "__proto__=x&constructor=y",
      [
        ["__proto__", "x"],
        ["constructor", "y"]
      ]
    ],
    [
      "a=?&b=/",
      [
        ["a", "?"],
        ["b", "/"]
      ]
    ],
    ["%", undefined],
    ["a=%", undefined],
    ["a=1&b=%zz", undefined],
    ["%E2%82=1", undefined],
    ["a=%C0%80", undefined]
  ])("%j", (text, expected) => {
    expect(entries(text)).toEqual(expected)
  })

  it("is parsed as URLSearchParams writes it", () => {
    const name = fc.string({ unit: "grapheme" })
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, name), { selector: ([name]) => name }), (pairs) => {
        fc.pre(pairs.every((pair) => pair.every((text) => text.isWellFormed())))
        const fitting = pairs.filter(([name, value]) => name !== "" || value !== "")
        expect(entries(new URLSearchParams(fitting.map(([name, value]) => [name, value])).toString())).toEqual(fitting)
      })
    )
  })

  it("never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parseQuery(text)))
  })
})
