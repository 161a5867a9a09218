import type { Family } from "@tollgate/contract/errors/Family"
import type { TextEvents } from "./Step.ts"

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

/** A text as events of this family's protocol. */
export const textEvents = (family: Family, texts: ReadonlyArray<string>): TextEvents => {
  switch (family) {
    case "anthropic":
      return anthropic(texts)
    case "gemini":
      return gemini(texts)
    default:
      return openai(texts)
  }
}
