import type { CallPromise } from "../CallPromise.ts"
import type { Message } from "@tollgate/contract/protocols/anthropic"
import type { MessageStreamEvent } from "@tollgate/contract/protocols/anthropicEvents"
import type { GenerateContentResult } from "@tollgate/contract/protocols/gemini"
import type { ChatCompletion, ChatCompletionChunk } from "@tollgate/contract/protocols/openai"
import type { PromiseCallOptions, PromiseStreamOptions } from "../PromiseOptions.ts"
import type { EventStream } from "../Promises.ts"
import type { ChatCompletionsInput } from "../../operations/chatCompletions.ts"
import type { ChatCompletionsStreamInput } from "../../operations/chatCompletionsStream.ts"
import type { DeepResearchInput, DeepResearchResult } from "../../operations/deepResearch.ts"
import type { DeepResearchEvent, DeepResearchStreamInput } from "../../operations/deepResearchStream.ts"
import type { GenerateContentInput } from "../../operations/generateContent.ts"
import type { GenerateContentStreamInput } from "../../operations/generateContentStream.ts"
import type { ImageGenerateInput, ImageGenerateResult } from "../../operations/imageGenerate.ts"
import type { MessagesInput } from "../../operations/messages.ts"
import type { MessagesStreamInput } from "../../operations/messagesStream.ts"
import type { ModelListResult } from "../../operations/modelList.ts"
import type { ModelListGeminiInput, ModelListGeminiResult } from "../../operations/modelListGemini.ts"

/** Calls of models. */
export interface ModelFunctions {
  /**
   * Answers a conversation, in the OpenAI style. `chatCompletionsStream` streams the answer.
   *
   * @example
   * const { choices } = await client.chatCompletions({
   *   model: "sandbox",
   *   messages: [{ role: "user", content: "Why do rivers bend?" }]
   * })
   */
  readonly chatCompletions: (input: ChatCompletionsInput, options?: PromiseCallOptions) => CallPromise<ChatCompletion>

  /**
   * Answers a conversation, in the OpenAI style, as a stream of events. `textOf` reads the text of an event.
   *
   * @example
   * const events = client.chatCompletionsStream({
   *   model: "sandbox",
   *   messages: [{ role: "user", content: "Why do rivers bend?" }]
   * })
   * for await (const event of events) console.log(event)
   */
  readonly chatCompletionsStream: (
    input: ChatCompletionsStreamInput,
    options?: PromiseStreamOptions
  ) => EventStream<ChatCompletionChunk>

  /**
   * Searches and reasons over many sources. `deepResearchStream` streams the answer. The operator chooses its path: set
   * `discover` or `bindings` in the client's options.
   *
   * @example
   * const answer = await client.deepResearch({
   *   model: "sandbox",
   *   messages: [{ role: "user", content: "Why do rivers bend?" }]
   * })
   */
  readonly deepResearch: (input: DeepResearchInput, options?: PromiseCallOptions) => CallPromise<DeepResearchResult>

  /**
   * Searches and reasons over many sources, as a stream of events. The operator chooses its path: set `discover` or
   * `bindings` in the client's options.
   *
   * @example
   * const events = client.deepResearchStream({
   *   model: "sandbox",
   *   messages: [{ role: "user", content: "Why do rivers bend?" }]
   * })
   * for await (const event of events) console.log(event)
   */
  readonly deepResearchStream: (
    input: DeepResearchStreamInput,
    options?: PromiseStreamOptions
  ) => EventStream<DeepResearchEvent>

  /**
   * Generates content, in the Gemini style.
   *
   * @example
   * const { candidates } = await client.generateContent({
   *   path: { model: "sandbox" },
   *   body: { contents: [{ parts: [{ text: "Why do rivers bend?" }] }] }
   * })
   */
  readonly generateContent: (
    input: GenerateContentInput,
    options?: PromiseCallOptions
  ) => CallPromise<GenerateContentResult>

  /**
   * Generates content, in the Gemini style, as a stream of events. `textOf` reads the text of an event.
   *
   * @example
   * const events = client.generateContentStream({
   *   path: { model: "sandbox" },
   *   body: { contents: [{ parts: [{ text: "Why do rivers bend?" }] }] }
   * })
   * for await (const event of events) console.log(event)
   */
  readonly generateContentStream: (
    input: GenerateContentStreamInput,
    options?: PromiseStreamOptions
  ) => EventStream<GenerateContentResult>

  /**
   * Generates an image. The operator chooses its path: set `discover` or `bindings` in the client's options.
   *
   * @example
   * const image = await client.imageGenerate({ prompt: "A river from above" })
   */
  readonly imageGenerate: (input: ImageGenerateInput, options?: PromiseCallOptions) => CallPromise<ImageGenerateResult>

  /**
   * Answers a conversation, in the Anthropic style. `messagesStream` streams the answer.
   *
   * @example
   * const { content } = await client.messages({
   *   model: "sandbox",
   *   max_tokens: 256,
   *   messages: [{ role: "user", content: "Why do rivers bend?" }]
   * })
   */
  readonly messages: (input: MessagesInput, options?: PromiseCallOptions) => CallPromise<Message>

  /**
   * Answers a conversation, in the Anthropic style, as a stream of events. `textOf` reads the text of an event.
   *
   * @example
   * const events = client.messagesStream({
   *   model: "sandbox",
   *   max_tokens: 256,
   *   messages: [{ role: "user", content: "Why do rivers bend?" }]
   * })
   * for await (const event of events) console.log(event)
   */
  readonly messagesStream: (
    input: MessagesStreamInput,
    options?: PromiseStreamOptions
  ) => EventStream<MessageStreamEvent>

  /**
   * The models that can be called.
   *
   * @example
   * const models = await client.modelList()
   */
  readonly modelList: (input?: void, options?: PromiseCallOptions) => CallPromise<ModelListResult>

  /**
   * The models that can be called, in the Gemini style.
   *
   * @example
   * const models = await client.modelListGemini({ pageSize: 50 })
   */
  readonly modelListGemini: (
    input: ModelListGeminiInput,
    options?: PromiseCallOptions
  ) => CallPromise<ModelListGeminiResult>
}
