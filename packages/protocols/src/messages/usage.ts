import { usageTable } from "../usage.ts"

export const messagesUsage = usageTable({
  at: "usage",
  answer: { model: ["model"] },
  counts: {
    input: "input_tokens",
    output: "output_tokens",
    cacheRead: "cache_read_input_tokens",
    cacheWrite: "cache_creation_input_tokens",
    reasoning: "output_tokens_details.thinking_tokens"
  },
  isInParts: true,
  parts: { cacheWriteLong: "cache_creation.ephemeral_1h_input_tokens" },
  service: { tier: "service_tier", speed: "speed", region: "inference_geo" },
  others: [
    "cache_creation.ephemeral_5m_input_tokens",
    "server_tool_use.web_search_requests",
    "server_tool_use.web_fetch_requests",
    "server_tool_use.code_execution_requests",
    "iterations"
  ]
})
