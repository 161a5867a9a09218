import * as Effect from "effect/Effect"

/** Reads until a state is reached. The time limit of the test bounds it. */
export const until = <A, E, R>(
  read: Effect.Effect<A, E, R>,
  isReached: (found: A) => boolean
): Effect.Effect<A, E, R> =>
  Effect.flatMap(read, (found) =>
    isReached(found) ? Effect.succeed(found) : Effect.andThen(Effect.sleep("10 millis"), until(read, isReached))
  )
