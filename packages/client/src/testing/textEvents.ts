import type { Family } from "@tollgate/contract/errors/Family"
import type { Bound } from "@tollgate/contract/Operation"
import { responses } from "@tollgate/contract/operations/responses"
import type { Event } from "../events/Event.ts"

/** The format of a stream: that of the family, or of OpenAI's Responses. */
export type StreamFormat = Family | "responses"

/** The events of a stream, and those that end it. */
export interface TextEvents {
  readonly events: ReadonlyArray<Event>
  readonly closing: ReadonlyArray<Event>
}

const openai = (texts: ReadonlyArray<string>): TextEvents => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }]
  })
  return { events: texts.map((content) => chunk({ content })), closing: [chunk({}, "stop")] }
}

const anthropic = (texts: ReadonlyArray<string>): TextEvents => ({
  events: [
    { type: "message_start", message: { type: "message", role: "assistant", content: [] } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...texts.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }))
  ],
  closing: [
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null } },
    { type: "message_stop" }
  ]
})

const gemini = (texts: ReadonlyArray<string>): TextEvents => {
  const response = (text: string, more: object = {}) => ({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, ...more }]
  })
  return { events: texts.map((text) => response(text)), closing: [response("", { finishReason: "STOP" })] }
}

const responsesEvents = (texts: ReadonlyArray<string>): TextEvents => {
  const numbered = (type: string, sequence_number: number, fields: object) => ({
    type: `response.${type}`,
    sequence_number,
    ...fields
  })
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 }
  const message = { type: "message", id: "msg_1", role: "assistant", status: "completed" }
  const content = [{ type: "output_text", text: texts.join(""), annotations: [] }]
  const response = { id: "resp_1", object: "response", error: null, incomplete_details: null }
  const begun = { ...response, status: "in_progress", output: [] }
  return {
    events: [
      numbered("created", 0, { response: begun }),
      ...texts.map((delta, i) => numbered("output_text.delta", i + 1, { ...at, delta }))
    ],
    closing: [
      numbered("completed", texts.length + 1, {
        response: { ...response, status: "completed", output: [{ ...message, content }] }
      })
    ]
  }
}

export const formatOf = ({ family, id }: Bound): StreamFormat => (id === responses.id ? "responses" : family)

export const textEvents = (format: StreamFormat, texts: ReadonlyArray<string>): TextEvents => {
  switch (format) {
    case "anthropic":
      return anthropic(texts)
    case "responses":
      return responsesEvents(texts)
    case "gemini":
      return gemini(texts)
    default:
      return openai(texts)
  }
}
