import { type Field, fieldScanner } from "./fieldScanner.ts"
import { stringBytes } from "./stringBytes.ts"
import { isTokenCount } from "@tollgate/contract/price/evidence"
import type { ReportedUsage } from "../Protocol.ts"
import { readCounts } from "./counts.ts"

const paths = {
  prompt: ["promptTokenCount"],
  cached: ["cachedContentTokenCount"],
  tool: ["toolUsePromptTokenCount"],
  candidates: ["candidatesTokenCount"],
  thoughts: ["thoughtsTokenCount"]
} as const

/** `undefined`: no usage, or an impossible count. */
export const parseUsage = (usage: unknown): ReportedUsage | undefined => {
  const counts = readCounts(usage, paths)
  if (counts === undefined) return undefined
  const { cached = 0, candidates, prompt, thoughts, tool = 0 } = counts
  const cacheRead = Math.min(cached, prompt ?? 0)
  const input = prompt === undefined ? undefined : prompt - cacheRead + tool
  const output = candidates === undefined && thoughts === undefined ? undefined : (candidates ?? 0) + (thoughts ?? 0)
  if (input === undefined && output === undefined) return undefined
  if (!isTokenCount(input ?? 0) || !isTokenCount(output ?? 0)) return undefined
  return {
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    cacheRead,
    cacheWrite: 0
  }
}

type Tag = "text" | "arguments" | "index" | "finish" | "candidate" | "blocked" | "usage" | "error"

const text: Field<Tag> = { tag: "text" }
const part: Field<Tag> = {
  members: {
    text,
    functionCall: { members: { args: { tag: "arguments" } } },
    executableCode: { members: { code: text } }
  }
}

/** Finds what is metered in an answer, which is also the shape of an event. */
export const scan = fieldScanner<Tag>({
  members: {
    candidates: {
      items: {
        tag: "candidate",
        members: {
          index: { tag: "index" },
          finishReason: { tag: "finish" },
          content: { members: { parts: { items: part } } }
        }
      }
    },
    promptFeedback: { members: { blockReason: { tag: "blocked" } } },
    usageMetadata: { tag: "usage" },
    error: { tag: "error" }
  }
})

/** The bytes of generated text in a whole answer. */
export const textBytes = (bytes: Uint8Array): number => {
  let length = 0
  scan(bytes, 0, bytes.length, (tag, start, end) => {
    if (tag === "text") length += stringBytes(bytes, start, end)
    else if (tag === "arguments") length += end - start
  })
  return length
}
