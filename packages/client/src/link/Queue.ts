import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
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
  const semaphore = Semaphore.makeUnsafe(1)
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
        () =>
          semaphore.withPermit(
            Effect.suspend((): Effect.Effect<A | undefined, E | E2, R> =>
              ended === seen ? turn : Effect.as(last, undefined)
            )
          ),
        () =>
          Effect.sync(() => {
            waiting--
            if (waiting === 0) pending = undefined
          })
      )
  }
}
