import { describe, expect, it, vi } from "@effect/vitest"
import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { messages } from "@tollgate/contract/operations/messages"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import { anthropic } from "../../../src/upstream/protocols/anthropic.ts"
import { openai } from "../../../src/upstream/protocols/openai.ts"
import { exchangeOf } from "./exchange.ts"
import { joined } from "./chunks.ts"

const body = '{"model":"m","stream":true}'
const chat = { protocol: openai, exchange: exchangeOf(chatCompletions, "/v1/chat/completions", body) }

const delta = (fields: string, rest = "") => `{"choices":[{"index":0,"delta":${fields},"finish_reason":null}]${rest}}`
const block = (fields: string, rest = "") => `{"type":"content_block_delta","index":0,"delta":${fields}${rest}}`

/** By protocol, events with a text or two at `T`, and others at `X`. */
const streams = {
  chat: {
    ...chat,
    events: [
      delta('{"content":T}'),
      delta('{"content":T}'),
      delta('{"content":T}', ',"usage":null'),
      delta('{"content":T}', ',"obfuscation":X'),
      delta('{"role":"assistant","content":T}'),
      delta('{"reasoning":T,"reasoning_content":T}'),
      delta('{"reasoning":T,"reasoning_content":X}'),
      delta('{"content":T,"refusal":X}'),
      delta('{"tool_calls":[{"index":0,"function":{"arguments":T}}]}'),
      delta('{ "content" : T }'),
      `{"choices":[{"index":0,"delta":{"content":T},"finish_reason":X}]}`,
      `{"choices":[{"index":1,"delta":{"content":T}}],"model":X}`,
      `{"choices":[{"index":0,"delta":{"content":T}}],"error":X}`,
      delta('{"content":T'),
      `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}`,
      "[DONE]"
    ]
  },
  messages: {
    protocol: anthropic,
    exchange: exchangeOf(messages, "/v1/messages", body),
    events: [
      block('{"type":"text_delta","text":T}'),
      block('{"type":"text_delta","text":T}'),
      block('{"type":"thinking_delta","thinking":T}'),
      block('{"type":"input_json_delta","partial_json":T}'),
      block('{"type":"signature_delta","signature":X}'),
      block('{"type":"text_delta","text":T}', ',"usage":{"output_tokens":4}'),
      '{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","name":X}}',
      '{"type":"message_delta","delta":{"stop_reason":X},"usage":{"output_tokens":4}}',
      '{"type":"message_start","message":{"model":X,"usage":{"input_tokens":3,"output_tokens":1}}}',
      '{"type": "ping"}'
    ]
  }
}

const texts = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.constantFrom("", " the", "}", '"', ":", "\n", "\\", "ü", "😀", "\ud800")
)

/** As JSON: with escapes, or as it is. Some are not valid. */
const written = fc.oneof(
  { weight: 9, arbitrary: texts.map((text) => JSON.stringify(text)) },
  {
    weight: 3,
    arbitrary: texts.map((text) =>
      JSON.stringify(text).replaceAll(
        /[^\x20-\x7e]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
      )
    )
  },
  fc.constantFrom('"\\x"', '"\t"', '"open', '"\\u12"', "7", "null")
)

describe.each(Object.entries(streams))("repeated events of %s", (_, { events, exchange, protocol }) => {
  const run = fc.record({
    event: fc.constantFrom(...events),
    texts: fc.array(fc.tuple(written, written), { minLength: 1, maxLength: 6 })
  })

  it("are metered and forwarded as if each was parsed", () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 6 }), (runs) => {
        const data = runs.flatMap(({ event, texts }) =>
          texts.map(([text, other]) => event.replaceAll("T", () => text).replaceAll("X", () => other))
        )
        const metered = (isParsed: boolean) => {
          const meter = protocol.streamMeter(exchange, undefined, isParsed ? () => undefined : undefined)
          const told = data.map((each) => {
            const forwarded = Utf8.decode(meter.push(Utf8.encode(`data: ${each}\n\n`)))
            return { forwarded, report: meter.report() }
          })
          return [...told, joined([meter.finish()]), meter.report()]
        }
        expect(metered(false)).toEqual(metered(true))
      }),
      { numRuns: 500 }
    )
  })
})

describe("a long answer", () => {
  it.each(["\\n", " ü", " word"])("is parsed in a few of its events: %j", (end) => {
    const meter = chat.protocol.streamMeter(chat.exchange)
    const parse = vi.spyOn(JSON, "parse")
    try {
      for (let i = 0; i < 100; i++) {
        const event = delta(
          `{"content":"${"x".repeat(i % 7)}${end}"}`,
          `,"usage":null,"obfuscation":"${"y".repeat(i % 5)}"`
        )
        meter.push(Utf8.encode(`data: ${event}\n\n`))
      }
      expect(parse.mock.calls.filter(([text]) => text.startsWith("{")).length).toBeLessThan(5)
    } finally {
      parse.mockRestore()
    }
    expect(meter.report().textBytes).toBe(14 * 21 + 1 + 100 * Utf8.encode(JSON.parse(`"${end}"`) as string).length)
  })
})
