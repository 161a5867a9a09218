import { usageTable } from "../usage.ts"

export const responsesUsage = usageTable({
  at: "usage",
  answer: { model: ["model"], tier: ["service_tier"] },
  counts: {
    input: "input_tokens",
    output: "output_tokens",
    cacheRead: "input_tokens_details.cached_tokens",
    cacheWrite: "input_tokens_details.cache_write_tokens",
    reasoning: "output_tokens_details.reasoning_tokens"
  },
  isCacheInInput: true,
  parts: {
    cacheWriteLong: "input_tokens_details.cache_write_tokens_details.ttl_12h_tokens",
    audioInput: "input_tokens_details.audio_tokens",
    imageInput: "input_tokens_details.image_tokens",
    audioOutput: "output_tokens_details.audio_tokens",
    imageOutput: "output_tokens_details.image_tokens"
  },
  others: [
    "total_tokens",
    "input_tokens_details.text_tokens",
    "input_tokens_details.cache_write_tokens_details.ttl_30m_tokens",
    "output_tokens_details.text_tokens"
  ]
})
