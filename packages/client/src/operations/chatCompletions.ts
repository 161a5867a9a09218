import type { Input } from "@tollgate/contract/Operation"
import { chatCompletions as operation } from "@tollgate/contract/operations/chatCompletions"
import type { ChatCompletion } from "@tollgate/contract/protocols/openai"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface ChatCompletionsInput extends Input<typeof operation> {
  /** `chatCompletionsStream` streams. */
  readonly stream?: false | null
}
export type ChatCompletionsError = Listed<CallError<typeof operation>>

/**
 * Answers a conversation, in the OpenAI style. `chatCompletionsStream` streams the answer.
 *
 * @example
 * const { choices } = yield* chatCompletions({
 *   model: "sandbox",
 *   messages: [{ role: "user", content: "Why do rivers bend?" }]
 * })
 */
export const chatCompletions: (
  input: ChatCompletionsInput,
  options?: CallOptions
) => Effect.Effect<ChatCompletion, ChatCompletionsError, Client> = /* @__PURE__ */ call(
  operation,
  "chatCompletionsStream"
)
