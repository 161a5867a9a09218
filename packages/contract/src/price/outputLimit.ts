/**
 * The fields that limit the output, by protocol; the gateway sets the first. A field that the protocol ignores must not lower
 * an estimate. Gemini reads camel and snake case; a mix of both is refused.
 */
export const outputLimit = {
  openai: [["max_completion_tokens"], ["max_tokens"]],
  responses: [["max_output_tokens"]],
  anthropic: [["max_tokens"]],
  gemini: [
    ["generationConfig", "maxOutputTokens"],
    ["generation_config", "max_output_tokens"]
  ]
} as const

/** The fields that ask for several answers at once, by protocol. */
export const choices = {
  openai: [["n"]],
  responses: [],
  anthropic: [],
  gemini: [
    ["generationConfig", "candidateCount"],
    ["generation_config", "candidate_count"]
  ]
} as const

/** Estimates use this if the caller sets no limit and the model's largest output is not known. */
export const defaultOutputLimit = 4_096
