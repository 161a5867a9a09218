import { countAt, usageTable } from "../usage.ts"

const uncached = (tokens: string) => (report: unknown) =>
  Math.max(
    0,
    countAt(report, "prompt_tokens_details", tokens) -
      countAt(report, "prompt_tokens_details", "cached_tokens_details", tokens)
  )

export const chatUsage = usageTable({
  at: "usage",
  answer: { model: ["model"], tier: ["service_tier"] },
  counts: {
    input: "prompt_tokens",
    output: "completion_tokens",
    cacheRead: "prompt_tokens_details.cached_tokens",
    // DeepSeek's name.
    cacheHit: "prompt_cache_hit_tokens",
    cacheWrite: "prompt_tokens_details.cache_write_tokens",
    reasoning: "completion_tokens_details.reasoning_tokens",
    total: "total_tokens"
  },
  isCacheInInput: true,
  parts: {
    audioCacheRead: "prompt_tokens_details.cached_tokens_details.audio_tokens",
    imageCacheRead: "prompt_tokens_details.cached_tokens_details.image_tokens",
    audioInput: uncached("audio_tokens"),
    imageInput: uncached("image_tokens"),
    audioOutput: "completion_tokens_details.audio_tokens",
    imageOutput: "completion_tokens_details.image_tokens"
  },
  others: [
    "prompt_cache_miss_tokens",
    "prompt_tokens_details.text_tokens",
    "prompt_tokens_details.audio_tokens",
    "prompt_tokens_details.image_tokens",
    "prompt_tokens_details.cached_tokens_details.text_tokens",
    "completion_tokens_details.text_tokens",
    // Both are part of the completion, and billed as such.
    "completion_tokens_details.accepted_prediction_tokens",
    "completion_tokens_details.rejected_prediction_tokens"
  ]
})
