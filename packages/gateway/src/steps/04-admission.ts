import * as RateLimits from "@tollgate/contract/RateLimits"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Authenticated, Decoded } from "../Exchange.ts"
import type { Admission } from "../limits/Admission.ts"
import type { Limits } from "../Limits.ts"
import { notExecutedStatus, Refused } from "../Refused.ts"

/** Admits the request, or refuses it with 429. */
export const admit =
  (limits: Limits["Service"]) =>
  (exchange: Decoded): Effect.Effect<Admission, Refused> =>
    limits.admit(exchange)

/** A request that was refused before admission counts towards its key's requests per minute all the same. */
export const countRefused =
  (limits: Limits["Service"]) =>
  (exchange: Authenticated) =>
  ({ headers, refusal }: Refused): Effect.Effect<never, Refused> =>
    Effect.flatMap(limits.count(exchange), (state) =>
      Effect.fail(new Refused({ refusal, headers: { ...headers, ...RateLimits.encode(state) } }))
    )

/** The tokens that a call which failed has used: none if nothing was executed, otherwise not known. */
export const tokensOfFailure = (cause: Cause.Cause<Refused>): number | undefined =>
  notExecutedStatus(cause) === undefined ? undefined : 0
