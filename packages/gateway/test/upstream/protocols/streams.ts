import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { messages } from "@tollgate/contract/operations/messages"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"
import type { Priced } from "../../../src/exchange/Exchange.ts"
import { anthropic } from "../../../src/upstream/protocols/anthropic.ts"
import { gemini } from "../../../src/upstream/protocols/gemini.ts"
import { openai } from "../../../src/upstream/protocols/openai.ts"
import type { Protocol, StreamReport } from "../../../src/upstream/Protocol.ts"
import { exchangeOf } from "./exchange.ts"
import { responsesStreams } from "./responsesStreams.ts"

// Streams as the three upstreams send them, and the report that the meter must give for each.

export interface Stream {
  readonly protocol: Protocol
  readonly exchange: Priced
  readonly text: string
  /** What the caller gets, if that differs from `text`. */
  readonly forwarded?: string
  readonly report: StreamReport
}

const events = (...data: ReadonlyArray<string>): string => data.map((line) => `data: ${line}\n\n`).join("")

export const chunk = (choices: string, rest = ""): string =>
  `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1741569952,"choices":${choices}${rest}}`
const delta = (fields: string, index = 0, reason = "null"): string =>
  `[{"index":${index},"delta":${fields},"logprobs":null,"finish_reason":${reason}}]`

const deltas = [
  '{"role":"assistant","content":"","refusal":null}',
  '{"content":"Rivers \\u00fcber 😀"}',
  '{"reasoning_content":"hm\\n"}',
  '{"refusal":"no"}',
  '{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\\"a\\":"}},{"index":1,"function":{"arguments":"1}"}}]}',
  '{"function_call":{"arguments":"[]x"},"tool_calls":[{"custom":{"input":"ls"}}]}',
  "{}"
]
// "Rivers über 😀", "hm\n", "no", `{"a":`, "1}", "[]x", "ls"
const textBytes = 17 + 3 + 2 + 5 + 2 + 3 + 2

const used = '{"prompt_tokens":20,"completion_tokens":9,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":5}}'
const chatUsage = { input: 15, output: 9, cacheRead: 5, cacheWrite: 0 }

const chatOf = (options: string) =>
  exchangeOf(chatCompletions, "/v1/chat/completions", `{"model":"m","stream":true${options}}`)
const withoutUsageOption = chatOf("")
const withUsageOption = chatOf(',"stream_options":{"include_usage":true}')

const reasonOf = (fields: string) => (fields === "{}" ? '"stop"' : "null")
const chunks = deltas.map((fields) => chunk(delta(fields, 0, reasonOf(fields))))
const chunksWithNull = deltas.map((fields) => chunk(delta(fields, 0, reasonOf(fields)), ',"usage":null'))
const usageChunk = chunk("[]", `,"usage":${used}`)

const openaiStreams: Record<string, Stream> = {
  "openai, usage requested by the gateway": {
    protocol: openai,
    exchange: withoutUsageOption,
    text: `: hello\n\n${events(...chunksWithNull, usageChunk, "[DONE]")}`,
    forwarded: `: hello\n\n${events(...chunks, "[DONE]")}`,
    report: { state: "complete", started: true, finished: true, usageFinal: true, usage: chatUsage, textBytes }
  },
  "openai, usage in the last text event": {
    protocol: openai,
    exchange: withoutUsageOption,
    text: events(...chunks.slice(0, -1), chunk(delta('{"content":"!"}', 0, '"stop"'), `, "usage" : ${used}`), "[DONE]"),
    forwarded: events(...chunks.slice(0, -1), chunk(delta('{"content":"!"}', 0, '"stop"')), "[DONE]"),
    report: {
      state: "complete",
      started: true,
      finished: true,
      usageFinal: true,
      usage: chatUsage,
      textBytes: textBytes + 1
    }
  },
  "openai, usage requested by the caller": {
    protocol: openai,
    exchange: withUsageOption,
    text: events(...chunksWithNull, usageChunk, "[DONE]").replaceAll("\n", "\r\n"),
    report: { state: "complete", started: true, finished: true, usageFinal: true, usage: chatUsage, textBytes }
  },
  "openai, two choices and no usage": {
    protocol: openai,
    exchange: withoutUsageOption,
    text: events(chunk(delta('{"content":"ab"}', 0)), chunk(delta('{"content":"cd"}', 1)), "[DONE]"),
    report: { state: "complete", started: true, finished: false, usageFinal: false, usage: undefined, textBytes: 4 }
  },
  "openai, an error": {
    protocol: openai,
    exchange: withoutUsageOption,
    text: events(chunksWithNull[1] ?? "", '{"error":{"message":"overloaded","type":"server_error"}}'),
    forwarded: events(chunks[1] ?? "", '{"error":{"message":"overloaded","type":"server_error"}}'),
    report: { state: "failed", started: true, finished: false, usageFinal: false, usage: undefined, textBytes: 17 }
  }
}

const typed = (type: string, fields = ""): string => `event: ${type}\ndata: {"type":"${type}"${fields}}\n\n`
const block = (fields: string): string => typed("content_block_delta", `,"index":0,"delta":${fields}`)
const message = exchangeOf(messages, "/v1/messages", '{"model":"m","stream":true,"max_tokens":9}')
const messageStart = typed(
  "message_start",
  ',"message":{"id":"msg_1","role":"assistant","content":[],"usage":{"input_tokens":25,"cache_creation_input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}'
)
const blocks = [
  typed("content_block_start", ',"index":0,"content_block":{"type":"text","text":""}'),
  typed("ping"),
  block('{"type":"thinking_delta","thinking":"ab"}'),
  block('{"type":"signature_delta","signature":"EqQBCgIYAhIM"}'),
  block('{"type":"text_delta","text":"H\\u00e9llo"}'),
  block('{"type":"input_json_delta","partial_json":"{\\"a\\":1}"}'),
  typed("content_block_stop", ',"index":0')
].join("")
const messageUsage = { input: 25, output: 15, cacheRead: 3, cacheWrite: 7 }

