import type { RateLimits } from "@tollgate/contract/RateLimits"
import * as Effect from "effect/Effect"

/** A request that was let in. */
export interface Admission {
  /** Shown to the caller. */
  readonly limits: RateLimits
  /**
   * Gives the place back, and corrects what was reckoned by the tokens that were used; where that is not known, the
   * estimate stands. Only the first time counts.
   */
  readonly end: (tokens: number | undefined) => Effect.Effect<void>
}

export const unlimited: Admission = { limits: {}, end: () => Effect.void }
