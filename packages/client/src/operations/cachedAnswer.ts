import type { Input } from "@tollgate/contract/Operation"
import { cachedAnswer as operation } from "@tollgate/contract/operations/cachedAnswer"
import type { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface CachedAnswerInput extends Input<typeof operation> {
  /** The last part of `cache_url`. */
  readonly id: string
}

export type CachedAnswerError = Listed<CallError<typeof operation>>

/**
 * An earlier answer, read again at no charge.
 *
 * @example
 * const { data } = yield* cachedAnswer({ id })
 */
export const cachedAnswer: (
  input: CachedAnswerInput,
  options?: CallOptions
) => Effect.Effect<ResellerEnvelope, CachedAnswerError, Client> = /* @__PURE__ */ call(operation)
