import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { parse } from "../../src/config/text/jsonc.ts"

const valueOf = (text: string): unknown => Result.getOrThrow(parse(text)).value

const errorOf = (text: string): string => {
  const { at, message } = Result.getOrThrow(Result.flip(parse(text)))
  return `${at.line}:${at.column} ${message.replace("not JSON: ", "")}`
}

describe("JSON with comments", () => {
  it.each([
    "null",
    "true",
    " [ ] ",
    "{}",
    "-0.5e-3",
    "1E+2",
    '""',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"',
    '{"a":[1,{"b":[[],{}]},"x"],"":null}',
    '"// no comment" ',
    '{"a":"/* none */","b":"\\\\"}',
    '["ends in a backslash \\\\","//"]',
    '{"__proto__":{"a":1}}'
  ])("reads %s as JSON.parse does", (text) => {
    expect(JSON.stringify(valueOf(text))).toBe(JSON.stringify(JSON.parse(text)))
  })

  it.each([
    ["// first\n{ // then\n}", {}],
    ['/**/{/* a */"a"/* b */:/* c */1/* d */,/* e */}/* f */', { a: 1 }],
    ["[1,2,// two\r\n]", [1, 2]],
    ["[/* * / ** */1]", [1]],
    ['{"a":[1,],}', { a: [1] }],
    ["1//", 1],
    ["\uFEFF{}", {}],
    ['{"url":"https://x"}// "', { url: "https://x" }]
  ])("reads %j", (text, value) => {
    expect(valueOf(text)).toEqual(value)
  })

  it("__proto__ and constructor are ordinary keys", () => {
    const value = valueOf('{"__proto__":1,"constructor":2}')
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"])
  })

  it.each([
    ["", "1:1 expected a value, found the end of the file"],
    ["{", "1:2 expected a key in double quotes, found the end of the file"],
    ["[1", "1:3 expected a comma or ], found the end of the file"],
    ["{}\n}", '2:1 expected the end of the file, found "}"'],
    ["[,]", '1:2 expected a value, found ","'],
    ["[1,,]", '1:4 expected a value, found ","'],
    ["{,}", '1:2 expected a key in double quotes, found ","'],
    ["{a:1}", '1:2 expected a key in double quotes, found "a"'],
    ["{'a':1}", '1:2 expected a key in double quotes, found "\'"'],
    ['{"a" 1}', '1:6 expected a colon, found "1"'],
    ['{"a":1\r\n"b":2}', '2:1 expected a comma or }, found "\\""'],
    ["[01]", '1:3 expected a comma or ], found "1"'],
    ["[1.]", '1:2 expected a number with digits after its point or exponent, found "1"'],
    ["[+1]", '1:2 expected a value, found "+"'],
    ["[tru]", '1:2 expected a value, found "t"'],
    ["NaN", '1:1 expected a value, found "N"'],
    ["[1] /* open", '1:5 expected a comment that ends in */, found "/"'],
    ["/ {}", '1:1 expected a value, found "/"'],
    ['["a\nb"]', '1:2 expected a string that ends on its line, with only the escapes that JSON has, found "\\""'],
    ['"\\x"', '1:1 expected a string that ends on its line, with only the escapes that JSON has, found "\\""'],
    ['"\\u12"', '1:1 expected a string that ends on its line, with only the escapes that JSON has, found "\\""'],
    ['"ends \\"', '1:1 expected a string that ends on its line, with only the escapes that JSON has, found "\\""']
  ])("reports the position of the error in %j", (text, error) => {
    expect(errorOf(text)).toBe(error)
  })

  it("refuses more than 64 levels", () => {
    expect(errorOf("[".repeat(100_000))).toMatch(/^1:66 expected no more than 64 levels/)
    expect(valueOf("[".repeat(64) + "]".repeat(64))).toBeInstanceOf(Array)
  })

  it("reads a string of millions of characters", () => {
    const long = 'a\u0080"\\'.repeat(500_000)
    expect(valueOf(JSON.stringify(long)) === long).toBe(true)
  })

  it("reports duplicate keys, and the position of each value", () => {
    const text = '{\n  "a": { "b": 1,\n    "b": 2 },\n  "c": [{ "b": 1 }, { "b": 1 }]\n}'
    const { positionOf, repeated } = Result.getOrThrow(parse(text))
    expect(repeated).toEqual([["a", "b"]])
    expect(positionOf(["a"])).toEqual({ line: 2, column: 3 })
    expect(positionOf(["a", "b"])).toEqual({ line: 3, column: 5 })
    expect(positionOf(["c", 1])).toEqual({ line: 4, column: 21 })
    // A missing value has the position of the object around it.
    expect(positionOf(["c", 1, "d", "e"])).toEqual({ line: 4, column: 21 })
    expect(positionOf([])).toEqual({ line: 1, column: 1 })
  })
})
