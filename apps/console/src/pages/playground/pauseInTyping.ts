import * as Effect from "effect/Effect"

/** Waits until nobody has typed for a moment: `useLoad` interrupts it when there is another effect. */
export const pauseInTyping = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.delay(effect, "350 millis")
