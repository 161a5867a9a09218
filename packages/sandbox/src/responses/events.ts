import type { StreamEvent } from "../BilledAnswer.ts"
import {
  begun,
  callItem,
  ended,
  type Generation,
  itemStatus,
  messageItem,
  reasoningItem,
  textPart
} from "./Generation.ts"

type Fields = Readonly<Record<string, unknown>>

type Send = (type: string, fields: Fields, tokens?: number) => StreamEvent

/** Numbers the events of a stream. */
const sender = (): Send => {
  let sequence_number = 0
  return (type, fields, tokens = 0) => ({
    event: `response.${type}`,
    data: JSON.stringify({ type: `response.${type}`, sequence_number: sequence_number++, ...fields }),
    tokens
  })
}

function* reasoningEvents(generation: Generation, send: Send): Generator<StreamEvent> {
  const { reasoning, summary } = generation
  const item = reasoningItem(generation)
  const at = { item_id: item["id"], output_index: 0, summary_index: 0 }
  yield send("output_item.added", { output_index: 0, item: { ...item, summary: [] } })
  if (summary !== undefined) {
    yield send("reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } })
    yield send("reasoning_summary_text.delta", { ...at, delta: summary })
    yield send("reasoning_summary_text.done", { ...at, text: summary })
    yield send("reasoning_summary_part.done", { ...at, part: { type: "summary_text", text: summary } })
  }
  yield send("output_item.done", { output_index: 0, item }, reasoning)
}

/** The answer as a stream of events. */
export function* events(generation: Generation): Generator<StreamEvent> {
  const { reasoning, reply } = generation
  const send = sender()
  yield send("created", { response: begun(generation) })
  yield send("in_progress", { response: begun(generation) })
  if (reasoning > 0) yield* reasoningEvents(generation, send)

  const output_index = reasoning > 0 ? 1 : 0
  const { call } = reply
  const first =
    call === undefined ? messageItem(generation, "in_progress", []) : callItem(generation, "in_progress", "")
  const at = { item_id: first["id"], output_index }
  const inText = { ...at, content_index: 0 }
  yield send("output_item.added", { output_index, item: first })
  if (call === undefined) yield send("content_part.added", { ...inText, part: textPart("") })

  const texts: Array<string> = []
  let written = 0
  const parts = reply.parts()
  let next = parts.next()
  for (; next.done !== true; next = parts.next()) {
    const { text, tokens } = next.value
    texts.push(text)
    written += tokens
    yield call === undefined
      ? send("output_text.delta", { ...inText, delta: text, logprobs: [] }, tokens)
      : send("function_call_arguments.delta", { ...at, delta: text }, tokens)
  }
  const text = texts.join("")
  const status = itemStatus(next.value)
  if (call === undefined) {
    yield send("output_text.done", { ...inText, text, logprobs: [] })
    yield send("content_part.done", { ...inText, part: textPart(text) })
  } else yield send("function_call_arguments.done", { ...at, name: call.name, arguments: text })
  const item =
    call === undefined ? messageItem(generation, status, [textPart(text)]) : callItem(generation, status, text)
  yield send("output_item.done", { output_index, item })
  const output = reasoning > 0 ? [reasoningItem(generation), item] : [item]
  yield { ...send(status, { response: ended(generation, next.value, output, written) }), final: true }
}
