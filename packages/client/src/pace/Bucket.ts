/** Stands for a limit that is not known: more than anyone uses. */
export const unlimited = 1e9

/** A limit that calls draw from, first come first served. */
export interface Limit {
  /** Milliseconds until `units` can be taken, after `ahead` units of earlier calls. */
  readonly wait: (units: number, now: number, ahead?: number) => number
  readonly take: (units: number, now: number, by: object) => void
}

/** Scale of one unit, as in the gateway: with it, a limit per minute refills by exactly `limit` each millisecond. */
const perUnit = 60_000

/** Two requests may arrive this much closer together than they were sent. */
const slackMillis = 500

/** A later reset in a header is not trusted, since clocks may differ. A 429 states its own delay. */
const longestResetMillis = 120_000

/** Headers round to seconds, up on one side and down on the other. */
const roundedMillis = 2_000

/** The limits that an answer reports, when its request was sent, and how much has been sent that it may not count yet. */
export interface LimitReport {
  readonly limit: number
  readonly remaining: number | undefined
  readonly resetMillis: number | undefined
  readonly sentAt: number
  readonly uncounted: number
}

/**
 * The client's model of the gateway's token bucket, which holds one minute's limit and refills within a minute. Refills count
 * only after the slack, so that a request that overtakes another still fits the gateway's bucket.
 */
export class Bucket implements Limit {
  /** The limit from response headers, or else from the assumed tier. */
  reported = unlimited
  /** The limit that the caller set. */
  maximum = unlimited
  /** Nothing is sent before this time. */
  blockedUntil = 0
  /** Units taken, and those of calls that were answered and that ended, since the start. */
  taken = 0
  answered = 0
  ended = 0

  /** The limit until another is known. */
  guess: number
  #limit = unlimited
  #used = 0
  /** The time that `#used` refers to: now minus the slack, or the last time the bucket was full. */
  #at = 0

  constructor(guess = unlimited) {
    this.guess = guess
  }

  get limit(): number {
    const known = Math.min(this.reported, this.maximum)
    return known < unlimited ? known : this.guess
  }

  wait(units: number, now: number, ahead = 0): number {
    this.#refill(now)
    if (this.#limit <= 0) return Infinity
    const over = this.#used + (Math.min(units, this.#limit) + ahead - this.#limit) * perUnit
    const filled = over <= 0 ? now : this.#at + slackMillis + Math.ceil(over / this.#limit)
    return Math.max(filled, this.blockedUntil) - now
  }

  /** More than the bucket holds becomes a debt, as the gateway counts it when it is used. */
  take(units: number, now: number): void {
    this.#refill(now)
    if (this.#used === 0) this.#at = now
    this.#used += units * perUnit
    this.taken += units
  }

  /** A gateway that is down must not use up a guess. */
  unanswered(units: number): void {
    if (Math.min(this.reported, this.maximum) === unlimited) this.#used -= units * perUnit
  }

  /** Clamps the estimated use to the bounds that the answer proves. */
  learn({ sentAt, limit, remaining, resetMillis, uncounted }: LimitReport, now: number): void {
    const isFirst = Math.min(this.reported, this.maximum) === unlimited
    this.reported = limit
    this.#refill(now)
    // Below the caller's own limit, the gateway's remaining count does not matter.
    if (this.#limit < limit || remaining === undefined) return
    const spent = Math.max(0, limit - remaining) * perUnit
    const byReset = resetMillis === undefined ? spent : limit * Math.min(Math.max(0, resetMillis), longestResetMillis)
    // With nothing remaining, only the reset shows a debt; without one that is trusted there may be more.
    const held = remaining === 0 ? byReset : Math.min(spent, byReset)
    const isOpen = remaining === 0 && (resetMillis === undefined || resetMillis > longestResetMillis)
    const least = Math.max(spent - limit * (now - sentAt), resetMillis === undefined ? 0 : held - limit * roundedMillis)
    // These bounds hold now, and `#used` refers to `#at`.
    const since = limit * (now - this.#at)
    const most = held + uncounted * perUnit + since
    // Requests sent before the limit was known were not counted.
    if (isFirst) this.#used = most
    else this.#used = Math.max(least + since, isOpen ? this.#used : Math.min(this.#used, most))
  }

  #refill(now: number): void {
    // The clock was set back.
    if (now < this.#at) {
      this.#at = now
      this.blockedUntil = 0
    }
    const passed = Math.max(0, now - slackMillis - this.#at)
    this.#used = Math.max(0, this.#used - this.#limit * passed)
    this.#at += passed
    const { limit } = this
    // A lower limit keeps what was used, up to a full bucket.
    if (limit < this.#limit) this.#used = Math.min(this.#used, limit * perUnit)
    this.#limit = limit
  }
}
