import { type ReportedUsage, readCounts } from "./counts.ts"

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
