import type { Finish, Reply } from "../text/reply.ts"
import type { InputUsage } from "../text/usage.ts"

/** A generated answer, before it is written in the Anthropic format, whole or as a stream. */
export interface Generation {
  readonly id: string
  readonly model: string
  readonly reply: Reply
  /** Of the thinking only the signature is shown. */
  readonly hidesThinking: boolean
  readonly inputUsage: InputUsage
  readonly hidesUsage: boolean
}

const reasons = { stop: "end_turn", length: "max_tokens", call: "tool_use", sequence: "stop_sequence" } as const

export const stop = (finish: Finish) => ({
  stop_reason: reasons[finish.reason],
  stop_sequence: finish.reason === "sequence" ? finish.sequence : null
})

const thinkingTokens = ({ reply: { thought } }: Generation) =>
  thought.tokens === 0 ? {} : { output_tokens_details: { thinking_tokens: thought.tokens } }

/** `output` includes the tokens of the thinking. */
export const outputUsage = (generation: Generation, output: number) => ({
  output_tokens: output,
  ...thinkingTokens(generation)
})

export const usage = ({ cacheRead, cacheWrite, input }: InputUsage, output: object) => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  ...output,
  service_tier: "standard"
})

export const signature = ({ id }: Generation): string => `sig_${id}`

export const toolId = ({ id }: Generation): string => `toolu_${id}`
