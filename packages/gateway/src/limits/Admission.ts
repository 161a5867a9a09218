import type { Exceeded } from "./KeyLimits.ts"
import { encode, type RateLimits } from "@tollgate/contract/RateLimits"
import * as Effect from "effect/Effect"
import type { Priced } from "../exchange/Exchange.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

/** An admitted request. It is counted, and holds a lease if the operation needs one. */
export interface Admission {
  /** Sent to the caller as headers. */
  readonly limits: RateLimits
  /** Takes the tokens that the call is estimated to use, or refuses with 429. Its price says how many. */
  readonly takeTokens: (exchange: Priced) => Effect.Effect<void, Refused>
  /**
   * Releases the lease and replaces the estimated tokens by those used; `undefined` keeps the estimate. Further calls do
   * nothing. It may do so when it is called.
   */
  readonly end: (tokens: number | undefined) => Effect.Effect<void>
}

export const unlimited: Admission = { limits: {}, takeTokens: () => Effect.void, end: () => Effect.void }

export const refusal = ({ kind = "requests", limit, wait }: Exceeded, headers: RateLimits): Refused =>
  refuse(
    "rate_limit_exceeded",
    `The key's limit of ${limit} is reached; ${wait === Infinity ? "the operator can raise it" : "slow down"}.`,
    {
      headers: encode(headers),
      limit: kind,
      ...(wait === Infinity ? {} : { retryAfter: wait })
    }
  )
