import { type ReportedUsage, readCounts } from "./counts.ts"

const paths = {
  input: ["input_tokens"],
  output: ["output_tokens"],
  cacheRead: ["cache_read_input_tokens"],
  cacheWrite: ["cache_creation_input_tokens"]
} as const

/** `undefined`: an impossible count. */
export const parseUsage = (usage: unknown): ReportedUsage | undefined => readCounts(usage, paths)
