import * as Utf8 from "@tollgate/contract/Utf8"
import type { StreamEvent } from "../BilledAnswer.ts"
import { hash } from "../data/SeededRandom.ts"
import { gather } from "../text/reply.ts"
import { tokens } from "../text/tokens.ts"
import {
  annotations,
  callId,
  citations,
  completionId,
  created,
  fingerprint,
  finishReason,
  type Generation,
  usage
} from "./Generation.ts"

const others = [" a", " the", " of", " and", " to", " in", " is", " it", " on", " as"] as const

const entry = (token: string, logprob: number) => ({ token, logprob, bytes: [...Utf8.encode(token)] })

/** Between -0.5 and 0, the same for the same token at the same place. */
const logprobOf = (token: string, place: number): number => -(hash(`${place} ${token}`) % 5_000) / 10_000

/** Less and less likely than the token itself. */
const alternatives = (token: string, logprob: number, most: number) =>
  Array.from({ length: most }, (_, rank) =>
    rank === 0 ? entry(token, logprob) : entry(`${others[rank % others.length]}${rank}`, logprob - rank)
  )

/** Log probabilities in the OpenAI format, for a text that starts at this place of the answer. */
export const logprobs = (text: string, top: number | undefined, start = 0) =>
  top === undefined
    ? null
    : {
        content: tokens(text).map((token, index) => {
          const logprob = logprobOf(token, start + index)
          return { ...entry(token, logprob), top_logprobs: alternatives(token, logprob, top) }
        }),
        refusal: null
      }

/** The answer as one body, and its number of output tokens. */
export const completion = (generation: Generation) => {
  let output = 0
  const choices = generation.replies.map((reply, index) => {
    const { finish, text, tokens } = gather(reply.parts())
    output += tokens + reply.thought.tokens
    const called =
      reply.call === undefined
        ? { content: text }
        : {
            content: null,
            tool_calls: [
              {
                id: callId(generation, index),
                type: "function",
                function: { name: reply.call.name, arguments: text }
              }
            ]
          }
    return {
      index,
      message: { role: "assistant", ...called, refusal: null, annotations: annotations(generation, text) },
      logprobs: reply.call === undefined ? logprobs(text, generation.logprobs) : null,
      finish_reason: finishReason(finish)
    }
  })
  const body = {
    id: completionId(generation),
    object: "chat.completion",
    created,
    model: generation.model,
    choices,
    ...citations(generation),
    usage: usage(generation, output),
    service_tier: "default",
    system_fingerprint: fingerprint
  }
  return { body, output }
}

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
