import type { RateLimits } from "@tollgate/contract/RateLimits"
import type * as Effect from "effect/Effect"
import type { Routed } from "../Exchange.ts"
import { Limits } from "../Limits.ts"
import type { Refused } from "../Refused.ts"

export const limits = (exchange: Routed): Effect.Effect<RateLimits, Refused, Limits> =>
  Limits.use((limits) => limits.admit(exchange))
