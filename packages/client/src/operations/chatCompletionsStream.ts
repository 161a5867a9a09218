import type { Input } from "@tollgate/contract/Operation"
import { chatCompletions as operation } from "@tollgate/contract/operations/chatCompletions"
import type { ChatCompletionChunk } from "@tollgate/contract/protocols/openai"
import type * as Stream from "effect/Stream"
import type { StreamOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { Listed } from "../errors.ts"
import { openai } from "../stream/Protocol.ts"
import { type StreamError, streaming } from "../stream/streaming.ts"

export interface ChatCompletionsStreamInput extends Input<typeof operation> {
  readonly stream?: true
}
export type ChatCompletionsStreamError = Listed<StreamError<typeof operation>>

/**
 * Answers a conversation, in the OpenAI style, as a stream of events. `textOf` reads the text of an event.
 *
 * @example
 * yield* Stream.runForEach(chatCompletionsStream({
 *   model: "sandbox",
 *   messages: [{ role: "user", content: "Why do rivers bend?" }]
 * }), (event) =>
 *   Effect.log(textOf(event))
 * )
 */
export const chatCompletionsStream: (
  input: ChatCompletionsStreamInput,
  options?: StreamOptions
) => Stream.Stream<ChatCompletionChunk, ChatCompletionsStreamError, Client> = /* @__PURE__ */ streaming(
  operation,
  openai
)
