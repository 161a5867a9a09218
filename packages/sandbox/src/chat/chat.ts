import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import * as Effect from "effect/Effect"
import * as Scenario from "../Scenario.ts"
import { id } from "../text/hash.ts"
import { reply } from "../text/reply.ts"
import { billed, reading } from "../text/usage.ts"
import { decode, json } from "../wire/body.ts"
import { sse } from "../wire/framing.ts"
import { isTalker, talker, unknownModel } from "../wire/model.ts"
import { openai } from "../wire/refusal.ts"
import { type Handler, InvalidInput, type Piece } from "../Work.ts"
import { askOf, promptTokens } from "./ask.ts"
import { ChatBody } from "./body.ts"
import { chunks } from "./chunks.ts"
import { completion } from "./completion.ts"
import type { Exchange, Source } from "./Exchange.ts"

const read = decode(ChatBody)

const failure: Piece = {
  data: JSON.stringify(openai({ status: 500, message: "The server had an error while processing your request." })),
  tokens: 0
}

interface Style {
  readonly operation: string
  readonly sources: (message: string) => ReadonlyArray<Source>
}

/** Answers a conversation in the OpenAI style. */
export const talk = ({ operation, sources }: Style): Handler =>
  Effect.fnUntraced(function* (request, { scenario }) {
    const { seed, value } = yield* json(request)
    const body = yield* read(value)
    if (!isTalker(body.model)) return yield* unknownModel(body.model)
    const ask = askOf(body)
    if (ask instanceof InvalidInput) return yield* ask
    const named = sources(ask.message)
    const asked = { ...ask, sources: named.length, events: scenario.kind === "long" ? scenario.events : undefined }
    const exchange: Exchange = {
      id: id(seed),
      model: talker,
      replies: Array.from({ length: body.n ?? 1 }, (_, choice) => reply(asked, choice)),
      reading: reading(promptTokens(body), 0, scenario),
      sources: named,
      hidesUsage: Scenario.hidesUsage(scenario),
      includesUsage: body.stream_options?.include_usage === true
    }
    if (body.stream === true)
      return {
        operation,
        events: { framing: sse, pieces: () => chunks(exchange), failure },
        billed: (output) => billed(exchange.reading, output)
      }
    const { body: answer, output } = completion(exchange)
    return { operation, body: answer, billed: billed(exchange.reading, output) }
  })

export const chat = talk({ operation: chatCompletions.id, sources: () => [] })
