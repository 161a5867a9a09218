import type { Input } from "@tollgate/contract/Operation"
import { messages as operation } from "@tollgate/contract/operations/messages"
import type { Message } from "@tollgate/contract/protocols/anthropic"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface MessagesInput extends Input<typeof operation> {
  /** `messagesStream` streams. */
  readonly stream?: false
}
export type MessagesError = Listed<CallError<typeof operation>>

/**
 * Answers a conversation, in the Anthropic style. `messagesStream` streams the answer.
 *
 * @example
 * const { content } = yield* messages({
 *   model: "sandbox",
 *   max_tokens: 256,
 *   messages: [{ role: "user", content: "Why do rivers bend?" }]
 * })
 */
export const messages: (input: MessagesInput, options?: CallOptions) => Effect.Effect<Message, MessagesError, Client> =
  /* @__PURE__ */ call(operation, "messagesStream")
