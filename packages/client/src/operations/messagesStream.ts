import type { Input } from "@tollgate/contract/Operation"
import { messages as operation } from "@tollgate/contract/operations/messages"
import type { MessageStreamEvent } from "@tollgate/contract/protocols/anthropicEvents"
import type * as Stream from "effect/Stream"
import type { StreamOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { Listed } from "../errors.ts"
import { anthropic } from "../stream/Protocol.ts"
import { type StreamError, streaming } from "../stream/streaming.ts"

export interface MessagesStreamInput extends Input<typeof operation> {
  readonly stream?: true
}
export type MessagesStreamError = Listed<StreamError<typeof operation>>

/**
 * Answers a conversation, in the Anthropic style, as a stream of events. `textOf` reads the text of an event.
 *
 * @example
 * yield* Stream.runForEach(messagesStream({
 *   model: "sandbox",
 *   max_tokens: 256,
 *   messages: [{ role: "user", content: "Why do rivers bend?" }]
 * }), (event) =>
 *   Effect.log(textOf(event))
 * )
 */
export const messagesStream: (
  input: MessagesStreamInput,
  options?: StreamOptions
) => Stream.Stream<MessageStreamEvent, MessagesStreamError, Client> = /* @__PURE__ */ streaming(operation, anthropic)
