import { describe, expect, it } from "@effect/vitest"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import { gemini } from "../../../src/upstream/protocols/gemini.ts"
import * as ByteBuffer from "../../../src/upstream/protocols/filterEvents.ts"
import { observeItems } from "../../../src/upstream/protocols/filterEvents.ts"
import { exchangeOf } from "./exchange.ts"
import { cut, cuts, inThree, joined } from "./chunks.ts"
import { streams } from "./streams.ts"

const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000)

const hostile: Record<string, string> = {
  HTML: "<html>502</html>",
  "empty data": "",
  "a truncated object": '{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}',
  "two objects": '{"choices":[{"delta":{"content":"x"}}]} {}',
  "semicolons for commas":
    '{"delta":{"text":"x"};"choices":[{"delta":{"content":"x"}}; 1],"candidates":[{"content":{"parts":[{"text":"x"}]}}; 2]}',
  "an unclosed string": '{"type":"message_stop","delta":{"text":"x',
  "values of other types":
    '{"choices":{"delta":1},"usage":[1],"delta":[],"candidates":3,"usageMetadata":"x","error":7}',
  "a __proto__ member": '{"__proto__":{"usage":{"prompt_tokens":1,"completion_tokens":1},"error":{}}}',
  "invalid counts": `{"usage":{"prompt_tokens":"1","completion_tokens":-1,"input_tokens":1e308,"output_tokens":1},"usageMetadata":{"promptTokenCount":NaN}}`,
  "a huge report": `{"usage":{"prompt_tokens":1,"completion_tokens":1,"x":"${"x".repeat(100_000)}"},"usageMetadata":{"promptTokenCount":1,"x":${deep("[", "]")}}}`,
  "deep arrays": deep("[", "]"),
  "deep objects": deep('{"choices":[{"delta":', "}]}"),
  "a deep report": `{"usage":${deep('{"usage":', "}")},"message":{"usage":${deep("[", "]")}}}`,
  "unclosed arrays": '{"a":' + "[".repeat(100_000),
  "only closing brackets": "]}".repeat(50_000),
  "truncated escapes": '{"delta":{"text":"\\u12","partial_json":"\\ud800"},"choices":[{"delta":{"content":"\\'
}

const withReport = ["values of other types", "invalid counts", "a huge report", "a deep report"]

/** One stream for each kind of meter. */
const meters = Object.entries(streams).filter(([name]) =>
  [
    "openai, usage requested by the gateway",
    "openai, usage requested by the caller",
    "responses",
    "anthropic",
    "gemini, events"
  ].includes(name)
)

describe.each(Object.entries(hostile))("%s in a stream", (name, data) => {
  it.each(meters)("of %s reports no usage and is forwarded", (_, { exchange, protocol }) => {
    const meter = protocol.streamMeter(exchange, 10_000_000)
    const bytes = Utf8.encode(`data: ${data}\n\n`)
    const forwarded = meter.push(bytes)
    meter.finish()
    expect(meter.report().usage).toBe(undefined)
    expect(meter.report().state).not.toBe("complete")
    expect(meter.report().textBytes).toBe(0)
    // Only a usage report is removed, and never from an event that cannot be read.
    if (!withReport.includes(name)) expect(forwarded).toBe(bytes)
  })
})

describe.each(Object.entries(hostile))("%s in an array", (_, data) => {
  it("reports no usage", () => {
    const exchange = exchangeOf(streamGenerateContent, "/v1beta/models/m:streamGenerateContent", "{}")
    const meter = gemini.streamMeter(exchange, 10_000_000)
    const bytes = Utf8.encode(`[${data}`)
    expect(Buffer.compare(joined([meter.push(bytes), meter.finish()]), bytes)).toBe(0)
    expect(meter.report()).toMatchObject({ usage: undefined, textBytes: 0 })
  })
})

describe("a random stream", () => {
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

  it.each(meters)("is metered as %s the same however it is split into chunks", (_, { exchange, protocol }) => {
    fc.assert(
      fc.property(text, cuts, (text, at) => {
        const results = [cut(Utf8.encode(text), []), cut(Utf8.encode(text), at)].map((chunks) => {
          const meter = protocol.streamMeter(exchange)
          const forwarded = [...chunks.map((chunk) => meter.push(chunk)), meter.finish()].flatMap((part) => [...part])
          return { forwarded, report: meter.report() }
        })
        expect(results[1]).toEqual(results[0])
      }),
      { numRuns: 200 }
    )
  })
})

describe("an array of objects", () => {
  const read = (chunks: ReadonlyArray<Uint8Array>, maxBytes?: number) => {
    const items: Array<string> = []
    const reader = observeItems((bytes, from, to) => items.push(Utf8.decode(bytes.subarray(from, to))), maxBytes)
    const forwarded = chunks.map((chunk) => Utf8.decode(reader.push(chunk)))
    return { items, forwarded, rest: Utf8.decode(reader.finish()), reader }
  }

  it("is read and forwarded up to an item that is too large", () => {
    const text = `[{"a":1},{"b":[{}]},{"a":"${"x".repeat(50)}"}]`
    for (const chunks of inThree(Utf8.encode(text))) {
      const { forwarded, items, reader } = read(chunks, 40)
      expect([items, forwarded.join(""), reader.isTooLarge()]).toEqual([
        ['{"a":1}', '{"b":[{}]}'],
        '[{"a":1},{"b":[{}]}',
        true
      ])
    }
  })

  it("is forwarded up to the end of an item, and unchanged in all", () => {
    const text = ' [ {"a":"]}"} , {"b":[{}]}\r\n,{"c":{"d":2}} ]\n'
    for (const chunks of inThree(Utf8.encode(text))) {
      const { forwarded, items, reader, rest } = read(chunks)
      expect(items).toEqual(['{"a":"]}"}', '{"b":[{}]}', '{"c":{"d":2}}'])
      expect(forwarded.join("") + rest).toBe(text)
      expect(reader.isClosed()).toBe(true)
      let sent = ""
      for (const part of forwarded) {
        sent += part
        if (part !== "" && sent.length < text.length - 3) expect(sent).toMatch(/\}$/)
      }
    }
  })
})

describe("a byte buffer", () => {
  it("is empty after it was drained", () => {
    const buffer = ByteBuffer.makeBuffer()
    const bytes = Utf8.encode("abc")
    for (let i = 0; i < 1_000; i++) buffer.append(bytes, 0, 3)
    expect(buffer.size()).toBe(3_000)
    const drained = buffer.drain()
    buffer.append(bytes, 1, 2)
    expect([Utf8.decode(drained), buffer.size(), Utf8.decode(buffer.drain()), buffer.size()]).toEqual([
      "abc".repeat(1_000),
      1,
      "b",
      0
    ])
  })
})
