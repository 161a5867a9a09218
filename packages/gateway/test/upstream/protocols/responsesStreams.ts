import { responses as operation } from "@tollgate/contract/operations/responses"
import { protocolFor } from "../../../src/upstream/Endpoint.ts"
import { openai as protocol } from "../../../src/upstream/protocols/openai.ts"
import type { Stream } from "./streams.ts"
import { exchangeOf } from "./exchange.ts"

const openai = protocolFor(protocol, operation.id)

// Streams of OpenAI's Responses as upstreams send them, and the report that the meter must give for each.

let sequence = 0
/** An event with its name, as OpenAI sends it. */
export const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`

export const response = (status: string, more: object = {}) => ({
  response: { id: "resp_1", object: "response", status, error: null, output: [], usage: null, ...more }
})

const begin =
  event("response.created", response("in_progress")) + event("response.in_progress", response("in_progress"))
const item = (type: string, id: string, more: object = {}) => ({ output_index: 0, item: { type, id, ...more } })
const delta = (type: string, text: string) => event(`response.${type}.delta`, { item_id: "i", delta: text })

const reasoning =
  event("response.output_item.added", item("reasoning", "rs_1", { summary: [] })) +
  delta("reasoning_summary_text", "hm\n") +
  event("response.output_item.done", item("reasoning", "rs_1", { summary: [{ type: "summary_text", text: "hm\n" }] }))

const message =
  event("response.output_item.added", item("message", "msg_1", { content: [] })) +
  delta("output_text", "Rivers über 😀") +
  event("response.output_text.done", { item_id: "msg_1", text: "Rivers über 😀" }) +
  event(
    "response.output_item.done",
    item("message", "msg_1", { content: [{ type: "output_text", text: "Rivers über 😀" }] })
  )

const call =
  event("response.output_item.added", item("function_call", "fc_1", { arguments: "" })) +
  delta("function_call_arguments", '{"a":1}') +
  event("response.output_item.done", item("function_call", "fc_1", { arguments: '{"a":1}' }))

export const used = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 5, cache_write_tokens: 3 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 29
}
export const usage = { input: 12, output: 9, cacheRead: 5, cacheWrite: 3 }

// "hm\n", "Rivers über 😀"
const textBytes = 3 + 17

const exchange = exchangeOf(operation, "/v1/responses", '{"model":"m","stream":true}')
const stream = { protocol: openai, exchange }
const report = { started: true, finished: true, usageFinal: true, usage: { ...usage, reasoning: 4 }, textBytes }

export const responsesStreams: Record<string, Stream> = {
  responses: {
    ...stream,
    text: `: hello\n\n${begin}${reasoning}${message}${event("response.completed", response("completed", { usage: used }))}`,
    report: { ...report, state: "complete" }
  },
  "responses, a call of a function, with carriage returns": {
    ...stream,
    text: (begin + call + event("response.completed", response("completed", { usage: used }))).replaceAll("\n", "\r\n"),
    report: { ...report, state: "complete", textBytes: 7 }
  },
  "responses, an answer that its limit ended": {
    ...stream,
    text: begin + message + event("response.incomplete", response("incomplete", { usage: used })),
    report: { ...report, state: "complete", textBytes: 17 }
  },
  "responses, no usage and no deltas": {
    ...stream,
    text:
      begin +
      event(
        "response.completed",
        response("completed", {
          output: [
            { type: "reasoning", summary: [{ type: "summary_text", text: "ab" }], encrypted_content: "secret" },
            {
              type: "message",
              content: [
                { type: "output_text", text: "cd" },
                { type: "refusal", refusal: "é" }
              ]
            },
            { type: "function_call", name: "f", arguments: "{}" },
            { type: "custom_tool_call", name: "g", input: "ls" }
          ]
        })
      ),
    report: { ...report, state: "complete", usageFinal: false, usage: undefined, textBytes: 2 + 2 + 2 + 2 + 2 }
  },
  "responses, cut after a whole message": {
    ...stream,
    text: begin + message,
    report: { ...report, state: "open", usageFinal: false, usage: undefined, textBytes: 17 }
  },
  "responses, cut after the reasoning": {
    ...stream,
    text: begin + reasoning,
    report: { ...report, state: "open", finished: false, usageFinal: false, usage: undefined, textBytes: 3 }
  },
  "responses, cut within a second item": {
    ...stream,
    text: begin + message + event("response.output_item.added", item("function_call", "fc_1")),
    report: { ...report, state: "open", finished: false, usageFinal: false, usage: undefined, textBytes: 17 }
  },
  "responses, a failed response": {
    ...stream,
    text:
      begin +
      delta("output_text", "Hi") +
      event("response.failed", response("failed", { error: { code: "server_error", message: "overloaded" } })),
    report: { ...report, state: "failed", finished: false, usageFinal: false, usage: undefined, textBytes: 2 }
  },
  "responses, an error": {
    ...stream,
    text: begin + event("error", { code: "server_error", message: "overloaded", param: null }),
    report: { ...report, state: "failed", finished: false, usageFinal: false, usage: undefined, textBytes: 0 }
  },
  "responses, sound": {
    ...stream,
    text: begin + event("response.audio.delta", { delta: "AAAA" }),
    report: { ...report, state: "open", finished: false, usageFinal: false, usage: undefined, textBytes: 0 }
  }
}
