import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** Decisions that are being made, one at a time for each request for access. */
export class Decisions<A, E> {
  readonly #running = new Map<string, Deferred.Deferred<A, E>>()

  /** Makes the decision, or waits for the result of the one that is being made. */
  join<R>(uid: string, decide: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const running = this.#running.get(uid)
      if (running !== undefined) return Deferred.await(running)
      const result = Deferred.makeUnsafe<A, E>()
      this.#running.set(uid, result)
      return Effect.onExit(decide, (exit) => {
        this.#running.delete(uid)
        return Deferred.done(result, exit)
      })
    })
  }
}
