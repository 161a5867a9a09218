import type { Priced, Routed } from "../../exchange/Exchange.ts"

type Fields = Readonly<Record<string, unknown>>

const fieldsIn = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

const listIn = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(fieldsIn) : [])

/** Whether an answer of a model ended because it was as long as it might be. */
const endsAtLimit = (body: unknown): boolean => {
  const { candidates, choices, incomplete_details, stop_reason } = fieldsIn(body)
  return (
    stop_reason === "max_tokens" ||
    fieldsIn(incomplete_details)["reason"] === "max_output_tokens" ||
    listIn(choices).some(({ finish_reason }) => finish_reason === "length") ||
    listIn(candidates).some(({ finishReason }) => finishReason === "MAX_TOKENS")
  )
}

const numberIn = (value: unknown): number => (typeof value === "number" ? value : 0)

/** The output tokens that an answer reports. 0: it reports none. */
const outputTokens = (body: unknown): number => {
  const { usage, usageMetadata } = fieldsIn(body)
  const { completion_tokens, output_tokens } = fieldsIn(usage)
  const { candidatesTokenCount, thoughtsTokenCount } = fieldsIn(usageMetadata)
  return numberIn(completion_tokens ?? output_tokens) + numberIn(candidatesTokenCount) + numberIn(thoughtsTokenCount)
}

/** Whether an answer was cut off where the caller's cap ends, and not where the model itself ends. */
export const limitedByCap = ({ outputBound }: Routed & Pick<Priced, "outputBound">, body: unknown): boolean => {
  if (outputBound === undefined) return false
  // Each event of a stream of Gemini's is an answer.
  const parts: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
  if (!parts.some(endsAtLimit)) return false
  const tokens = parts.reduce<number>((most, part) => Math.max(most, outputTokens(part)), 0)
  return tokens === 0 || tokens >= outputBound
}
