import type { Input } from "@tollgate/contract/Operation"
import { creatorInsights as operation } from "@tollgate/contract/operations/creatorInsights"
import type { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"
import { pending } from "../pending/pending.ts"

export interface CreatorInsightsInput extends Input<typeof operation> {
  /** How many to skip. */
  readonly offset?: number
  /** How many to return. */
  readonly page_size?: number
}

export type CreatorInsightsError = Listed<CallError<typeof operation>>

/**
 * Videos behind a creator search insight.
 *
 * @example
 * const { data } = yield* creatorInsights({ keyword: "rivers", page_size: 5 })
 */
export const creatorInsights: (
  input: CreatorInsightsInput,
  options?: CallOptions
) => Effect.Effect<ResellerEnvelope, CreatorInsightsError, Client> = /* @__PURE__ */ call(
  /* @__PURE__ */ pending(operation)
)
