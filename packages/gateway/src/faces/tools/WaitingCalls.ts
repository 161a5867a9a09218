import * as Effect from "effect/Effect"

const mostPerGrant = 20
const mostInAll = 1_000

/** The calls that wait for a person. Each holds a connection, so there are at most so many. */
export class WaitingCalls {
  readonly #byGrant = new Map<string, number>()
  #all = 0

  /** Runs `wait` if the grant has not too many that wait, else `instead`. */
  hold<A>(grant: string, wait: Effect.Effect<A>, instead: Effect.Effect<A>): Effect.Effect<A> {
    return Effect.suspend(() => {
      const own = this.#byGrant.get(grant) ?? 0
      if (own >= mostPerGrant || this.#all >= mostInAll) return instead
      this.#byGrant.set(grant, own + 1)
      this.#all++
      return Effect.ensuring(
        wait,
        Effect.sync(() => {
          this.#all--
          const left = (this.#byGrant.get(grant) ?? 1) - 1
          if (left === 0) this.#byGrant.delete(grant)
          else this.#byGrant.set(grant, left)
        })
      )
    })
  }
}
