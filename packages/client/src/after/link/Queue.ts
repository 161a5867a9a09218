import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Begun } from "./begin.ts"

/** The calls of one client that wait for a link. One at a time performs it; the others share its result. */
export interface Queue<E> {
  /** How many links have ended. */
  readonly ended: () => number
  /** The link shown to the user, while any call waits for it. The call that began it may have been interrupted. */
  readonly pending: () => Begun | undefined
  readonly show: (begun: Begun | undefined) => void
  /** Ends the link for all waiting calls. */
  readonly end: (exit: Exit.Exit<void, E>) => void
  /** Runs `turn`, or returns `undefined` if a link has ended since `seen`. All waiting calls share a failure. */
  readonly wait: <A, E2, R>(seen: number, turn: Effect.Effect<A, E2, R>) => Effect.Effect<A | undefined, E | E2, R>
}

export const make = <E>(): Queue<E> => {
  /** Ends with the turns of all calls that wait. */
  let turns: Effect.Effect<void> = Effect.void
  let ended = 0
  let last: Exit.Exit<void, E> = Exit.void
  let pending: Begun | undefined
  let waiting = 0
  return {
    ended: () => ended,
    pending: () => pending,
    show: (begun) => {
      pending = begun
    },
    end: (exit) => {
      ended++
      last = exit
      pending = undefined
    },
    wait: <A, E2, R>(seen: number, turn: Effect.Effect<A, E2, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => waiting++),
        () => {
          const before = turns
          const over = Deferred.makeUnsafe<void>()
          // The next call waits for those before too: this one may be interrupted while it waits.
          turns = Effect.andThen(before, Deferred.await(over))
          const mine = Effect.suspend((): Effect.Effect<A | undefined, E | E2, R> =>
            ended === seen ? turn : Effect.as(last, undefined)
          )
          return Effect.ensuring(Effect.andThen(before, mine), Deferred.succeed(over, undefined))
        },
        () =>
          Effect.sync(() => {
            waiting--
            if (waiting > 0) return
            pending = undefined
            turns = Effect.void
          })
      )
  }
}
