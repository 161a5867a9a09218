/** Where each protocol lets a caller limit the answer. A field that the protocol does not read must not lower an estimate. */
export const outputLimit = {
  openai: [["max_completion_tokens"], ["max_tokens"]],
  anthropic: [["max_tokens"]],
  gemini: [
    ["generationConfig", "maxOutputTokens"],
    ["generation_config", "max_output_tokens"]
  ]
} as const

/** Where each protocol lets a caller ask for several answers at once. */
export const choices = {
  openai: [["n"]],
  anthropic: [],
  gemini: [
    ["generationConfig", "candidateCount"],
    ["generation_config", "candidate_count"]
  ]
} as const

/** Reckoned with where the caller sets no limit. */
export const defaultOutputLimit = 4_096
