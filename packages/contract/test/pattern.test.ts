import { describe, expect, it } from "vitest"
import { patternProblem } from "../src/jsonSchema/pattern/patternProblem.ts"

const safe = [
  "^[a-z]+$",
  "^[a-z0-9]+(-[a-z0-9]+)*$",
  "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
  "^[^@\\s]+@[^@\\s]+$",
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$",
  "^([0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?)$",
  "^refs/(heads|tags|pull)/.*$",
  "^ssh-(rsa|dss|ed25519) |^ecdsa-sha2-nistp(256|384|521) ",
  "^(foo|for)-[a-z]+$",
  "^\\d+(\\.\\d{1,2})?$",
  "github",
  "\\S+",
  "^\\u{1F600}\\p{L}*$",
  "^.{1,65535}$",
  "^[\\w.\\-]{1,100}$",
  ""
]

const unsafe: Readonly<Record<string, string>> = {
  "^(a+)+$": "very many ways",
  "^(a*)*$": "may be empty",
  "^(a|a)*$": "very many ways",
  "^(a|ab|b)*c$": "very many ways",
  "^(\\w+\\s?)*$": "very many ways",
  "^\\s*\\s*$": "very many ways",
  "^.*\\S.*$": "very many ways",
  "^([a-z]{1,200})+$": "very many ways",
  "^(a?|b?){30}c$": "may be empty",
  "^(a?){30}a{30}$": "may be empty",
  "^(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)$": "very many ways",
  "a+$": "does not begin with ^",
  "\\s+x": "does not begin with ^",
  "^(?=.*\\d).+$": "ahead or behind",
  "^(a)\\1$": "one of its groups",
  "^(?<word>a)\\k<word>$": "one of its groups",
  "^[a-z": "not a regular expression",
  "^\\_$": "not a regular expression",
  "^(((((x{60}){60}){60}){60}){60})$": "too large"
}

describe("a pattern of a described operation", () => {
  it.each(safe)("is kept if its time grows with the text: %s", (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined()
    // Nearly a match, and long: a pattern that is kept answers at once.
    for (const unit of ["a", "-", "0", " ", "aB3+", "a-"]) RegExp(pattern, "u").test(`${unit.repeat(200_000)}\n!`)
  })

  it.each(Object.entries(unsafe))("is not checked if a text can hold the gateway: %s", (pattern, reason) => {
    expect(patternProblem(pattern)).toContain(reason)
  })

  it("is not checked if it is very long or nested very deep", () => {
    expect(patternProblem("a".repeat(1_001))).toContain("too long")
    expect(patternProblem(`${"(".repeat(400)}a${")".repeat(400)}`)).toContain("nested too deep")
  })
})
