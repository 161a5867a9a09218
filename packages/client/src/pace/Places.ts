import { type Limit, unlimited } from "./Limit.ts"

/** When another call ends is not known; looking once a second is cheap. */
const lookMillis = 1_000

/** A call that was left, or broke, is over there a little later than here. */
const lateMillis = 100

/** The places of calls under way. */
export class Places implements Limit {
  /** Of the tier that the key is believed to be in. */
  told = unlimited
  /** What the caller says, who knows it better than headers, which do not tell. */
  most = unlimited
  readonly #held = new Map<object, number>()

  wait(_units: number, now: number): number {
    if (this.#held.size < this.#limit) return 0
    for (const [by, until] of this.#held) if (until <= now) this.#held.delete(by)
    return this.#held.size < this.#limit ? 0 : Math.min(lookMillis, ...[...this.#held.values()].map((at) => at - now))
  }

  take(_units: number, _now: number, by: object): void {
    this.#held.set(by, Infinity)
  }

  /** `ended`: over there as well. */
  give(by: object, now: number, ended: boolean): void {
    if (ended || this.#limit === unlimited) this.#held.delete(by)
    else if (this.#held.has(by)) this.#held.set(by, now + lateMillis)
  }

  get #limit(): number {
    return this.most < unlimited ? this.most : this.told
  }
}
