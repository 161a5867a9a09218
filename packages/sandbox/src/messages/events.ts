import type { StreamEvent } from "../BilledAnswer.ts"
import type { Finish, Reply } from "../text/reply.ts"
import type { InputUsage } from "../text/tokens.ts"

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

const streamEvent = (type: string, fields: Readonly<Record<string, unknown>>, tokens = 0): StreamEvent => ({
  event: type,
  data: JSON.stringify({ type, ...fields }),
  tokens
})

/** The block of the thinking, whose text may be hidden. */
function* thinkingEvents(generation: Generation): Generator<StreamEvent> {
  const { parts, tokens: all } = generation.reply.thought
  const start = { index: 0, content_block: { type: "thinking", thinking: "", signature: "" } }
  yield streamEvent("content_block_start", start, generation.hidesThinking ? all : 0)
  for (const { text, tokens } of generation.hidesThinking ? [] : parts)
    yield streamEvent("content_block_delta", { index: 0, delta: { type: "thinking_delta", thinking: text } }, tokens)
  const signed = { type: "signature_delta", signature: signature(generation) }
  yield streamEvent("content_block_delta", { index: 0, delta: signed })
  yield streamEvent("content_block_stop", { index: 0 })
}

/** The answer as a stream of events. */
export function* events(generation: Generation): Generator<StreamEvent> {
  const { hidesUsage, id, model, inputUsage, reply } = generation
  const { call, parts, thought } = reply
  const index = thought.tokens === 0 ? 0 : 1
  yield streamEvent("message_start", {
    message: {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...(hidesUsage ? {} : { usage: usage(inputUsage, { output_tokens: 0 }) })
    }
  })
  if (index > 0) yield* thinkingEvents(generation)
  yield streamEvent("content_block_start", {
    index,
    content_block:
      call === undefined
        ? { type: "text", text: "" }
        : { type: "tool_use", id: toolId(generation), name: call.name, input: {} }
  })
  yield streamEvent("ping", {})
  const written = parts()
  let output = thought.tokens
  let next = written.next()
  for (; next.done !== true; next = written.next()) {
    const { text, tokens } = next.value
    const delta = call === undefined ? { type: "text_delta", text } : { type: "input_json_delta", partial_json: text }
    output += tokens
    yield streamEvent("content_block_delta", { index, delta }, tokens)
  }
  yield streamEvent("content_block_stop", { index })
  const used = hidesUsage ? {} : { usage: outputUsage(generation, output) }
  yield { ...streamEvent("message_delta", { delta: stop(next.value), ...used }), final: true }
  yield { ...streamEvent("message_stop", {}), final: true }
}
