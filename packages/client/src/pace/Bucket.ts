import { type Limit, unlimited } from "./Limit.ts"

/** What one unit counts, as the gateway counts it: one millisecond gives back exactly the limit of these. */
const perUnit = 60_000

/** By so much two requests may be closer to each other when they arrive than when they left. */
const slackMillis = 500

/** Of what headers say of a reset, no more is believed: clocks may differ. A 429 says how long it takes. */
const longestResetMillis = 120_000

/** Seconds are rounded, up on the one side and down on the other. */
const roundedMillis = 2_000

/** What an answer said, when the request to it left, and how much more was sent that it may not have counted. */
export interface Lesson {
  readonly limit: number
  readonly remaining: number | undefined
  readonly resetMillis: number | undefined
  readonly left: number
  readonly uncounted: number
}

/**
 * The gateway's token bucket, seen from here: it holds the limit of one minute and fills up again within one. What is given
 * back counts only after the slack, so that the gateway's own has room also for requests that were faster than others.
 */
export class Bucket implements Limit {
  /** What answers say, or else what is believed. */
  told = unlimited
  /** What the caller allows. */
  most = unlimited
  /** Nothing is let go before. */
  until = 0
  /** Units, of all time. */
  taken = 0
  answered = 0

  #limit = unlimited
  #used = 0
  /** The moment that `#used` is of: the slack before the present, or the last time that the bucket was full. */
  #at = 0

  wait(units: number, now: number, ahead = 0): number {
    this.#turn(now)
    if (this.#limit <= 0) return Infinity
    const over = this.#used + (Math.min(units, this.#limit) + ahead - this.#limit) * perUnit
    const filled = over <= 0 ? now : this.#at + slackMillis + Math.ceil(over / this.#limit)
    return Math.max(filled, this.until) - now
  }

  /** Of more than the bucket holds the rest is a debt: the gateway counts it when it is used. */
  take(units: number, now: number): void {
    this.#turn(now)
    if (this.#used === 0) this.#at = now
    this.#used += units * perUnit
    this.taken += units
  }

  /** Keeps what was reckoned within what the answer proves: at least so much is used, and at most. */
  learn({ left, limit, remaining, resetMillis, uncounted }: Lesson, now: number): void {
    const isFirst = Math.min(this.told, this.most) === unlimited
    this.told = limit
    this.#turn(now)
    // Under a limit of the caller's own, what the gateway has left is not the question.
    if (this.#limit < limit || remaining === undefined) return
    const spent = Math.max(0, limit - remaining) * perUnit
    const byReset = resetMillis === undefined ? spent : limit * Math.min(Math.max(0, resetMillis), longestResetMillis)
    // Where nothing remains, only the reset tells of a debt, and without it there may be one.
    const held = remaining === 0 ? byReset : Math.min(spent, byReset)
    const isOpen = remaining === 0 && resetMillis === undefined
    const least = Math.max(spent - limit * (now - left), resetMillis === undefined ? 0 : held - limit * roundedMillis)
    // These are of now, and `#used` is of `#at`.
    const since = limit * (now - this.#at)
    const most = held + uncounted * perUnit + since
    // What left before there was a limit has not been reckoned.
    if (isFirst) this.#used = most
    else this.#used = Math.max(least + since, isOpen ? this.#used : Math.min(this.#used, most))
  }

  #turn(now: number): void {
    // A clock that was set back.
    if (now < this.#at) {
      this.#at = now
      this.until = 0
    }
    const passed = Math.max(0, now - slackMillis - this.#at)
    this.#used = Math.max(0, this.#used - this.#limit * passed)
    this.#at += passed
    const limit = Math.min(this.told, this.most)
    // What was used stays used, up to a whole bucket.
    if (limit < this.#limit) this.#used = Math.min(this.#used, limit * perUnit)
    this.#limit = limit
  }
}
