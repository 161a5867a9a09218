import type { StreamEvent } from "../BilledAnswer.ts"
import { type Generation, stop, toolId, usage } from "./Generation.ts"

const streamEvent = (type: string, fields: Readonly<Record<string, unknown>>, tokens = 0): StreamEvent => ({
  event: type,
  data: JSON.stringify({ type, ...fields }),
  tokens
})

/** The answer as a stream of events. */
export function* events(generation: Generation): Generator<StreamEvent> {
  const { hidesUsage, id, model, inputUsage, reply } = generation
  const { call, parts } = reply
  yield streamEvent("message_start", {
    message: {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...(hidesUsage ? {} : { usage: usage(inputUsage, 0) })
    }
  })
  yield streamEvent("content_block_start", {
    index: 0,
    content_block:
      call === undefined
        ? { type: "text", text: "" }
        : { type: "tool_use", id: toolId(generation), name: call.name, input: {} }
  })
  yield streamEvent("ping", {})
  const written = parts()
  let output = 0
  let next = written.next()
  for (; next.done !== true; next = written.next()) {
    const { text, tokens } = next.value
    const delta = call === undefined ? { type: "text_delta", text } : { type: "input_json_delta", partial_json: text }
    output += tokens
    yield streamEvent("content_block_delta", { index: 0, delta }, tokens)
  }
  yield streamEvent("content_block_stop", { index: 0 })
  const used = hidesUsage ? {} : { usage: { output_tokens: output } }
  yield { ...streamEvent("message_delta", { delta: stop(next.value), ...used }), final: true }
  yield { ...streamEvent("message_stop", {}), final: true }
}
