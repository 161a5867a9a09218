import type { Reasoning } from "./Conversation.ts"

// OpenAI counts reasoning in words, Anthropic and Google also in tokens.
const lowTokens = 4_096
const mediumTokens = 16_384

/** OpenAI's word for it. `undefined`: the model decides. */
export const effortOf = ({ budget, effort, isOff }: Reasoning): string | undefined => {
  if (isOff === true) return "none"
  if (effort !== undefined || budget === undefined) return effort
  return budget < lowTokens ? "low" : budget < mediumTokens ? "medium" : "high"
}

export const readEffort = (effort: string): Reasoning => (effort === "none" ? { isOff: true } : { effort })

/** Anthropic and Bedrock have no word below `low`. */
export const writeEffort = (effort: string | undefined): string | undefined => (effort === "minimal" ? "low" : effort)
