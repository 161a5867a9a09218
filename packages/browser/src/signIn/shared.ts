import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** One run at a time: whoever asks meanwhile waits for the same. It goes on though they leave. */
export const shared = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let running: Deferred.Deferred<A, E> | undefined
  return Effect.uninterruptibleMask((restore) => {
    if (running !== undefined) return restore(Deferred.await(running))
    const made = Deferred.makeUnsafe<A, E>()
    running = made
    const run = Effect.onExit(effect, (exit) => {
      running = undefined
      return Deferred.done(made, exit)
    })
    return Effect.andThen(Effect.forkDetach(run, { startImmediately: true }), restore(Deferred.await(made)))
  })
}
