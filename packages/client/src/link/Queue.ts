import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { Begun } from "./begin.ts"

/** Those of one client that wait for a link. One at a time has the turn; the others learn how it ended. */
export interface Queue<E> {
  /** How many links have ended by now. */
  readonly ended: () => number
  /** The link that was shown to the user, while anybody waits for it. Whoever had the turn may have left. */
  readonly pending: () => Begun | undefined
  readonly show: (begun: Begun | undefined) => void
  /** Ends the link for all who wait. */
  readonly end: (exit: Exit.Exit<void, E>) => void
  /** `turn`, or nothing where a link has ended since `seen`; its failure is everybody's. */
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
