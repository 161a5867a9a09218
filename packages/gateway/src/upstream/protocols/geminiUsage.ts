import { isTokenCount } from "@tollgate/contract/price/evidence"
import { type ReportedUsage, readCounts } from "./counts.ts"

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
