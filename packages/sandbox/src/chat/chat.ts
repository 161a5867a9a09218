import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { deepResearch } from "@tollgate/contract/operations/deepResearch"
import * as Effect from "effect/Effect"
import { type Handler, InvalidInput, type StreamEvent } from "../BilledAnswer.ts"
import * as Scenario from "../Scenario.ts"
import { id } from "../data/SeededRandom.ts"
import { topics } from "../text/prose.ts"
import { reply } from "../text/reply.ts"
import { billed, inputUsage } from "../text/tokens.ts"
import { chatModel, decode, isChatModel, json, sse, unknownModel } from "../wire/body.ts"
import { openai } from "../wire/refusal.ts"
import { chunks, completion } from "./completion.ts"
import type { Generation, Source } from "./Generation.ts"
import { ChatBody, modelRequest, promptTokens } from "./request.ts"

const read = decode(ChatBody)

export const failure: StreamEvent = {
  data: JSON.stringify(openai({ status: 500, message: "The server had an error while processing your request." })),
  tokens: 0
}

interface ChatOptions {
  readonly operation: string
  readonly sources: (message: string) => ReadonlyArray<Source>
}

/** Answers a conversation in the OpenAI format. */
export const chatHandler = ({ operation, sources }: ChatOptions): Handler =>
  Effect.fnUntraced(function* (request, { scenario }) {
    const { seed, value } = yield* json(request)
    const body = yield* read(value)
    if (!isChatModel(body.model)) return yield* unknownModel(body.model)
    const asked = modelRequest(body)
    if (asked instanceof InvalidInput) return yield* asked
    const cited = sources(asked.message)
    const withScenario = {
      ...asked,
      sources: cited.length,
      events: Scenario.longEvents(scenario)
    }
    const generation: Generation = {
      id: id(seed),
      model: chatModel,
      replies: Array.from({ length: body.n ?? 1 }, (_, choice) => reply(withScenario, choice)),
      inputUsage: inputUsage(promptTokens(body), 0, scenario),
      sources: cited,
      logprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
      hidesUsage: Scenario.hidesUsage(scenario),
      includesUsage: body.stream_options?.include_usage === true
    }
    if (body.stream === true)
      return {
        operation,
        events: { framing: sse, generate: () => chunks(generation), failure },
        billed: (output) => billed(generation.inputUsage, output)
      }
    const { body: answer, output } = completion(generation)
    return { operation, body: answer, billed: billed(generation.inputUsage, output) }
  })

export const chat = chatHandler({ operation: chatCompletions.id, sources: () => [] })

const kinds = ["A survey of", "Notes on", "The history of"] as const

/** A chat whose answer cites sources. */
export const research = chatHandler({
  operation: deepResearch.id,
  sources: (message) =>
    kinds.map((kind) => ({
      title: `${kind} ${topics(message)[0]}`,
      url: `https://sources.invalid/${id(`${kind} ${message}`)}`
    }))
})
