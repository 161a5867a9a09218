import { describe, expect, it } from "@effect/vitest"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"
import { utf8Length } from "@tollgate/contract/price/estimate"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import { gemini } from "../../src/upstream/protocols/gemini.ts"
import { hold } from "../../src/upstream/protocols/hold.ts"
import { followItems } from "../../src/upstream/protocols/items.ts"
import { textBytes } from "../../src/upstream/protocols/read.ts"
import { exchangeOf } from "./exchange.ts"
import { cut, cuts, inThree } from "./pieces.ts"
import { streams } from "./streams.ts"

const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000)

const hostile: Record<string, string> = {
  "no JSON": "<html>502</html>",
  nothing: "",
  "half a text": '{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}',
  "two texts": '{"choices":[{"delta":{"content":"x"}}]} {}',
  "other commas":
    '{"delta":{"text":"x"};"choices":[{"delta":{"content":"x"}}; 1],"candidates":[{"content":{"parts":[{"text":"x"}]}}; 2]}',
  "no end of a string": '{"type":"message_stop","delta":{"text":"x',
  "values of other kinds":
    '{"choices":{"delta":1},"usage":[1],"delta":[],"candidates":3,"usageMetadata":"x","error":7}',
  "its prototype": '{"__proto__":{"usage":{"prompt_tokens":1,"completion_tokens":1},"error":{}}}',
  "numbers that are none": `{"usage":{"prompt_tokens":"1","completion_tokens":-1,"input_tokens":1e308,"output_tokens":1},"usageMetadata":{"promptTokenCount":NaN}}`,
  "a huge report": `{"usage":{"prompt_tokens":1,"completion_tokens":1,"x":"${"x".repeat(100_000)}"},"usageMetadata":{"promptTokenCount":1,"x":${deep("[", "]")}}}`,
  "arrays in arrays": deep("[", "]"),
  "objects in objects": deep('{"choices":[{"delta":', "}]}"),
  "a deep report": `{"usage":${deep('{"usage":', "}")},"message":{"usage":${deep("[", "]")}}}`,
  "no end of arrays": '{"a":' + "[".repeat(100_000),
  "only ends": "]}".repeat(50_000),
  escapes: '{"delta":{"text":"\\u12","partial_json":"\\ud800"},"choices":[{"delta":{"content":"\\'
}

const withReport = ["values of other kinds", "numbers that are none", "a huge report", "a deep report"]

/** One of each way to watch. */
const watches = Object.entries(streams).filter(([name]) =>
  [
    "openai, usage asked for by the gateway",
    "openai, usage asked for by the caller",
    "anthropic",
    "gemini, events"
  ].includes(name)
)

describe.each(Object.entries(hostile))("%s in a stream", (name, data) => {
  it.each(watches)("of %s proves nothing and changes nothing", (_, { exchange, protocol }) => {
    const watch = protocol.watch(exchange)
    const bytes = Utf8.encode(`data: ${data}\n\n`)
    const passed = watch.pass(bytes)
    watch.finish()
    expect(watch.seen().usage).toBe(undefined)
    expect(watch.seen().end).not.toBe("complete")
    expect(watch.seen().textBytes).toBe(0)
    // Taken out is what the gateway asked for, and that is never an event that cannot be read.
    if (!withReport.includes(name)) expect(passed).toBe(bytes)
  })
})

describe.each(Object.entries(hostile))("%s in an array", (_, data) => {
  it("proves nothing", () => {
    const watch = gemini.watch(exchangeOf(streamGenerateContent, "/v1beta/models/m:streamGenerateContent", "{}"))
    const bytes = Utf8.encode(`[${data}`)
    expect(watch.pass(bytes)).toBe(bytes)
    expect(watch.finish()).toHaveLength(0)
    expect(watch.seen()).toMatchObject({ usage: undefined, textBytes: 0 })
  })
})

describe("a stream of no sense at all", () => {
  const sign = fc.constantFrom(
    ...'{}[]",:\\\n\r u0dat',
    '"usage"',
    '"choices":[',
    '"delta":',
    "data: ",
    "null",
    "é",
    "😀"
  )
  const text = fc.array(sign, { maxLength: 60 }).map((signs) => signs.join(""))

  it.each(watches)("passes as %s, and is cut at will", (_, { exchange, protocol }) => {
    fc.assert(
      fc.property(text, cuts, (text, at) => {
        const seen = [cut(Utf8.encode(text), []), cut(Utf8.encode(text), at)].map((pieces) => {
          const watch = protocol.watch(exchange)
          const passed = [...pieces.map((piece) => watch.pass(piece)), watch.finish()].flatMap((part) => [...part])
          return { passed, seen: watch.seen() }
        })
        expect(seen[1]).toEqual(seen[0])
      }),
      { numRuns: 200 }
    )
  })
})

describe("the bytes of a text", () => {
  it("are counted as the text would be written", () => {
    const written = fc
      .array(fc.tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 2 }), fc.boolean()))
      .map((parts) =>
        parts
          .map(([text, escape]) =>
            escape
              ? text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`)
              : JSON.stringify(text).slice(1, -1)
          )
          .join("")
      )
      .map((inner) => `"${inner}"`)
    fc.assert(
      fc.property(written, (json) => {
        const bytes = Utf8.encode(json)
        expect(textBytes(bytes, 0, bytes.length)).toBe(utf8Length(JSON.parse(json)))
      }),
      { numRuns: 500 }
    )
  })

  it.each<[string, number]>([
    ["null", 0],
    ['""', 0],
    ['"\\ud83d\\ude00"', 4],
    ['"\\ud800\\u00e9"', 5],
    ['"\\ud800\\n"', 4],
    ['"\\udc00"', 3]
  ])("in %s are %d", (json, length) => {
    expect(textBytes(Utf8.encode(json), 0, json.length)).toBe(length)
  })
})

describe("an array of objects", () => {
  it("that is too large in one is followed in the others", () => {
    const text = `[{"a":1},{"a":"${"x".repeat(50)}"},{"b":[{}]}]`
    for (const pieces of inThree(Utf8.encode(text))) {
      const items: Array<string> = []
      const { isClosed, push } = followItems((bytes, from, to) => items.push(Utf8.decode(bytes.subarray(from, to))), 40)
      pieces.forEach(push)
      expect([items, isClosed()]).toEqual([['{"a":1}', '{"b":[{}]}'], true])
    }
  })
})

describe("what is held", () => {
  it("does not grow by what was taken", () => {
    const held = hold()
    const piece = Utf8.encode("abc")
    for (let i = 0; i < 1_000; i++) held.add(piece, 0, 3)
    expect(held.size()).toBe(3_000)
    const taken = held.take()
    held.add(piece, 1, 2)
    expect([Utf8.decode(taken), held.size(), Utf8.decode(held.take()), held.size()]).toEqual([
      "abc".repeat(1_000),
      1,
      "b",
      0
    ])
  })
})
