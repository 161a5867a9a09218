import { messages as operation } from "@tollgate/contract/operations/messages"
import * as Effect from "effect/Effect"
import * as Scenario from "../Scenario.ts"
import { id } from "../text/hash.ts"
import { reply } from "../text/reply.ts"
import { billed, inputUsage } from "../text/usage.ts"
import { decode, json } from "../wire/body.ts"
import { sse } from "../wire/framing.ts"
import { isChatModel, chatModel, unknownModel } from "../wire/model.ts"
import { anthropic } from "../wire/refusal.ts"
import { type Handler, InvalidInput, type StreamEvent } from "../BilledAnswer.ts"
import { modelRequest, promptTokens } from "./modelRequest.ts"
import { MessagesBody } from "./body.ts"
import { events } from "./events.ts"
import type { Generation } from "./Generation.ts"
import { message } from "./message.ts"

const read = decode(MessagesBody)

const failure: StreamEvent = {
  event: "error",
  data: JSON.stringify(anthropic({ status: 529, message: "Overloaded" })),
  tokens: 0
}

/** Answers a conversation in the Anthropic format. */
export const messages: Handler = Effect.fnUntraced(function* (request, { scenario }) {
  const { seed, value } = yield* json(request)
  const body = yield* read(value)
  if (!isChatModel(body.model)) return yield* unknownModel(body.model)
  const asked = modelRequest(body)
  if (asked instanceof InvalidInput) return yield* asked
  const { marked, prompt } = promptTokens(body)
  const generation: Generation = {
    id: id(seed),
    model: chatModel,
    reply: reply({ ...asked, events: Scenario.longEvents(scenario) }),
    hidesThinking:
      body.thinking !== null &&
      body.thinking !== undefined &&
      "display" in body.thinking &&
      body.thinking.display === "omitted",
    inputUsage: inputUsage(prompt, marked, scenario),
    hidesUsage: Scenario.hidesUsage(scenario)
  }
  if (body.stream === true)
    return {
      operation: operation.id,
      events: { framing: sse, generate: () => events(generation), failure },
      billed: (output) => billed(generation.inputUsage, output)
    }
  const { body: answer, output } = message(generation)
  return { operation: operation.id, body: answer, billed: billed(generation.inputUsage, output) }
})
