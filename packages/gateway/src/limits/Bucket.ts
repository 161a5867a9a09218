/** What one unit counts. One millisecond gives back exactly `limit` of these, so every level is a whole number. */
const perUnit = 60_000

/** However wrong an upstream's count of tokens is, it shuts nobody out for longer. */
const longestDebtMillis = 3_600_000

/** A token bucket (GCRA): holds the limit of one minute and fills up again within one. */
export class Bucket {
  #limit: number
  #at: number
  #used = 0

  constructor(limit: number, now: number) {
    this.#limit = limit
    this.#at = now
  }

  /** Brings the bucket to this moment. Under another limit, what was used stays used, up to a whole bucket. */
  turn(limit: number, now: number): void {
    // A clock that was set back gives nothing and takes nothing.
    this.#used = Math.max(0, this.#used - this.#limit * Math.max(0, now - this.#at))
    this.#at = now
    if (limit < this.#limit) this.#used = Math.min(this.#used, limit * perUnit)
    this.#limit = limit
  }

  /** Milliseconds until this many can be taken. */
  wait(units: number): number {
    if (this.#limit <= 0) return Infinity
    const excess = this.#used + (this.#atMost(units) - this.#limit) * perUnit
    return excess <= 0 ? 0 : Math.ceil(excess / this.#limit)
  }

  /** Says how many it took: of more than the bucket holds, all that it holds. */
  take(units: number): number {
    const taken = this.#atMost(units)
    this.#used += taken * perUnit
    return taken
  }

  /** Takes afterwards what was used on top, or gives back what was not. */
  correct(units: number, now: number): void {
    this.turn(this.#limit, now)
    this.#used = Math.min(Math.max(0, this.#used + units * perUnit), this.#limit * longestDebtMillis)
  }

  get limit(): number {
    return this.#limit
  }

  get remaining(): number {
    return Math.max(0, Math.floor(this.#limit - this.#used / perUnit))
  }

  /** Unix seconds. */
  get fullAt(): number {
    return Math.ceil((this.#at + (this.#used === 0 ? 0 : this.#used / this.#limit)) / 1000)
  }

  isFull(now: number): boolean {
    return this.#used <= this.#limit * (now - this.#at)
  }

  #atMost(units: number): number {
    return Math.min(units, this.#limit)
  }
}
