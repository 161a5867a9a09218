import type { RateLimits } from "@tollgate/contract/RateLimits"
import type { Allowance } from "@tollgate/contract/Tier"
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { Priced } from "../exchange/Exchange.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { type Admission, refusal } from "./Admission.ts"
import { type Demand, KeyLimits, type Lease, limitedAs, type RateLimitState, tokensOf } from "./KeyLimits.ts"

/** Checked for idleness with each request. A request adds at most one key, so two are enough to keep up. */
const checkedPerRequest = 2

/** So few keys are kept, idle or not. */
const smallCount = 64

/** The limits of every key that is not idle, and of a few that are. A rotated key shares them with its successor. */
export class LimitsByKey {
  readonly #limits = new Map<string, KeyLimits>()
  #next = this.#limits.entries()

  refilled(id: string, allowance: Allowance, now: number): KeyLimits {
    if (this.#limits.size > smallCount) this.#dropIdle(now)
    const known = this.#limits.get(id)
    if (known === undefined) return this.#add(id, allowance, now)
    known.refill(allowance, now)
    return known
  }

  /** Not refilled, and under the allowance of the latest request. */
  of(id: string, allowance: Allowance, now: number): KeyLimits {
    return this.#limits.get(id) ?? this.#add(id, allowance, now)
  }

  #add(id: string, allowance: Allowance, now: number): KeyLimits {
    const limits = new KeyLimits(allowance, now)
    this.#limits.set(id, limits)
    return limits
  }

  get size(): number {
    return this.#limits.size
  }

  #dropIdle(now: number): void {
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
  const admitted = (principal: Principal, demand: Demand, told: RateLimits, lease?: Lease): Admission => {
    const { allowance } = principal
    const id = limitedAs(principal)
    let taken: number | undefined
    let ended = false
    const admission = {
      limits: told,
      takeTokens: (exchange: Priced) => {
        const tokens = tokensOf(exchange)
        if (tokens === undefined) return Effect.void
        const now = clock.currentTimeMillisUnsafe()
        const limits = limitsByKey.refilled(id, allowance, now)
        const exceeded = limits.exceededTokens(tokens, demand, now)
        if (exceeded === undefined) taken = limits.takeTokens(tokens)
        admission.limits = limits.headers(demand, now)
        return exceeded === undefined ? Effect.void : Effect.fail(refusal(exceeded, admission.limits))
      },
      end: (used: number | undefined) => {
        if (ended) return Effect.void
        ended = true
        const now = clock.currentTimeMillisUnsafe()
        const limits = limitsByKey.of(id, allowance, now)
        if (lease !== undefined) limits.release(lease)
        if (taken !== undefined && used !== undefined) limits.correctTokens(taken, used, now)
        if (taken !== undefined && used === 0) admission.limits = told
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
      const limits = limitsByKey.refilled(limitedAs(principal), principal.allowance, now)
      const exceeded = limits.exceeded(demand, principal.allowance, now)
      if (exceeded !== undefined) return Effect.fail(refusal(exceeded, limits.headers(demand, now)))
      const lease = limits.acquire(demand, now)
      return Effect.succeed(admitted(principal, demand, limits.headers(demand, now), lease))
    },

    state: (principal: Principal): Effect.Effect<RateLimitState> =>
      Effect.sync(() => {
        const now = clock.currentTimeMillisUnsafe()
        return limitsByKey.refilled(limitedAs(principal), principal.allowance, now).state(principal.allowance, now)
      })
  }
})
