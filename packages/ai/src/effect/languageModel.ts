import type {
  LanguageModelV4Reasoning,
  LanguageModelV4ResponseMetadata,
  LanguageModelV4ToolCall
} from "@ai-sdk/provider"
import {
  type CallResponse,
  chatCompletions,
  chatCompletionsStream,
  type Charge,
  Client,
  generateContent,
  generateContentStream,
  messages as messagesCall,
  messagesStream,
  responses as responsesCall,
  responsesStream,
  type StreamOptions,
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
import { type Json, objectOr } from "@tollgate/protocols/json"
import { chat, gemini, messages, type Protocol, responses } from "../conversation/protocols.ts"
import {
  argumentsOf,
  base64Of,
  callPart,
  fullMediaType,
  reasoningPart,
  textPart,
  Unsupported
} from "../conversation/parts.ts"
import { type Ending, type Part, read, readWhole, type StreamPart } from "../conversation/read.ts"
import { type ModelSettings, write, type Asked, formatOf } from "../conversation/write.ts"
import type { TollgateMetadata } from "../metadata.ts"
import { aiError } from "./errors.ts"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import type { AnswerPart, FilePart, Message, ResultPart, TextPart } from "@tollgate/protocols/Conversation"

const address = /^https?:\/\//i

const fileOf = ({ data, fileName: name, mediaType }: Prompt.FilePart): FilePart => {
  const url = data instanceof URL ? data.href : typeof data === "string" && address.test(data) ? data : undefined
  if (url !== undefined) return { type: "file", mediaType: fullMediaType(mediaType), name, source: { url } }
  const base64 = base64Of(data as string | Uint8Array)
  return { type: "file", mediaType: fullMediaType(mediaType, base64), name, source: { base64 } }
}

const contentPart = (part: Prompt.TextPart | Prompt.FilePart): TextPart | FilePart =>
  part.type === "text" ? textPart(part.text) : fileOf(part)

const answerPart = (part: Prompt.AssistantMessagePart): ReadonlyArray<AnswerPart> => {
  switch (part.type) {
    case "text":
      return [textPart(part.text)]
    case "reasoning":
      return [reasoningPart(part.text, part.options)]
    case "tool-call":
      return [callPart(part.id, part.name, JSON.stringify(part.params) ?? "{}", part.options)]
    case "tool-approval-request":
      return []
    default:
      throw new Unsupported(`a ${part.type} in an answer`)
  }
}

const resultOf = ({ id, isFailure, modelOutput, result }: Prompt.ToolResultPart): ResultPart => ({
  type: "result",
  id,
  isError: isFailure,
  parts: modelOutput?.map(contentPart) ?? [
    textPart(typeof result === "string" ? result : (JSON.stringify(result) ?? ""))
  ]
})

const messageOf = (message: Prompt.Message): Message => {
  switch (message.role) {
    case "system":
      return { role: "system", parts: [textPart(message.content)] }
    case "user":
      return { role: "user", parts: message.content.map(contentPart) }
    case "assistant":
      return { role: "assistant", parts: message.content.flatMap(answerPart) }
    case "tool":
      return {
        role: "user",
        parts: message.content.flatMap((part) => (part.type === "tool-result" ? [resultOf(part)] : []))
      }
  }
}

const choiceOf = (choice: LanguageModel.ProviderOptions["toolChoice"]): Asked["toolChoice"] => {
  if (typeof choice === "string") return choice
  return "tool" in choice ? { name: choice.tool } : (choice.mode ?? "auto")
}

/** The call of Effect's `LanguageModel`, independent of the protocol. Throws `Unsupported` for what no protocol has. */
const askedOf = (
  model: string,
  settings: ModelSettings,
  transformer: LanguageModel.CodecTransformer,
  { prompt, responseFormat, toolChoice, tools }: LanguageModel.ProviderOptions
): Asked => ({
  ...settings,
  model,
  messages: prompt.content.map(messageOf),
  tools: tools.map((tool) => {
    if (Tool.isProviderDefined(tool)) throw new Unsupported(`the tool ${tool.name}, which runs at its provider`)
    return {
      name: tool.name,
      description: Tool.getDescription(tool),
      parameters: Tool.getJsonSchema(tool) as Json,
      strict: Tool.getStrictMode(tool)
    }
  }),
  toolChoice: choiceOf(toolChoice),
  format:
    responseFormat.type === "json"
      ? formatOf({
          name: responseFormat.objectName,
          schema: Tool.getJsonSchemaFromSchema(responseFormat.schema, { transformer })
        })
      : undefined
})

interface Api {
  readonly protocol: Protocol
  readonly transformer: LanguageModel.CodecTransformer
  readonly call: (input: never) => Effect.Effect<unknown, unknown, Client>
  readonly stream: (input: never, options: Pick<StreamOptions, "onCharge">) => Stream.Stream<unknown, unknown, Client>
}

const finishOf = (
  { finishReason, usage: { inputTokens, outputTokens } }: Ending,
  { cost, replayed, requestId }: Pick<CallResponse<unknown>, "cost" | "replayed" | "requestId">
): Response.FinishPartEncoded => {
  const { noCache: uncached, ...input } = inputTokens
  return {
    type: "finish",
    reason: finishReason.raw === "pause_turn" ? "pause" : finishReason.unified,
    usage: { inputTokens: { uncached, ...input }, outputTokens },
    metadata: {
      tollgate: {
        cost,
        replayed,
        ...(requestId === undefined ? {} : { requestId })
      } satisfies TollgateMetadata
    }
  }
}

const headOf = ({ timestamp, ...head }: LanguageModelV4ResponseMetadata): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  ...head,
  timestamp: timestamp?.toISOString()
})

