import {
  type CallResponse,
  chatCompletions,
  chatCompletionsStream,
  type Charge,
  Client,
  messages as messagesCall,
  messagesStream,
  withResponse
} from "@tollgate/client"
import { toCodecAnthropic } from "effect/ai/AnthropicStructuredOutput"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Model from "effect/ai/Model"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { chat } from "../conversation/chat.ts"
import type { AnswerPart, Delta, Ending, Json, Proof, Protocol, Tokens } from "../conversation/Conversation.ts"
import { argumentsOf, object } from "../conversation/parts.ts"
import { messages } from "../conversation/messages.ts"
import { readWhole } from "../conversation/whole.ts"
import type { TollgateMetadata } from "../metadata.ts"
import { conversationOf, type ModelSettings } from "./conversation.ts"
import { aiError } from "./errors.ts"

interface Api {
  readonly protocol: Protocol
  readonly transformer: LanguageModel.CodecTransformer
  readonly call: (input: Json) => Effect.Effect<unknown, unknown, Client>
  readonly stream: (
    input: Json,
    onCharge: (charge: Charge) => Effect.Effect<void>
  ) => Stream.Stream<unknown, unknown, Client>
}

const chatApi: Api = {
  protocol: chat,
  transformer: toCodecOpenAI,
  call: (input) => chatCompletions(input as never),
  stream: (input, onCharge) => chatCompletionsStream(input as never, { onCharge })
}

const messagesApi: Api = {
  protocol: messages,
  transformer: toCodecAnthropic,
  call: (input) => messagesCall(input as never),
  stream: (input, onCharge) => messagesStream(input as never, { onCharge })
}

const usageOf = ({ cacheRead, cacheWrite, input, output, reasoning }: Tokens) => ({
  inputTokens: {
    uncached: input,
    total: input === undefined ? undefined : input + (cacheRead ?? 0) + (cacheWrite ?? 0),
    cacheRead,
    cacheWrite
  },
  outputTokens: {
    total: output,
    text: output === undefined || reasoning === undefined ? undefined : output - reasoning,
    reasoning
  }
})

const finishOf = (
  { finish, tokens }: Ending,
  { cost, replayed, requestId }: Pick<CallResponse<unknown>, "cost" | "replayed" | "requestId">
): Response.FinishPartEncoded => ({
  type: "finish",
  reason: finish,
  usage: usageOf(tokens),
  metadata: {
    tollgate: {
      cost,
      replayed,
      ...(requestId === undefined ? {} : { requestId })
    } satisfies TollgateMetadata
  }
})

const headOf = ({
  id,
  model,
  seconds
}: {
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly seconds?: number | undefined
}): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  id,
  modelId: model,
  timestamp: seconds === undefined ? undefined : new Date(seconds * 1000).toISOString()
})

const proven = (proof: Proof | undefined) => (proof === undefined ? {} : { metadata: { tollgate: { ...proof } } })

const callOf = (part: { readonly id: string; readonly name: string; readonly arguments: string }) =>
  ({ type: "tool-call", id: part.id, name: part.name, params: argumentsOf(part.arguments) }) as const

const partOf = (part: AnswerPart): Response.PartEncoded => {
  switch (part.type) {
    case "text":
      return part
    case "reasoning":
      return { type: "reasoning", text: part.text, ...proven(part.proof) }
    case "call":
      return callOf(part)
  }
}

const streamPartOf = (delta: Delta): Response.StreamPartEncoded => {
  switch (delta.type) {
    case "response":
      return headOf(delta)
    case "tool-start":
      return { type: "tool-params-start", id: delta.id, name: delta.name }
    case "tool-delta":
      return { type: "tool-params-delta", id: delta.id, delta: delta.delta }
    case "tool-end":
      return { type: "tool-params-end", id: delta.id }
    case "reasoning-end":
      return { type: "reasoning-end", id: delta.id, ...proven(delta.proof) }
    case "call":
      return callOf(delta)
    default:
      return delta
  }
}

const make = Effect.fnUntraced(function* (
  { call, protocol, stream, transformer }: Api,
  model: string,
  settings: ModelSettings
) {
  const client = yield* Client
  const write = (method: string, options: LanguageModel.ProviderOptions) =>
    Effect.try({
      try: () => protocol.write(conversationOf(model, settings, transformer, options)).input,
      catch: aiError(method)
    })
  return yield* LanguageModel.make({
    codecTransformer: transformer,
    generateText: (options) =>
      Effect.flatMap(write("generateText", options), (input) =>
        withResponse(call(input)).pipe(
          Effect.provideService(Client, client),
          Effect.mapError(aiError("generateText")),
          Effect.map(({ value, ...response }): Array<Response.PartEncoded> => {
            const answer = readWhole(protocol, object(value))
            return [headOf(answer), ...answer.parts.map(partOf), finishOf(answer, response)]
          })
        )
      ),
    streamText: (options) =>
      Stream.unwrap(
        Effect.map(write("streamText", options), (input) => {
          const reader = protocol.reader()
          let cost: Charge = { state: "unknown" }
          const events = stream(input, (charge) => Effect.sync(() => void (cost = charge))).pipe(
            Stream.provideService(Client, client),
            Stream.mapError(aiError("streamText"))
          )
          const deltas = Stream.flattenIterable(Stream.map(events, (event) => reader.next(object(event))))
          return Stream.map(deltas, streamPartOf).pipe(
            Stream.concat(
              Stream.suspend(() =>
                Stream.fromIterable<Response.StreamPartEncoded>([
                  ...reader.close().map(streamPartOf),
                  finishOf(reader.ending(), { cost, replayed: false, requestId: undefined })
                ])
              )
            )
          )
        })
      )
  })
})

const over =
  (api: Api) =>
  (model: string, settings: ModelSettings = {}): Model.Model<"tollgate", LanguageModel.LanguageModel, Client> =>
    Model.make("tollgate", model, Layer.effect(LanguageModel.LanguageModel, make(api, model, settings)))

/**
 * A model over `chatCompletions`, in the format of OpenAI. Caps, keys and budgets are those of the client:
 * `withBudget("1.00")` and `withMaxPrice("0.05")` around a program hold for its calls.
 *
 * @example
 * LanguageModel.generateText({ prompt: "Why do rivers bend?" }).pipe(withMaxPrice("0.05"), Effect.provide(chatModel("sandbox")))
 */
export const chatModel = over(chatApi)

/** A model over `messages`, in the format of Anthropic. Without `maxOutputTokens` an answer has at most 4,096 tokens. */
export const messagesModel = over(messagesApi)
