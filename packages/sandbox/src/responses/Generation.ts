import { created } from "../chat/Generation.ts"
import type { Finish, Reply } from "../text/reply.ts"
import { sealedReasoning } from "./request.ts"
import type { InputUsage } from "../text/tokens.ts"

type Fields = Readonly<Record<string, unknown>>

/** A generated answer, before it is written in the format of OpenAI's Responses, whole or as a stream. */
export interface Generation {
  readonly id: string
  readonly model: string
  readonly reply: Reply
  readonly inputUsage: InputUsage
  /** The tokens of the reasoning. 0: there is none. */
  readonly reasoning: number
  /** What the caller sees of the reasoning. */
  readonly summary: string | undefined
  readonly encrypts: boolean
  /** The caller's settings, which an answer repeats. */
  readonly settings: Fields
  readonly hidesUsage: boolean
}

const usage = ({ inputUsage, reasoning }: Generation, written: number) => {
  const { cacheRead, cacheWrite, input } = inputUsage
  const prompt = input + cacheRead + cacheWrite
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: reasoning + written,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + reasoning + written
  }
}

/** The response without its output yet. */
export const begun = ({ id, model, settings }: Generation): Fields => ({
  id: `resp_${id}`,
  object: "response",
  created_at: created,
  status: "in_progress",
  background: false,
  completed_at: null,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: "default",
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
  usage: null,
  user: null,
  ...settings,
  store: false,
  model,
  output: []
})

/** The whole response, with the tokens that were written beside the reasoning. */
export const ended = (
  generation: Generation,
  finish: Finish,
  output: ReadonlyArray<Fields>,
  written: number
): Fields => {
  const isCut = finish.reason === "length"
  return {
    ...begun(generation),
    status: isCut ? "incomplete" : "completed",
    completed_at: isCut ? null : created,
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    output,
    usage: generation.hidesUsage ? null : usage(generation, written)
  }
}

const summaryPart = (text: string) => ({ type: "summary_text", text })

export const reasoningItem = ({ encrypts, id, summary }: Generation): Fields => ({
  id: `rs_${id}`,
  type: "reasoning",
  summary: summary === undefined ? [] : [summaryPart(summary)],
  ...(encrypts ? { encrypted_content: sealedReasoning(id) } : {})
})

export const textPart = (text: string): Fields => ({ type: "output_text", annotations: [], logprobs: [], text })

export const messageItem = ({ id }: Generation, status: string, content: ReadonlyArray<Fields>): Fields => ({
  id: `msg_${id}`,
  type: "message",
  status,
  role: "assistant",
  content
})

export const callItem = ({ id, reply }: Generation, status: string, text: string): Fields => ({
  id: `fc_${id}`,
  type: "function_call",
  status,
  call_id: `call_${id}`,
  name: reply.call?.name,
  arguments: text
})

export const itemStatus = ({ reason }: Finish): string => (reason === "length" ? "incomplete" : "completed")
