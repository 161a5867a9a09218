import type { Family } from "@tollgate/contract/errors/Family"
import type { Spoken } from "./Turn.ts"

const openai = (texts: ReadonlyArray<string>): Spoken => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }]
  })
  return { said: texts.map((content) => chunk({ content })), closing: [chunk({}, "stop")] }
}

const anthropic = (texts: ReadonlyArray<string>): Spoken => ({
  said: [
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

const gemini = (texts: ReadonlyArray<string>): Spoken => {
  const response = (text: string, more: object = {}) => ({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, ...more }]
  })
  return { said: texts.map((text) => response(text)), closing: [response("", { finishReason: "STOP" })] }
}

/** A text in the events of the protocol whose errors are of this family. */
export const speech = (family: Family, texts: ReadonlyArray<string>): Spoken => {
  switch (family) {
    case "anthropic":
      return anthropic(texts)
    case "gemini":
      return gemini(texts)
    default:
      return openai(texts)
  }
}
