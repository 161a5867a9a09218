import type { RateLimits } from "@tollgate/contract/RateLimits"
import * as Effect from "effect/Effect"

/** An admitted request. */
export interface Admission {
  /** Sent to the caller as headers. */
  readonly limits: RateLimits
  /**
   * Releases the lease and replaces the estimated tokens by those used; `undefined` keeps the estimate. Further calls do
   * nothing.
   */
  readonly end: (tokens: number | undefined) => Effect.Effect<void>
}

export const unlimited: Admission = { limits: {}, end: () => Effect.void }
