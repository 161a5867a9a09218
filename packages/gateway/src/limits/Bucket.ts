import type { RateState } from "@tollgate/contract/account/LimitState"

/** Levels are counted in 1/60000 of a unit: one millisecond refills exactly `limit` of these, so levels stay integers. */
const perUnit = 60_000

/** A correction never blocks a key for longer, however wrong the upstream's token count is. */
const maxDebtMillis = 3_600_000

/** A token bucket (GCRA). It refills by its limit in a minute, and holds as much unless it has a capacity of its own. */
export class Bucket {
  readonly #ownCapacity: number | undefined
  #limit: number
  #capacity: number
  #at: number
  #used = 0

  constructor(limit: number, now: number, capacity?: number) {
    this.#limit = limit
    this.#at = now
    this.#ownCapacity = capacity
    this.#capacity = capacity ?? limit
  }

  /** A bucket of which this much is used, in 1/60000 of a unit. */
  static restore(limit: number, at: number, used: number): Bucket {
    const bucket = new Bucket(limit, at)
    bucket.#used = used
    return bucket
  }

  /** Refills up to `now` and applies the limit. What was used stays used, up to one full bucket of a lower limit. */
  refill(limit: number, now: number): void {
    // A clock that was set back refills nothing.
    this.#used = Math.max(0, this.#used - this.#limit * Math.max(0, now - this.#at))
    this.#at = now
    if (limit === this.#limit) return
    const isLower = limit < this.#limit
    this.#limit = limit
    this.#capacity = this.#ownCapacity ?? limit
    if (isLower) this.#used = Math.min(this.#used, this.#capacity * perUnit)
  }

  /** Milliseconds until this many units are available. */
  wait(units: number): number {
    if (this.#limit <= 0) return Infinity
    const excess = this.#used + (Math.min(units, this.#capacity) - this.#capacity) * perUnit
    return excess <= 0 ? 0 : Math.ceil(excess / this.#limit)
  }

  /** Takes the units, at most one full bucket. Returns how many it took. */
  take(units: number): number {
    const taken = Math.min(units, this.#capacity)
    this.#used += taken * perUnit
    return taken
  }

  /** Takes these units as well, or returns them if negative. */
  correct(units: number, now: number): void {
    this.refill(this.#limit, now)
    this.#used = Math.min(Math.max(0, this.#used + units * perUnit), this.#limit * maxDebtMillis)
  }

  get limit(): number {
    return this.#limit
  }

  get state(): RateState {
    const fullAt = this.#at + (this.#used === 0 ? 0 : this.#used / this.#limit)
    const remaining = Math.max(0, Math.floor(this.#capacity - this.#used / perUnit))
    return { limit: this.#limit, remaining, full_at: Math.ceil(fullAt) }
  }

  /** After a refill, which is not kept. */
  stateAt(now: number): RateState {
    const refilled = Bucket.restore(this.#limit, this.#at, this.#used)
    refilled.refill(this.#limit, now)
    return refilled.state
  }

  isFull(now: number): boolean {
    return this.#used <= this.#limit * (now - this.#at)
  }
}
