import type { RateLimits } from "@tollgate/contract/RateLimits"
import type * as Effect from "effect/Effect"
import type { Routed } from "../Exchange.ts"
import type { Limits } from "../Limits.ts"
import type { Refused } from "../Refused.ts"

export const limits =
  (limits: Limits["Service"]) =>
  (exchange: Routed): Effect.Effect<RateLimits, Refused> =>
    limits.admit(exchange)
