import { type Field, fieldScanner } from "./fieldScanner.ts"
import { stringBytes } from "./stringBytes.ts"

type Tag =
  | "model"
  | "tier"
  | "text"
  | "reasoning"
  | "reasoningContent"
  | "index"
  | "finish"
  | "choice"
  | "choices"
  | "usage"
  | "error"

const text: Field<Tag> = { tag: "text" }
const functionCall: Field<Tag> = { members: { arguments: text } }
/** The generated text of a choice: a whole message, or what is new in an event. */
const message: Field<Tag> = {
  members: {
    content: { tag: "text", items: { members: { text } } },
    // Two names for the same text; an upstream may send both.
    reasoning: { tag: "reasoning" },
    reasoning_content: { tag: "reasoningContent" },
    refusal: text,
    function_call: functionCall,
    tool_calls: { items: { members: { function: functionCall, custom: { members: { input: text } } } } }
  }
}

/** Finds what is metered in an answer or in an event. */
export const scan = fieldScanner<Tag>({
  members: {
    choices: {
      tag: "choices",
      items: {
        tag: "choice",
        members: { index: { tag: "index" }, delta: message, message, text, finish_reason: { tag: "finish" } }
      }
    },
    model: { tag: "model" },
    service_tier: { tag: "tier" },
    usage: { tag: "usage" },
    error: { tag: "error" }
  }
})

/** The bytes of generated text in a whole answer. */
export const textBytes = (bytes: Uint8Array): number => {
  let text = 0
  let reasoning = 0
  let reasoningContent = 0
  scan(bytes, 0, bytes.length, (tag, start, end) => {
    if (tag === "text") text += stringBytes(bytes, start, end)
    else if (tag === "reasoning") reasoning += stringBytes(bytes, start, end)
    else if (tag === "reasoningContent") reasoningContent += stringBytes(bytes, start, end)
  })
  return text + Math.max(reasoning, reasoningContent)
}
