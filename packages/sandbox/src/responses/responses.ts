import { responses as operation } from "@tollgate/contract/operations/responses"
import { responsesInputTokens as counted } from "@tollgate/contract/operations/responsesInputTokens"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { type Handler, InvalidInput, type StreamEvent } from "../BilledAnswer.ts"
import * as Scenario from "../Scenario.ts"
import { id } from "../data/SeededRandom.ts"
import { gather, reply } from "../text/reply.ts"
import { billed, inputUsage } from "../text/tokens.ts"
import { chatModel, decode, isChatModel, json, sse, unknownModel } from "../wire/body.ts"
import { events } from "./events.ts"
import { callItem, ended, type Generation, itemStatus, messageItem, reasoningItem, textPart } from "./Generation.ts"
import { modelRequest, promptTokens, reasoningOf, ResponsesBody } from "./request.ts"

/** The answer as one body, and its number of output tokens. */
const response = (generation: Generation) => {
  const { finish, text, tokens } = gather(generation.reply.parts())
  const status = itemStatus(finish)
  const item =
    generation.reply.call === undefined
      ? messageItem(generation, status, [textPart(text)])
      : callItem(generation, status, text)
  const output = generation.reasoning === 0 ? [item] : [reasoningItem(generation), item]
  return { body: ended(generation, finish, output, tokens), output: generation.reasoning + tokens }
}

const read = decode(ResponsesBody)

const failure = (sequence_number: number): StreamEvent => ({
  event: "error",
  data: JSON.stringify({
    type: "error",
    code: "server_error",
    message: "The server had an error while processing your request.",
    param: null,
    sequence_number
  }),
  tokens: 0
})

const repeated = [
  "instructions",
  "max_output_tokens",
  "metadata",
  "parallel_tool_calls",
  "reasoning",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_p",
  "truncation",
  "user"
]

const settingsOf = (body: unknown): Readonly<Record<string, unknown>> =>
  Predicate.isObject(body)
    ? Object.fromEntries(
        Object.entries(body).filter(([name, value]) => repeated.includes(name) && value !== null && value !== undefined)
      )
    : {}

/** Answers a conversation in the format of OpenAI's Responses. */
export const responses: Handler = Effect.fnUntraced(function* (request, { scenario }) {
  const { seed, value } = yield* json(request)
  const body = yield* read(value)
  if (!isChatModel(body.model)) return yield* unknownModel(body.model)
  const asked = modelRequest(body)
  if (asked instanceof InvalidInput) return yield* asked
  const generation: Generation = {
    id: id(seed),
    model: chatModel,
    reply: reply({ ...asked, events: Scenario.longEvents(scenario) }),
    inputUsage: inputUsage(promptTokens(body), 0, scenario),
    reasoning: reasoningOf(body),
    summary: Predicate.isNotNullish(body.reasoning?.summary) ? "Thinking about the question." : undefined,
    encrypts: body.include?.includes("reasoning.encrypted_content") === true,
    settings: settingsOf(value),
    hidesUsage: Scenario.hidesUsage(scenario)
  }
  if (body.stream === true)
    return {
      operation: operation.id,
      events: { framing: sse, generate: () => events(generation), failure },
      billed: (output) => billed(generation.inputUsage, output)
    }
  const { body: answer, output } = response({ ...generation, hidesUsage: false })
  return { operation: operation.id, body: answer, billed: billed(generation.inputUsage, output) }
})

/** Counts what `responses` would report as input. Free. */
export const countInput: Handler = Effect.fnUntraced(function* (request) {
  const { value } = yield* json(request)
  const body = yield* read(value)
  if (!isChatModel(body.model)) return yield* unknownModel(body.model)
  return {
    operation: counted.id,
    body: { object: "response.input_tokens", input_tokens: promptTokens(body) },
    billed: {}
  }
})
