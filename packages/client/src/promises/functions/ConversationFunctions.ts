import type { CallPromise } from "../CallPromise.ts"
import type { Message } from "@tollgate/contract/protocols/anthropic"
import type { MessageStreamEvent } from "@tollgate/contract/protocols/anthropicEvents"
import type { GenerateContentResult } from "@tollgate/contract/protocols/gemini"
import type { ChatCompletion, ChatCompletionChunk } from "@tollgate/contract/protocols/openai"
import type { ResponsesResult } from "@tollgate/contract/protocols/openaiResponses"
import type { ResponsesEvent } from "@tollgate/contract/protocols/openaiResponsesEvents"
import type { PromiseCallOptions, PromiseStreamOptions } from "../PromiseOptions.ts"
import type { EventStream } from "../Promises.ts"
import type { ChatCompletionsInput } from "../../operations/chatCompletions.ts"
import type { ChatCompletionsStreamInput } from "../../operations/chatCompletionsStream.ts"
import type { CountTokensInput, CountTokensResult } from "../../operations/countTokens.ts"
import type { GenerateContentInput } from "../../operations/generateContent.ts"
import type { GenerateContentStreamInput } from "../../operations/generateContentStream.ts"
import type { MessagesInput } from "../../operations/messages.ts"
import type { MessagesStreamInput } from "../../operations/messagesStream.ts"
import type { ResponsesInput } from "../../operations/responses.ts"
import type { ResponsesStreamInput } from "../../operations/responsesStream.ts"

/** Calls of models that answer a conversation. */
export interface ConversationFunctions {
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
   * The input tokens of a message before it is sent, in the Anthropic style. Free of charge.
   *
   * @example
   * const { input_tokens } = await client.countTokens({
   *   model: "sandbox",
   *   messages: [{ role: "user", content: "Why do rivers bend?" }]
   * })
   */
  readonly countTokens: (input: CountTokensInput, options?: PromiseCallOptions) => CallPromise<CountTokensResult>

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
   * Answers a conversation, in the style of OpenAI's Responses. `responsesStream` streams the answer.
   *
   * @example
   * const { output } = await client.responses({ model: "sandbox", input: "Why do rivers bend?" })
   */
  readonly responses: (input: ResponsesInput, options?: PromiseCallOptions) => CallPromise<ResponsesResult>

  /**
   * Answers a conversation, in the style of OpenAI's Responses, as a stream of events. `textOf` reads the text of an event.
   *
   * @example
   * const events = client.responsesStream({ model: "sandbox", input: "Why do rivers bend?" })
   * for await (const event of events) console.log(event)
   */
  readonly responsesStream: (input: ResponsesStreamInput, options?: PromiseStreamOptions) => EventStream<ResponsesEvent>
}
