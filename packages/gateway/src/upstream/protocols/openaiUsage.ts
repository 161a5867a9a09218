import { type ReportedUsage, readCounts } from "./counts.ts"

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
