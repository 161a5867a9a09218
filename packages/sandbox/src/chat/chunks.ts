import type { StreamEvent } from "../BilledAnswer.ts"
import {
  callId,
  citations,
  completionId,
  created,
  type Generation,
  fingerprint,
  finishReason,
  usage
} from "./Generation.ts"
import { logprobs } from "./logprobs.ts"

type Fields = Readonly<Record<string, unknown>>

/** The answer as a stream of chunks, one choice after the other. */
export function* chunks(generation: Generation): Generator<StreamEvent> {
  const includesUsage = generation.includesUsage && !generation.hidesUsage
  const chunk = (choices: ReadonlyArray<Fields>, more: Fields = {}) =>
    JSON.stringify({
      id: completionId(generation),
      object: "chat.completion.chunk",
      created,
      model: generation.model,
      system_fingerprint: fingerprint,
      choices,
      ...(includesUsage ? { usage: null } : {}),
      ...more
    })
  const choice = (index: number, delta: Fields, finish: string | null = null, probable: Fields | null = null) => [
    { index, delta, logprobs: probable, finish_reason: finish }
  ]

  const ends: Array<string> = []
  let output = 0
  for (const [index, { call, parts, thought }] of generation.replies.entries()) {
    const opening =
      call === undefined
        ? { role: "assistant", content: "", refusal: null }
        : {
            role: "assistant",
            content: null,
            tool_calls: [
              {
                index: 0,
                id: callId(generation, index),
                type: "function",
                function: { name: call.name, arguments: "" }
              }
            ]
          }
    output += thought.tokens
    yield { data: chunk(choice(index, opening)), tokens: thought.tokens }
    const written = parts()
    let place = 0
    let next = written.next()
    for (; next.done !== true; next = written.next()) {
      const { text, tokens } = next.value
      const delta =
        call === undefined ? { content: text } : { tool_calls: [{ index: 0, function: { arguments: text } }] }
      const probable = call === undefined ? logprobs(text, generation.logprobs, place) : null
      output += tokens
      place += tokens
      yield { data: chunk(choice(index, delta, null, probable)), tokens }
    }
    ends.push(chunk(choice(index, {}, finishReason(next.value)), citations(generation)))
  }
  for (const data of ends) yield { data, tokens: 0, final: true }
  if (includesUsage) yield { data: chunk([], { usage: usage(generation, output) }), tokens: 0, final: true }
  yield { data: "[DONE]", tokens: 0, final: true }
}
