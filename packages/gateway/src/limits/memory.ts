import type { RateLimits } from "@tollgate/contract/RateLimits"
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { Authenticated, Priced, Routed } from "../exchange/Exchange.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { type Admission, unlimited, refusal } from "./Admission.ts"
import {
  type Demand,
  demandOf,
  KeyLimits,
  type Lease,
  limitedAs,
  type RateLimitState,
  requestOnly,
  tokensOf,
  UpstreamRpm
} from "./KeyLimits.ts"

/** Checked for idleness with each request. A request adds at most one key, so two are enough to keep up. */
const checkedPerRequest = 2

/** So few keys are kept, idle or not. */
const smallCount = 64

/** The limits of every key that is not idle, and of a few that are. A rotated key shares them with its successor. */
export class LimitsByKey {
  readonly #limits = new Map<string, KeyLimits>()
  #next = this.#limits.entries()

  /** Refilled, and under the current allowance. */
  refilled(principal: Principal, now: number): KeyLimits {
    this.#dropIdle(now)
    const limits = this.of(principal, now)
    limits.refill(principal.allowance, now)
    return limits
  }

  /** Not refilled, and under the allowance of the latest request. */
  of(principal: Principal, now: number): KeyLimits {
    const id = limitedAs(principal)
    const known = this.#limits.get(id)
    if (known !== undefined) return known
    const limits = new KeyLimits(principal.allowance, now)
    this.#limits.set(id, limits)
    return limits
  }

  get size(): number {
    return this.#limits.size
  }

  #dropIdle(now: number): void {
    if (this.#limits.size <= smallCount) return
    for (let i = 0; i < checkedPerRequest; i++) {
      const { done, value } = this.#next.next()
      if (done) this.#next = this.#limits.entries()
      else if (value[1].isIdle(now)) this.#limits.delete(value[0])
    }
  }
}

/** Counts in the memory of this process. */
export const makeCounts = Effect.gen(function* () {
  const clock = yield* Clock
  const limitsByKey = new LimitsByKey()

  /** The rest of a request that is counted. */
  const admitted = (principal: Principal, demand: Demand, limits: RateLimits, lease?: Lease): Admission => {
    let taken: number | undefined
    let ended = false
    const admission = {
      limits,
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
      end: (used: number | undefined) => {
        if (ended) return Effect.void
        ended = true
        const now = clock.currentTimeMillisUnsafe()
        const limits = limitsByKey.of(principal, now)
        if (lease !== undefined) limits.release(lease)
        if (taken !== undefined && used !== undefined) limits.correctTokens(taken, used, now)
        return Effect.void
      }
    }
    return admission
  }

  return {
    admitted,

    // This and `end` act when they are called, which is when their effect is run: a step of its own would cost every call.
    admit: (principal: Principal, demand: Demand): Effect.Effect<Admission, Refused> => {
      const now = clock.currentTimeMillisUnsafe()
      const limits = limitsByKey.refilled(principal, now)
      const exceeded = limits.exceeded(demand, principal.allowance, now)
      if (exceeded !== undefined) return Effect.fail(refusal(exceeded, limits.headers(demand, now)))
      const lease = limits.acquire(demand, now)
      return Effect.succeed(admitted(principal, demand, limits.headers(demand, now), lease))
    },

    state: (principal: Principal): Effect.Effect<RateLimitState> =>
      Effect.sync(() => {
        const now = clock.currentTimeMillisUnsafe()
        return limitsByKey.refilled(principal, now).state(principal.allowance, now)
      })
  }
})

/** Limits in the memory of this process. */
export const make = Effect.gen(function* () {
  const upstreamRpm = yield* UpstreamRpm
  const counts = yield* makeCounts
  return {
    admit: (exchange: Routed) =>
      exchange.principal === undefined
        ? Effect.succeed(unlimited)
        : counts.admit(exchange.principal, demandOf(exchange, upstreamRpm)),
    count: ({ principal }: Authenticated) =>
      principal === undefined
        ? Effect.succeed({})
        : Effect.map(counts.admit(principal, requestOnly), ({ limits }) => limits),
    state: counts.state
  }
})
