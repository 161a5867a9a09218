import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * The path of a request is uninterruptible, so that it always releases what it acquired. A caller who disconnects interrupts
 * it only while this effect runs.
 */
export const callerMayDisconnect = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Exit.isExit(effect) ? effect : Effect.interruptible(effect)
