import { type Field, fieldScanner } from "./fieldScanner.ts"
import { stringBytes } from "./stringBytes.ts"
import type { ReportedUsage } from "../Protocol.ts"
import { readCounts } from "./counts.ts"

const paths = {
  prompt: ["prompt_tokens"],
  completion: ["completion_tokens"],
  cached: ["prompt_tokens_details", "cached_tokens"],
  reasoning: ["completion_tokens_details", "reasoning_tokens"]
} as const

/** `undefined`: no usage, or an impossible count. */
export const parseUsage = (usage: unknown): ReportedUsage | undefined => {
  const counts = readCounts(usage, paths)
  if (counts === undefined) return undefined
  const { cached = 0, completion, prompt, reasoning = 0 } = counts
  if (prompt === undefined && completion === undefined) return undefined
  const cacheRead = Math.min(cached, prompt ?? 0)
  return {
    ...(prompt === undefined ? {} : { input: prompt - cacheRead }),
    // Reasoning is part of the completion. A report on the way may count it first.
    ...(completion === undefined ? {} : { output: Math.max(completion, reasoning) }),
    cacheRead,
    cacheWrite: 0
  }
}

type Tag = "text" | "reasoning" | "reasoningContent" | "index" | "finish" | "choice" | "choices" | "usage" | "error"

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
