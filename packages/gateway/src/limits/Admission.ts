import type { RateLimits } from "@tollgate/contract/RateLimits"
import * as Effect from "effect/Effect"
import type { Priced } from "../exchange/Exchange.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"

/** An admitted request. It is counted, and holds a lease if the operation needs one. */
export interface Admission {
  /** Sent to the caller as headers. */
  readonly limits: RateLimits
  /** Takes the tokens that the call is estimated to use, or refuses with 429. Its price says how many. */
  readonly takeTokens: (exchange: Priced) => Effect.Effect<void, Refused>
  /**
   * Releases the lease and replaces the estimated tokens by those used; `undefined` keeps the estimate. Further calls do
   * nothing.
   */
  readonly end: (tokens: number | undefined) => Effect.Effect<void>
}

export const unlimited: Admission = { limits: {}, takeTokens: () => Effect.void, end: () => Effect.void }
