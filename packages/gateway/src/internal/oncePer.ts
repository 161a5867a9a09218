import * as Effect from "effect/Effect"

/**
 * Makes a value once for each key. Who asks meanwhile waits for the same value, and it is given up only if all who asked have
 * left.
 */
export const oncePer = <K extends object, A>(make: (key: K) => Effect.Effect<A>) => {
  const known = new WeakMap<K, Effect.Effect<A>>()
  return (key: K): Effect.Effect<A> => {
    const made = known.get(key) ?? Effect.runSync(Effect.cached(make(key)))
    known.set(key, made)
    return made
  }
}
