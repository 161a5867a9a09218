import * as RateLimits from "@tollgate/contract/RateLimits"
import * as Effect from "effect/Effect"
import type * as Cause from "effect/Cause"
import type { Authenticated, Decoded } from "../Exchange.ts"
import type { Admission } from "../limits/Admission.ts"
import type { Limits } from "../Limits.ts"
import { Refused } from "../Refused.ts"
import { provenStatus } from "./10-upstream.ts"

export const limits =
  (limits: Limits["Service"]) =>
  (exchange: Decoded): Effect.Effect<Admission, Refused> =>
    limits.admit(exchange)

/** A request that does not fit is refused as what it is, or with 429 where it is one too many. */
export const counted =
  (limits: Limits["Service"]) =>
  (exchange: Authenticated) =>
  ({ headers, refusal }: Refused): Effect.Effect<never, Refused> =>
    Effect.flatMap(limits.count(exchange), (state) =>
      Effect.fail(new Refused({ refusal, headers: { ...headers, ...RateLimits.encode(state) } }))
    )

/** None, on proof that nothing ran; otherwise not known. */
export const provenTokens = (cause: Cause.Cause<Refused>): number | undefined =>
  provenStatus(cause) === undefined ? undefined : 0
