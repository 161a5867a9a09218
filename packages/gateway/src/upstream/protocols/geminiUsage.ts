import type { TokenUsage } from "@tollgate/contract/price/evidence"
import { getPath, parseCount } from "./jsonValue.ts"

export const parseUsage = (usage: unknown): TokenUsage | undefined => {
  // Gemini leaves zeros out, but a prompt is never empty: without its count this is no usage report.
  if (typeof getPath(usage, "promptTokenCount") !== "number") return undefined
  const counts = [
    "promptTokenCount",
    "cachedContentTokenCount",
    "toolUsePromptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount"
  ].map((name) => parseCount(getPath(usage, name)))
  if (counts.includes(undefined)) return undefined
  const [prompt = 0, cached = 0, tool = 0, candidates = 0, thoughts = 0] = counts
  const cacheRead = Math.min(cached, prompt)
  const input = parseCount(prompt - cacheRead + tool)
  const output = parseCount(candidates + thoughts)
  return input === undefined || output === undefined ? undefined : { input, output, cacheRead, cacheWrite: 0 }
}