const proven = ({ providerMetadata }: Pick<LanguageModelV4Reasoning, "providerMetadata">) =>
  providerMetadata === undefined
    ? {}
    : { metadata: providerMetadata as { readonly tollgate: Readonly<Record<string, string>> } }

const callOf = ({ input, toolCallId: id, toolName: name, ...part }: LanguageModelV4ToolCall) =>
  ({ type: "tool-call", id, name, params: argumentsOf(input), ...proven(part) }) as const

const partOf = (part: Part): Response.PartEncoded => {
  switch (part.type) {
    case "text":
      return part
    case "reasoning":
      return { type: "reasoning", text: part.text, ...proven(part) }
    case "tool-call":
      return callOf(part)
  }
}

const streamPartOf = (part: StreamPart): Response.StreamPartEncoded => {
  switch (part.type) {
    case "response-metadata":
      return headOf(part)
    case "tool-input-start":
      return { type: "tool-params-start", id: part.id, name: part.toolName }
    case "tool-input-delta":
      return { type: "tool-params-delta", id: part.id, delta: part.delta }
    case "tool-input-end":
      return { type: "tool-params-end", id: part.id }
    case "reasoning-end":
      return { type: "reasoning-end", id: part.id, ...proven(part) }
    case "tool-call":
      return callOf(part)
    default:
      return part
  }
}

const make = Effect.fnUntraced(function* (
  { call, protocol, stream, transformer }: Api,
  model: string,
  settings: ModelSettings
) {
  const client = yield* Client
  const inputOf = (method: string, options: LanguageModel.ProviderOptions) =>
    Effect.gen(function* () {
      const { input, warnings } = yield* Effect.try({
        try: () => write(protocol, askedOf(model, settings, transformer, options)),
        catch: aiError(method)
      })
      for (const warning of warnings) yield* Effect.logWarning("The protocol cannot express a setting", warning)
      return input
    })
  return yield* LanguageModel.make({
    codecTransformer: transformer,
    generateText: (options) =>
      Effect.flatMap(inputOf("generateText", options), (input) =>
        withResponse(call(input as never)).pipe(
          Effect.provideService(Client, client),
          Effect.mapError(aiError("generateText")),
          Effect.map(({ value, ...response }): Array<Response.PartEncoded> => {
            const answer = readWhole(protocol, objectOr(value))
            return [headOf(answer.head), ...answer.content.map(partOf), finishOf(answer, response)]
          })
        )
      ),
    streamText: (options) =>
      Stream.unwrap(
        Effect.map(inputOf("streamText", options), (input) => {
          const reader = read(protocol)
          let cost: Charge = { state: "unknown" }
          const events = stream(input as never, { onCharge: (charge) => Effect.sync(() => void (cost = charge)) }).pipe(
            Stream.provideService(Client, client),
            Stream.mapError(aiError("streamText"))
          )
          const deltas = Stream.flattenIterable(
            Stream.mapEffect(events, (event) =>
              Effect.try({ try: () => reader.next(objectOr(event)), catch: aiError("streamText") })
            )
          )
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
export const chatModel = over({
  protocol: chat,
  transformer: toCodecOpenAI,
  call: chatCompletions,
  stream: chatCompletionsStream
})

/**
 * A model over `messages`, in the format of Anthropic. Without `maxOutputTokens` an answer has at most 4,096 tokens, or 20,480
 * with an `effort`.
 */
export const messagesModel = over({
  protocol: messages,
  transformer: toCodecAnthropic,
  call: messagesCall,
  stream: messagesStream
})

/** A model over `responses`, in OpenAI's newer format. The gateway keeps no response. */
export const responsesModel = over({
  protocol: responses,
  transformer: toCodecOpenAI,
  call: responsesCall,
  stream: responsesStream
})

/** A model over `generateContent`, in the format of Google. */
export const geminiModel = over({
  protocol: gemini,
  transformer: LanguageModel.defaultCodecTransformer,
  call: generateContent,
  stream: generateContentStream
})
