// A constant for each protocol, so that a page has only those of the operations that it calls.

/**
 * The fields that limit the output; the gateway sets the first. A field that the protocol ignores must not lower an estimate.
 * Gemini reads camel and snake case; a mix of both is refused.
 */
export const openaiLimit = [["max_completion_tokens"], ["max_tokens"]] as const
export const responsesLimit = [["max_output_tokens"]] as const
export const anthropicLimit = [["max_tokens"]] as const
export const geminiLimit = [
  ["generationConfig", "maxOutputTokens"],
  ["generation_config", "max_output_tokens"]
] as const

/** The fields that ask for several answers at once. The other protocols have none. */
export const openaiChoices = [["n"]] as const
export const geminiChoices = [
  ["generationConfig", "candidateCount"],
  ["generation_config", "candidate_count"]
] as const

/** By protocol. */
export const outputLimit = {
  openai: openaiLimit,
  responses: responsesLimit,
  anthropic: anthropicLimit,
  gemini: geminiLimit
} as const

/** By protocol. */
export const choices = { openai: openaiChoices, responses: [], anthropic: [], gemini: geminiChoices } as const

/** Estimates use this if the caller sets no limit and the model's largest output is not known. */
export const defaultOutputLimit = 4_096
