import type { Principal } from "../credential/Keys.ts"
import { KeyUse } from "./KeyUse.ts"

/** Those that are looked at for each request: more than can come with it, so that idle ones go faster than others come. */
const lookedAt = 2

/** Every key that has used some of its limits, a rotated one together with its successor. Those that are idle are dropped, a few with each request. */
export class KeyUses {
  readonly #uses = new Map<string, KeyUse>()
  #next = this.#uses.entries()

  /** Brought to this moment, under the allowance of this moment. */
  turned(principal: Principal, now: number): KeyUse {
    this.#dropIdle(now)
    const use = this.of(principal, now)
    use.turn(principal.allowance, now)
    return use
  }

  /** As it was left, whatever the allowance was then. */
  of({ account, allowance, key, rootKey }: Principal, now: number): KeyUse {
    const id = rootKey ?? key ?? account
    const known = this.#uses.get(id)
    if (known !== undefined) return known
    const use = new KeyUse(allowance, now)
    this.#uses.set(id, use)
    return use
  }

  get size(): number {
    return this.#uses.size
  }

  #dropIdle(now: number): void {
    for (let i = 0; i < lookedAt; i++) {
      const { done, value } = this.#next.next()
      if (done) this.#next = this.#uses.entries()
      else if (value[1].isIdle(now)) this.#uses.delete(value[0])
    }
  }
}
