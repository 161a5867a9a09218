import type { Usage } from "../Conversation.ts"
import { countOr, listOr, objectOr } from "../json.ts"

/** Where a report has each count. The input is without those of the cache, the output with the reasoning. */
export const counts = {
  input: ["inputTokens"],
  output: ["outputTokens"],
  cacheRead: ["cacheReadInputTokens"],
  cacheWrite: ["cacheWriteInputTokens"]
} as const

/** The fields of a report. Some repeat others. */
export const known = {
  inputTokens: true,
  outputTokens: true,
  totalTokens: true,
  cacheReadInputTokens: true,
  cacheWriteInputTokens: true,
  cacheReadInputTokenCount: true,
  cacheWriteInputTokenCount: true
} as const

/** What was written to the cache for an hour. */
export const longWrites = (usage: unknown): number =>
  listOr(objectOr(usage)["cacheDetails"]).reduce(
    (sum, { inputTokens, ttl }) => (ttl === "1h" ? sum + (countOr(inputTokens) ?? 0) : sum),
    0
  )

export const readUsage = (given: unknown): Usage => {
  const usage = objectOr(given)
  const at = (name: keyof typeof counts) => countOr(usage[counts[name][0]])
  return { input: at("input"), output: at("output"), cacheRead: at("cacheRead"), cacheWrite: at("cacheWrite") }
}
