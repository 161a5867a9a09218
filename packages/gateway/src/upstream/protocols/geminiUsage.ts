import type { TokenUsage } from "@tollgate/contract/price/evidence"
import { read, count } from "./read.ts"

export const usageIn = (usage: unknown): TokenUsage | undefined => {
  // A prompt is never empty, and a zero is left out: where this one is missing, the report is none.
  if (typeof read(usage, "promptTokenCount") !== "number") return undefined
  const counts = [
    "promptTokenCount",
    "cachedContentTokenCount",
    "toolUsePromptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount"
  ].map((name) => count(read(usage, name)))
  if (counts.includes(undefined)) return undefined
  const [prompt = 0, cached = 0, tool = 0, candidates = 0, thoughts = 0] = counts
  const cacheRead = Math.min(cached, prompt)
  const input = count(prompt - cacheRead + tool)
  const output = count(candidates + thoughts)
  return input === undefined || output === undefined ? undefined : { input, output, cacheRead, cacheWrite: 0 }
}
