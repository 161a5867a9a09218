import * as RateLimits from "@tollgate/contract/RateLimits"
import * as Effect from "effect/Effect"
import type { Principal } from "../credential/Keys.ts"
import type { Authenticated, Decoded } from "../Exchange.ts"
import { Prices } from "../Prices.ts"
import { refuse, type Refused } from "../Refused.ts"
import { type Admission, unlimited } from "./Admission.ts"
import { bare, type Claim, claim, UpstreamRpm } from "./Claim.ts"
import type { Obstacle } from "./KeyUse.ts"
import { KeyUses } from "./KeyUses.ts"

const refusal = ({ limit, wait }: Obstacle, headers: RateLimits.RateLimits): Refused =>
  refuse("rate_limit_exceeded", `The key's limit of ${limit} is reached.`, {
    headers: RateLimits.encode(headers),
    ...(wait === Infinity ? {} : { retryAfter: wait })
  })

/** Limits of this process alone, which are forgotten when it ends. */
export const make = Effect.gen(function* () {
  const prices = yield* Prices
  const upstreamRpm = yield* UpstreamRpm
  const uses = new KeyUses()

  const admitAs = (principal: Principal, claim: Claim): Effect.Effect<Admission, Refused> =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const use = uses.turned(principal, now)
      const obstacle = use.obstacle(claim, principal.allowance, now)
      if (obstacle !== undefined) return Effect.fail(refusal(obstacle, use.headers(claim, now)))
      const taken = use.take(claim, now)
      let ended = false
      return Effect.succeed({
        limits: use.headers(claim, now),
        end: (tokens) =>
          Effect.clockWith((clock) => {
            if (ended) return Effect.void
            ended = true
            const now = clock.currentTimeMillisUnsafe()
            uses.of(principal, now).give(taken, tokens, now)
            return Effect.void
          })
      })
    })

  return {
    admit: (exchange: Decoded) =>
      exchange.principal === undefined
        ? Effect.succeed(unlimited)
        : admitAs(exchange.principal, claim(exchange, prices, upstreamRpm)),
    count: ({ principal }: Authenticated) =>
      principal === undefined ? Effect.succeed({}) : Effect.map(admitAs(principal, bare), ({ limits }) => limits)
  }
})
