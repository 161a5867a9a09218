import { type Field, fieldScanner } from "./fieldScanner.ts"
import { stringBytes } from "./stringBytes.ts"
import type { ReportedUsage } from "../Protocol.ts"
import { readCounts } from "./counts.ts"

const paths = {
  input: ["input_tokens"],
  output: ["output_tokens"],
  cached: ["input_tokens_details", "cached_tokens"],
  written: ["input_tokens_details", "cache_write_tokens"],
  reasoning: ["output_tokens_details", "reasoning_tokens"]
} as const

/** `undefined`: no usage, or an impossible count. */
export const parseUsage = (usage: unknown): ReportedUsage | undefined => {
  const counts = readCounts(usage, paths)
  if (counts === undefined) return undefined
  const { cached = 0, input, output, reasoning = 0, written = 0 } = counts
  if (input === undefined && output === undefined) return undefined
  // The input includes what was read from a cache and written to it.
  const cacheRead = Math.min(cached, input ?? 0)
  const cacheWrite = Math.min(written, (input ?? 0) - cacheRead)
  return {
    ...(input === undefined ? {} : { input: input - cacheRead - cacheWrite }),
    ...(output === undefined ? {} : { output: Math.max(output, reasoning) }),
    cacheRead,
    cacheWrite
  }
}

type Tag = "text"

const text: Field<Tag> = { tag: "text" }
const parts: Field<Tag> = { items: { members: { text, refusal: text } } }

/** The generated text of a response: messages, calls of tools, and reasoning that is shown. */
export const output: Field<Tag> = {
  items: { members: { content: parts, summary: parts, arguments: text, input: text } }
}

const scan = fieldScanner<Tag>({ members: { output } })

/** The bytes of generated text in a whole answer. */
export const textBytes = (bytes: Uint8Array): number => {
  let length = 0
  scan(bytes, 0, bytes.length, (_, start, end) => {
    length += stringBytes(bytes, start, end)
  })
  return length
}
