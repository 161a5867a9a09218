import type { Principal } from "../books/credential/Keys.ts"
import { limitedAs } from "./limitedAs.ts"
import { KeyLimits } from "./KeyLimits.ts"

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
