import * as RateLimits from "@tollgate/contract/RateLimits"
import * as Effect from "effect/Effect"
import type { Principal } from "../credential/Keys.ts"
import type { Authenticated, Decoded } from "../Exchange.ts"
import { Prices } from "../Prices.ts"
import { refuse, type Refused } from "../Refused.ts"
import { type Admission, unlimited } from "./Admission.ts"
import { type Demand, demandOf, requestOnly, UpstreamRpm } from "./Demand.ts"
import type { Exceeded } from "./KeyLimits.ts"
import { LimitsByKey } from "./LimitsByKey.ts"

const refusal = ({ limit, wait }: Exceeded, headers: RateLimits.RateLimits): Refused =>
  refuse("rate_limit_exceeded", `The key's limit of ${limit} is reached.`, {
    headers: RateLimits.encode(headers),
    ...(wait === Infinity ? {} : { retryAfter: wait })
  })

/** Limits in the memory of this process. */
export const make = Effect.gen(function* () {
  const prices = yield* Prices
  const upstreamRpm = yield* UpstreamRpm
  const limitsByKey = new LimitsByKey()

  const admitAs = (principal: Principal, demand: Demand): Effect.Effect<Admission, Refused> =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const limits = limitsByKey.refilled(principal, now)
      const exceeded = limits.exceeded(demand, principal.allowance, now)
      if (exceeded !== undefined) return Effect.fail(refusal(exceeded, limits.headers(demand, now)))
      const acquired = limits.acquire(demand, now)
      let ended = false
      return Effect.succeed({
        limits: limits.headers(demand, now),
        end: (tokens) =>
          Effect.clockWith((clock) => {
            if (ended) return Effect.void
            ended = true
            const now = clock.currentTimeMillisUnsafe()
            limitsByKey.of(principal, now).release(acquired, tokens, now)
            return Effect.void
          })
      })
    })

  return {
    admit: (exchange: Decoded) =>
      exchange.principal === undefined
        ? Effect.succeed(unlimited)
        : admitAs(exchange.principal, demandOf(exchange, prices, upstreamRpm)),
    count: ({ principal }: Authenticated) =>
      principal === undefined ? Effect.succeed({}) : Effect.map(admitAs(principal, requestOnly), ({ limits }) => limits)
  }
})
