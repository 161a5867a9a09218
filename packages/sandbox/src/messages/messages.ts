import { gather, reply } from "../text/reply.ts"
import { billed, inputUsage } from "../text/tokens.ts"
import { countTokens as countOperation } from "@tollgate/contract/operations/countTokens"
import { messages as operation } from "@tollgate/contract/operations/messages"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Handler, InvalidInput, type StreamEvent } from "../BilledAnswer.ts"
import * as Scenario from "../Scenario.ts"
import { id } from "../data/SeededRandom.ts"
import { chatModel, decode, isChatModel, json, sse, unknownModel } from "../wire/body.ts"
import { anthropic } from "../wire/refusal.ts"
import { events, type Generation, outputUsage, signature, stop, toolId, usage } from "./events.ts"
import { MessagesBody, modelRequest, promptTokens } from "./request.ts"

/** The answer as one body, and its number of output tokens. */
const message = (generation: Generation) => {
  const { call, parts, thought } = generation.reply
  const { finish, text, tokens } = gather(parts())
  const block =
    call === undefined
      ? { type: "text", text }
      : { type: "tool_use", id: toolId(generation), name: call.name, input: call.input }
  const thinking =
    thought.tokens === 0
      ? []
      : [
          {
            type: "thinking",
            thinking: generation.hidesThinking ? "" : thought.text,
            signature: signature(generation)
          }
        ]
  const output = thought.tokens + tokens
  const body = {
    id: `msg_${generation.id}`,
    type: "message",
    role: "assistant",
    model: generation.model,
    content: [...thinking, block],
    ...stop(finish),
    usage: usage(generation.inputUsage, outputUsage(generation, output))
  }
  return { body, output }
}

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

const readCounted = decode(Schema.Struct({ ...MessagesBody.fields, max_tokens: Schema.optionalKey(Schema.Unknown) }))

/** Counts what `messages` would report as input. Free. */
export const countTokens: Handler = Effect.fnUntraced(function* (request) {
  const { value } = yield* json(request)
  const body = yield* readCounted(value)
  if (!isChatModel(body.model)) return yield* unknownModel(body.model)
  return { operation: countOperation.id, body: { input_tokens: promptTokens(body).prompt }, billed: {} }
})
