import { messages as operation } from "@tollgate/contract/operations/messages"
import * as Effect from "effect/Effect"
import * as Scenario from "../Scenario.ts"
import { id } from "../text/hash.ts"
import { reply } from "../text/reply.ts"
import { billed, reading } from "../text/usage.ts"
import { decode, json } from "../wire/body.ts"
import { sse } from "../wire/framing.ts"
import { isTalker, talker, unknownModel } from "../wire/model.ts"
import { anthropic } from "../wire/refusal.ts"
import { type Handler, InvalidInput, type Piece } from "../Work.ts"
import { askOf, promptTokens } from "./ask.ts"
import { MessagesBody } from "./body.ts"
import { events } from "./events.ts"
import type { Exchange } from "./Exchange.ts"
import { message } from "./message.ts"

const read = decode(MessagesBody)

const failure: Piece = {
  event: "error",
  data: JSON.stringify(anthropic({ status: 529, message: "Overloaded" })),
  tokens: 0
}

/** Answers a conversation in the Anthropic style. */
export const messages: Handler = Effect.fnUntraced(function* (request, { scenario }) {
  const { seed, value } = yield* json(request)
  const body = yield* read(value)
  if (!isTalker(body.model)) return yield* unknownModel(body.model)
  const ask = askOf(body)
  if (ask instanceof InvalidInput) return yield* ask
  const { marked, prompt } = promptTokens(body)
  const exchange: Exchange = {
    id: id(seed),
    model: talker,
    reply: reply({ ...ask, events: scenario.kind === "long" ? scenario.events : undefined }),
    reading: reading(prompt, marked, scenario),
    hidesUsage: Scenario.hidesUsage(scenario)
  }
  if (body.stream === true)
    return {
      operation: operation.id,
      events: { framing: sse, pieces: () => events(exchange), failure },
      billed: (output) => billed(exchange.reading, output)
    }
  const { body: answer, output } = message(exchange)
  return { operation: operation.id, body: answer, billed: billed(exchange.reading, output) }
})
