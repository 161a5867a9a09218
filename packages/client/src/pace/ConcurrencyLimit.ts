import { type Limit, unlimited } from "./Bucket.ts"
import { heldMillis, isPolled } from "./Permit.ts"

/** It is not known when another call ends; checking once a second is cheap. */
export const lookMillis = 1_000

/** An aborted or broken call ends at the gateway a little later than here. */
const lateMillis = 100

export class ConcurrencyLimit implements Limit {
  /** The limit of the assumed tier. */
  reported = unlimited
  /** The limit that the caller set. Headers do not report one. */
  maximum = unlimited
  /** The limit until another is known. */
  guess: number
  readonly #held = new Map<object, number>()

  constructor(guess: number) {
    this.guess = guess
  }

  wait(_units: number, now: number): number {
    if (this.#held.size < this.#limit) return 0
    for (const [by, until] of this.#held) if (until <= now) this.#held.delete(by)
    return this.#held.size < this.#limit ? 0 : Math.min(lookMillis, ...[...this.#held.values()].map((at) => at - now))
  }

  take(_units: number, now: number, by: object): void {
    this.#held.set(by, isPolled ? now + heldMillis : Infinity)
  }

  /** `ended`: the call has ended for the gateway as well. */
  give(by: object, now: number, ended: boolean): void {
    if (ended || this.#limit === unlimited) this.#held.delete(by)
    else if (this.#held.has(by)) this.#held.set(by, now + lateMillis)
  }

  get #limit(): number {
    const { guess, maximum, reported } = this
    return maximum < unlimited ? maximum : reported < unlimited ? reported : guess
  }
}
