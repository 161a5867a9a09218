import { generateContent as whole } from "@tollgate/contract/operations/generateContent"
import { streamGenerateContent as streamed } from "@tollgate/contract/operations/streamGenerateContent"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Scenario from "../Scenario.ts"
import { id } from "../text/hash.ts"
import { gather, reply } from "../text/reply.ts"
import { billed, reading } from "../text/usage.ts"
import { decode, json } from "../wire/body.ts"
import { array, sse } from "../wire/framing.ts"
import { isTalker, talker, unknownModel } from "../wire/model.ts"
import { gemini } from "../wire/refusal.ts"
import type { Context, Handler, Piece } from "../Work.ts"
import { askOf, promptTokens } from "./ask.ts"
import { GeminiBody } from "./body.ts"
import { camelBody } from "./camel.ts"
import { events } from "./events.ts"
import { type Exchange, response } from "./Exchange.ts"

const read = decode(GeminiBody)

const failure: Piece = {
  data: JSON.stringify(gemini({ status: 503, message: "The model is overloaded. Please try again later." })),
  tokens: 0
}

const exchangeOf = Effect.fnUntraced(function* (request: HttpServerRequest, { parameters, scenario }: Context) {
  const { seed, value } = yield* json(request)
  const model = parameters["model"] ?? ""
  if (!isTalker(model)) return yield* unknownModel(model)
  const body = yield* read(camelBody(value))
  const ask = { ...askOf(body), events: scenario.kind === "long" ? scenario.events : undefined }
  const exchange: Exchange = {
    id: id(seed),
    model: talker,
    replies: Array.from({ length: body.generationConfig?.candidateCount ?? 1 }, (_, choice) => reply(ask, choice)),
    reading: reading(promptTokens(body), 0, scenario),
    hidesUsage: Scenario.hidesUsage(scenario)
  }
  return exchange
})

/** Answers a conversation in the Gemini style. */
export const generateContent: Handler = Effect.fnUntraced(function* (request, context) {
  // What is answered at once loses its usage on the way out, as any other answer does.
  const exchange = { ...(yield* exchangeOf(request, context)), hidesUsage: false }
  let output = 0
  const candidates = exchange.replies.map(({ call, parts }, index) => {
    const { finish, text, tokens } = gather(parts())
    output += tokens
    const part = call === undefined ? { text } : { functionCall: { name: call.name, args: call.input } }
    return { index, parts: [part], finish }
  })
  return {
    operation: whole.id,
    body: response(exchange, candidates, output),
    billed: billed(exchange.reading, output)
  }
})

const wantsEvents = (url: string): boolean => (url.split("?", 2)[1] ?? "").split("&").includes("alt=sse")

/** The same, as it is written: as events with `alt=sse`, else as one array. */
export const streamGenerateContent: Handler = Effect.fnUntraced(function* (request, context) {
  const exchange = yield* exchangeOf(request, context)
  return {
    operation: streamed.id,
    events: { framing: wantsEvents(request.url) ? sse : array, pieces: () => events(exchange), failure },
    billed: (output) => billed(exchange.reading, output)
  }
})
