import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bounds } from "../src/jsonSchema/check/SchemaNode.ts"
import { matcherOf, patternProblem } from "../src/jsonSchema/check/pattern.ts"

const applied = [
  "^[a-z]+$",
  "^[a-z0-9]+(-[a-z0-9]+)*$",
  "^([a-z0-9-]{1,63}\\.)+[a-z]{2,}$",
  "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
  "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$",
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$",
  "^([0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?)$",
  "^refs/(heads|tags|pull)/.*$",
  "^ssh-(rsa|dss|ed25519) |^ecdsa-sha2-nistp(256|384|521) ",
  "^(foo|for)-[a-z]+$",
  "^\\d+(\\.\\d{1,2})?$",
  "github",
  "\\S+",
  "a+$",
  "^\\u{1F600}\\p{L}*$",
  "^.{1,65535}$",
  "^[\\w.\\-]{1,100}$",
  "^\\s*\\s*$",
  "^.*\\S.*$",
  "^(a?b)*c$",
  "^\\cA[\\]\\\\)(*]+$",
  ""
]

const unsafe: Readonly<Record<string, string>> = {
  "^(a+)+$": "very many ways",
  "^(a*)*$": "very many ways",
  "^(a|a)*$": "very many ways",
  "^(a|ab|b)*c$": "very many ways",
  "^(\\w+\\s?)*$": "very many ways",
  "^(-[-a]+)*$": "very many ways",
  "^(.[a-z]+)*$": "very many ways",
  "^((-[a-z]+)*)*$": "very many ways",
  "^a*a*a*a*$": "very many ways",
  "^([a-z]{1,200})+$": "very many ways",
  "^(a?|b?){30}c$": "very many ways",
  "^(a?){30}a{30}$": "very many ways",
  "^(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)$": "very many ways",
  "^(?=.*\\d).+$": "ahead or behind",
  "^(?<!a)b$": "ahead or behind",
  "^(a)\\1$": "one of its groups",
  "^(?<word>a)\\k<word>$": "one of its groups",
  "^[a-z": "not a regular expression",
  "^\\_$": "not a regular expression",
  "^(((((x{60}){60}){60}){60}){60})$": "too large"
}

const units = ["a", "-", "0", " ", "aB3+", "a-", "a.", "/"]

/** How long the matcher takes at most for the longest texts to which a check applies it: nearly a match, and none. */
const slowest = (pattern: string): number => {
  const matcher = matcherOf(pattern)
  if (matcher === undefined) return 0
  let length = 200_000
  while (length > 0 && matcher.costOf(length) > bounds.matching) length = Math.floor(length * 0.9)
  return Math.max(
    ...units.map((unit) => {
      const text = `${unit.repeat(length)}`.slice(0, length - 1) + "!"
      const from = performance.now()
      matcher.pattern.test(text)
      return performance.now() - from
    })
  )
}

describe("a pattern of a described operation", () => {
  it.each(applied)("is applied to texts for which it is quick: %s", (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined()
    expect(matcherOf(pattern)?.costOf(20)).toBeLessThan(bounds.matching)
    expect(slowest(pattern)).toBeLessThan(1_000)
  })

  it.each(Object.entries(unsafe))("is not checked if a text can hold the gateway: %s", (pattern, reason) => {
    expect(patternProblem(pattern)).toContain(reason)
  })

  it("is not checked if it is very long", () => {
    expect(patternProblem("a".repeat(1_001))).toContain("too long")
    expect(patternProblem(`${"(".repeat(400)}a${")".repeat(400)}`)).toBeUndefined()
  })

  it("of any shape is quick wherever it is applied", () => {
    const atom = fc.constantFrom("a", "b", "-", "\\.", "[ab]", "[^-]", ".", "\\w", "^", "$", "\\b")
    const times = fc.constantFrom("", "", "", "?", "*", "+", "+?", "{2}", "{0,3}", "{2,}", "{1,300}")
    const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
      pattern: fc
        .array(fc.array(tie("part"), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
        .map((all) => all.map((parts) => parts.join("")).join("|")),
      part: fc.oneof(
        { maxDepth: 3 },
        fc.tuple(atom, times).map(([atom, times]) => (/^[\^$]$|b$/.test(atom) && atom !== "b" ? atom : atom + times)),
        fc.tuple(tie("pattern"), times).map(([inner, times]) => `(?:${inner})${times}`)
      )
    }))
    fc.assert(
      fc.property(pattern, (pattern) => {
        expect(slowest(pattern)).toBeLessThan(1_000)
      }),
      { numRuns: Number(process.env["PATTERN_FUZZ"] ?? 300), seed: 7 }
    )
  })
})
