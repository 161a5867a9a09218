import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** Concurrent callers share one run. Interrupting a caller does not interrupt the run. */
export const singleFlight = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let running: Deferred.Deferred<A, E> | undefined
  return Effect.uninterruptibleMask((restore) => {
    if (running !== undefined) return restore(Deferred.await(running))
    const result = Deferred.makeUnsafe<A, E>()
    running = result
    const run = Effect.onExit(effect, (exit) => {
      running = undefined
      return Deferred.done(result, exit)
    })
    return Effect.andThen(Effect.forkDetach(run, { startImmediately: true }), restore(Deferred.await(result)))
  })
}
