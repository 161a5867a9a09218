import * as RateLimits from "@tollgate/contract/RateLimits"
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Principal } from "../credential/Keys.ts"
import type { Authenticated, Priced, Routed } from "../Exchange.ts"
import { refuse, type Refused } from "../Refused.ts"
import { type Admission, unlimited } from "./Admission.ts"
import { type Demand, demandOf, requestOnly, tokensOf, UpstreamRpm } from "./Demand.ts"
import type { Exceeded } from "./KeyLimits.ts"
import { LimitsByKey } from "./LimitsByKey.ts"

const refusal = ({ kind = "requests", limit, wait }: Exceeded, headers: RateLimits.RateLimits): Refused =>
  refuse(
    "rate_limit_exceeded",
    `The key's limit of ${limit} is reached; ${wait === Infinity ? "the operator can raise it" : "slow down"}.`,
    {
      headers: RateLimits.encode(headers),
      limit: kind,
      ...(wait === Infinity ? {} : { retryAfter: wait })
    }
  )

/** Limits in the memory of this process. */
export const make = Effect.gen(function* () {
  const upstreamRpm = yield* UpstreamRpm
  const clock = yield* Clock
  const limitsByKey = new LimitsByKey()

  // Decides when it is called, which is when its effect is run: a step of its own would cost every call.
  const admitAs = (principal: Principal, demand: Demand): Effect.Effect<Admission, Refused> => {
    const now = clock.currentTimeMillisUnsafe()
    const limits = limitsByKey.refilled(principal, now)
    const exceeded = limits.exceeded(demand, principal.allowance, now)
    if (exceeded !== undefined) return Effect.fail(refusal(exceeded, limits.headers(demand, now)))
    const lease = limits.acquire(demand, now)
    let taken: number | undefined
    let ended = false
    const admission = {
      limits: limits.headers(demand, now),
      takeTokens: (exchange: Priced) => {
        const tokens = tokensOf(exchange)
        if (tokens === undefined) return Effect.void
        const now = clock.currentTimeMillisUnsafe()
        const limits = limitsByKey.refilled(principal, now)
        const exceeded = limits.exceededTokens(tokens, demand, now)
        if (exceeded === undefined) taken = limits.takeTokens(tokens)
        admission.limits = limits.headers(demand, now)
        return exceeded === undefined ? Effect.void : Effect.fail(refusal(exceeded, admission.limits))
      },
      end: (used: number | undefined) =>
        Effect.sync(() => {
          if (ended) return
          ended = true
          const now = clock.currentTimeMillisUnsafe()
          const limits = limitsByKey.of(principal, now)
          if (lease !== undefined) limits.release(lease)
          if (taken !== undefined && used !== undefined) limits.correctTokens(taken, used, now)
        })
    }
    return Effect.succeed(admission)
  }

  return {
    admit: (exchange: Routed) =>
      exchange.principal === undefined
        ? Effect.succeed(unlimited)
        : admitAs(exchange.principal, demandOf(exchange, upstreamRpm)),
    count: ({ principal }: Authenticated) =>
      principal === undefined
        ? Effect.succeed({})
        : Effect.map(admitAs(principal, requestOnly), ({ limits }) => limits),
    state: (principal: Principal) =>
      Effect.sync(() => {
        const now = clock.currentTimeMillisUnsafe()
        return limitsByKey.refilled(principal, now).state(principal.allowance, now)
      })
  }
})
