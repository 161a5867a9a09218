import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { deepResearch } from "@tollgate/contract/operations/deepResearch"
import { codecs } from "@tollgate/protocols"
import type { Usage } from "@tollgate/protocols/Conversation"
import type { Handler, StreamEvent } from "../BilledAnswer.ts"
import { hash, id } from "../SeededRandom.ts"
import { answerer, type Generation, type Place, reportOf, type Source } from "../model/answerer.ts"
import { type Fields, fieldsOf, listOf, thinkingTokens, wrong } from "../model/request.ts"
import { topics } from "../text/prose.ts"
import { openai } from "../wire/refusal.ts"
import { tokens } from "../text/tokens.ts"
import * as Utf8 from "@tollgate/contract/Utf8"

export const failure: StreamEvent = {
  data: JSON.stringify(openai({ status: 500, message: "The server had an error while processing your request." })),
  tokens: 0
}

/** `output` includes the tokens of the reasoning. */
export const reportedUsage = (usage: Usage): Fields => ({
  ...reportOf(codecs.chat, "usage", usage),
  prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0, audio_tokens: 0 }
})

const citations = ({ sources }: Generation): Fields =>
  sources.length === 0 ? {} : { citations: sources.map(({ url }) => url) }

const annotations = ({ sources }: Generation, text: string) =>
  sources.flatMap(({ title, url }, index) => {
    const mark = `[${index + 1}]`
    const start = text.indexOf(mark)
    if (start < 0) return []
    const url_citation = { title, url, start_index: start, end_index: start + mark.length }
    return [{ type: "url_citation", url_citation }]
  })

const fingerprint = { system_fingerprint: "fp_sandbox" }

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
const logprobs = (text: string, top: number, start: number) => ({
  content: tokens(text).map((token, index) => {
    const logprob = logprobOf(token, start + index)
    return { ...entry(token, logprob), top_logprobs: alternatives(token, logprob, top) }
  }),
  refusal: null
})

const choiceOf = (answer: Fields, { before, generation, index, text }: Place, said: unknown): Fields => {
  const { logprobs: wanted, top_logprobs: top } = generation.body
  const hasLogprobs = wanted === true && text !== "" && typeof said === "string"
  const probable = hasLogprobs ? logprobs(text, typeof top === "number" ? top : 0, before) : null
  return { ...listOf(answer["choices"])[0], index, logprobs: probable }
}

const whole = (answer: Fields, place: Place): Fields => {
  const { generation, text, usage } = place
  const message = fieldsOf(listOf(answer["choices"])[0]?.["message"])
  const choice = choiceOf(answer, place, message["content"])
  return {
    ...answer,
    choices: [{ ...choice, message: { ...message, annotations: annotations(generation, text) } }],
    ...citations(generation),
    usage: reportedUsage(usage),
    service_tier: "default",
    ...fingerprint
  }
}

const event = (chunk: Fields, place: Place): Fields => {
  const [choice] = listOf(chunk["choices"])
  if (choice === undefined) return { ...chunk, ...fingerprint, usage: reportedUsage(place.usage) }
  const choices = [choiceOf(chunk, place, fieldsOf(choice["delta"])["content"])]
  return { ...chunk, ...fingerprint, choices, ...(choice["finish_reason"] === null ? {} : citations(place.generation)) }
}

const chatHandler = (operation: string, sources: (message: string) => ReadonlyArray<Source>): Handler =>
  answerer({
    codec: codecs.chat,
    operation,
    failure,
    ids: ["chatcmpl-", "call_"],
    refuse: (_, { logprobs, top_logprobs: top = null }) => {
      if (typeof (logprobs ?? false) !== "boolean") return wrong("logprobs", "Input is not valid for this field")
      if (top === null) return undefined
      if (logprobs !== true) return wrong("top_logprobs", "logprobs must be true")
      return Number.isInteger(top) && Number(top) >= 0 && Number(top) <= 20
        ? undefined
        : wrong("top_logprobs", "must be at most 20")
    },
    choices: ({ n }) => n,
    thinking: (conversation) => thinkingTokens(conversation, 0),
    hasEmptyThought: false,
    sources,
    several: "choices",
    whole,
    event
  })

export const chat = chatHandler(chatCompletions.id, () => [])

const kinds = ["A survey of", "Notes on", "The history of"] as const

/** A chat whose answer cites sources. */
export const research = chatHandler(deepResearch.id, (message) =>
  kinds.map((kind) => ({
    title: `${kind} ${topics(message)[0]}`,
    url: `https://sources.invalid/${id(`${kind} ${message}`)}`
  }))
)
