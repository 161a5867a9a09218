import { oncePer as once } from "@tollgate/contract/oncePer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Makes a value once for each key. Who asks meanwhile waits for the same value, and it is given up only if all who asked have
 * left.
 */
export const oncePer = <K extends object, A>(make: (key: K) => Effect.Effect<A>) =>
  once((key: K) => Effect.runSync(Effect.cached(make(key))))

/**
 * Runs one effect at a time for each key. A caller that comes during a run waits for the result of that run. A run lives in
 * `scope` and continues if its callers are interrupted.
 */
export const singleFlight = <A, E>(scope: Scope.Scope) => {
  const running = new Map<string, Deferred.Deferred<A, E>>()
  return (key: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptibleMask((restore) => {
      const current = running.get(key)
      if (current !== undefined) return restore(Deferred.await(current))
      const result = Deferred.makeUnsafe<A, E>()
      running.set(key, result)
      const run = Effect.onExit(effect, (exit) => {
        running.delete(key)
        return Deferred.done(result, exit)
      })
      return Effect.andThen(Effect.forkIn(run, scope), restore(Deferred.await(result)))
    })
}
