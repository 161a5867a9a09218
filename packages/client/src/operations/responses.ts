import type { Input } from "@tollgate/contract/Operation"
import { responses as operation } from "@tollgate/contract/operations/responses"
import type { ResponsesResult } from "@tollgate/contract/protocols/openaiResponses"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface ResponsesInput extends Input<typeof operation> {
  /** `responsesStream` streams. */
  readonly stream?: false | null
}
export type ResponsesError = Listed<CallError<typeof operation>>

/**
 * Answers a conversation, in the style of OpenAI's Responses. `responsesStream` streams the answer.
 *
 * @example
 * const { output } = yield* responses({ model: "sandbox", input: "Why do rivers bend?" })
 */
export const responses: (
  input: ResponsesInput,
  options?: CallOptions
) => Effect.Effect<ResponsesResult, ResponsesError, Client> = /* @__PURE__ */ call(operation, "responsesStream")
