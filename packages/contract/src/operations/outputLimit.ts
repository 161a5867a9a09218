/** The fields that limit the output, by protocol. A field that the protocol ignores must not lower an estimate. */
export const outputLimit = {
  openai: [["max_completion_tokens"], ["max_tokens"]],
  anthropic: [["max_tokens"]],
  gemini: [
    ["generationConfig", "maxOutputTokens"],
    ["generation_config", "max_output_tokens"]
  ]
} as const

/** The fields that ask for several answers at once, by protocol. */
export const choices = {
  openai: [["n"]],
  anthropic: [],
  gemini: [
    ["generationConfig", "candidateCount"],
    ["generation_config", "candidate_count"]
  ]
} as const

/** Estimates use this if the caller sets no limit. */
export const defaultOutputLimit = 4_096
