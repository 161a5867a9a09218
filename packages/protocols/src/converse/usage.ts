import { listOr, objectOr } from "../json.ts"
import { countAt, usageTable } from "../usage.ts"

/** What was written to the cache for an hour. */
const longWrites = (report: unknown): number =>
  listOr(objectOr(report)["cacheDetails"]).reduce(
    (sum, item) => (item["ttl"] === "1h" ? sum + countAt(item, "inputTokens") : sum),
    0
  )

export const converseUsage = usageTable({
  at: "usage",
  answer: { tier: ["serviceTier", "type"] },
  counts: {
    input: "inputTokens",
    output: "outputTokens",
    cacheRead: "cacheReadInputTokens",
    cacheWrite: "cacheWriteInputTokens"
  },
  parts: { cacheWriteLong: longWrites },
  others: ["totalTokens", "cacheReadInputTokenCount", "cacheWriteInputTokenCount"]
})