const anthropicStreams: Record<string, Stream> = {
  anthropic: {
    protocol: anthropic,
    exchange: message,
    text:
      messageStart +
      blocks +
      typed("message_delta", ',"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":15}') +
      typed("message_stop"),
    report: {
      state: "complete",
      started: true,
      finished: true,
      usageFinal: true,
      usage: messageUsage,
      textBytes: 2 + 6 + 7
    }
  },
  "anthropic, all counts reported again": {
    protocol: anthropic,
    exchange: message,
    text:
      messageStart +
      typed(
        "message_delta",
        ',"usage":{"input_tokens":30,"cache_read_input_tokens":null,"cache_creation_input_tokens":8,"output_tokens":15}'
      ),
    report: {
      state: "open",
      started: true,
      finished: false,
      usageFinal: false,
      usage: { input: 30, output: 15, cacheRead: 3, cacheWrite: 8 },
      textBytes: 0
    }
  },
  "anthropic, an error": {
    protocol: anthropic,
    exchange: message,
    text: messageStart + typed("error", ',"error":{"type":"overloaded_error","message":"Overloaded"}'),
    report: {
      state: "failed",
      started: true,
      finished: false,
      usageFinal: false,
      usage: { ...messageUsage, output: 1 },
      textBytes: 0
    }
  }
}

const generate = (query: string) =>
  exchangeOf(streamGenerateContent, `/v1beta/models/m:streamGenerateContent${query}`, "{}")
const metadata = (output: number, rest = "") =>
  `"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":${output},"totalTokenCount":99${rest}}`
const candidate = (parts: string, rest = "") => `{"content":{"role":"model","parts":[${parts}]}${rest}}`
const responses = [
  `{"candidates":[${candidate('{"thought":true,"text":"hm"}', ',"index":0')}],${metadata(2)}}`,
  `{"candidates":[${candidate('{"text":"\\ud83d\\ude00 [}"},{"functionCall":{"name":"f","args":{"a":1}}}', ',"index":0')},${candidate('{"text":"x"}', ',"index":1,"finishReason":"STOP"')}],${metadata(4)}}`,
  `{"candidates":[${candidate('{"text":"."}', ',"finishReason":"STOP","index":0')}],${metadata(6, ',"thoughtsTokenCount":3,"cachedContentTokenCount":5,"toolUsePromptTokenCount":4')}}`
]
const generated = 2 + 7 + 7 + 1 + 1
const generatedUsage = { input: 11, output: 9, cacheRead: 5, cacheWrite: 0, reasoning: 3 }

const geminiStreams: Record<string, Stream> = {
  "gemini, events": {
    protocol: gemini,
    exchange: generate("?alt=sse"),
    text: responses.map((data) => `data: ${data}\r\n\r\n`).join(""),
    report: {
      state: "complete",
      started: true,
      finished: true,
      usageFinal: true,
      usage: generatedUsage,
      textBytes: generated
    }
  },
  "gemini, an array": {
    protocol: gemini,
    exchange: generate(""),
    text: ` [${responses.join("\n,\r\n")}\n]\n`,
    report: {
      state: "complete",
      started: true,
      finished: true,
      usageFinal: true,
      usage: generatedUsage,
      textBytes: generated
    }
  },
  "gemini, a candidate that does not finish": {
    protocol: gemini,
    exchange: generate("?alt=sse"),
    text: events(...responses.slice(0, 2)),
    report: {
      state: "open",
      started: true,
      finished: false,
      usageFinal: false,
      usage: { input: 12, output: 4, cacheRead: 0, cacheWrite: 0 },
      textBytes: generated - 1
    }
  },
  "gemini, an array that is not closed": {
    protocol: gemini,
    exchange: generate(""),
    text: `[${responses.join(",")}`,
    report: {
      state: "open",
      started: true,
      finished: true,
      usageFinal: true,
      usage: generatedUsage,
      textBytes: generated
    }
  },
  "gemini, a blocked prompt": {
    protocol: gemini,
    exchange: generate("?alt=sse"),
    text: events('{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":12}}'),
    report: {
      state: "complete",
      started: true,
      finished: true,
      usageFinal: true,
      usage: { input: 12, cacheRead: 0, cacheWrite: 0 },
      textBytes: 0
    }
  },
  "gemini, an error among events": {
    protocol: gemini,
    exchange: generate("?alt=sse"),
    text: events(responses[0] ?? "", '{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}'),
    report: {
      state: "failed",
      started: true,
      finished: false,
      usageFinal: false,
      usage: { input: 12, output: 2, cacheRead: 0, cacheWrite: 0 },
      textBytes: 2
    }
  },
  "gemini, an error in an array": {
    protocol: gemini,
    exchange: generate(""),
    text: `[${responses[0] ?? ""},{"error":{"code":503}}]`,
    report: {
      state: "failed",
      started: true,
      finished: false,
      usageFinal: false,
      usage: { input: 12, output: 2, cacheRead: 0, cacheWrite: 0 },
      textBytes: 2
    }
  }
}

export const streams: Record<string, Stream> = {
  ...openaiStreams,
  ...responsesStreams,
  ...anthropicStreams,
  ...geminiStreams
}
