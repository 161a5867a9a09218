import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * The path of a request is uninterruptible, so that whatever it takes is given back. This marks the waits during which a
 * caller who disconnects interrupts it. What is already done needs no mark.
 */
export const callerMayLeave = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Exit.isExit(effect) ? effect : Effect.interruptible(effect)
