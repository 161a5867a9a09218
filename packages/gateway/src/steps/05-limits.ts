import type * as Effect from "effect/Effect"
import type { Decoded } from "../Exchange.ts"
import type { Admission, Limits } from "../Limits.ts"
import type { Refused } from "../Refused.ts"

export const limits =
  (limits: Limits["Service"]) =>
  (exchange: Decoded): Effect.Effect<Admission, Refused> =>
    limits.admit(exchange)
