import type { Finish, Reply } from "../text/reply.ts"
import type { InputUsage } from "../text/usage.ts"

/** A generated answer, before it is written in the Anthropic format, whole or as a stream. */
export interface Generation {
  readonly id: string
  readonly model: string
  readonly reply: Reply
  readonly inputUsage: InputUsage
  readonly hidesUsage: boolean
}

const reasons = { stop: "end_turn", length: "max_tokens", call: "tool_use", sequence: "stop_sequence" } as const

export const stop = (finish: Finish) => ({
  stop_reason: reasons[finish.reason],
  stop_sequence: finish.reason === "sequence" ? finish.sequence : null
})

export const usage = ({ cacheRead, cacheWrite, input }: InputUsage, output: number) => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  output_tokens: output,
  service_tier: "standard"
})

export const toolId = ({ id }: Generation): string => `toolu_${id}`
