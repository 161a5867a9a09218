import type { Input, Success } from "@tollgate/contract/Operation"
import { countTokens as operation } from "@tollgate/contract/operations/countTokens"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface CountTokensInput extends Input<typeof operation> {}
export interface CountTokensResult extends Success<typeof operation> {}
export type CountTokensError = Listed<CallError<typeof operation>>

/**
 * The input tokens of a message before it is sent, in the Anthropic style. Free of charge.
 *
 * @example
 * const { input_tokens } = yield* countTokens({
 *   model: "sandbox",
 *   messages: [{ role: "user", content: "Why do rivers bend?" }]
 * })
 */
export const countTokens: (
  input: CountTokensInput,
  options?: CallOptions
) => Effect.Effect<CountTokensResult, CountTokensError, Client> = /* @__PURE__ */ call(operation)
