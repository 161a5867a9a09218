import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SqlError } from "effect/sql/SqlError"
import { describeSqlError } from "../store/rows.ts"
import * as Clock from "effect/Clock"
import * as Queue from "effect/Queue"
import type { Command } from "../ledger/Command.ts"
import type { Reservation } from "../ledger/Reservation.ts"

export const log = (error: SqlError) => Effect.logError("ledger write failed", describeSqlError(error))

/** Retries until the write succeeds, after pauses that grow to two seconds. */
export const retry = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])

/** Failures come by the thousand when the store is gone. */
const leastMillis = 1_000

/** Logs one failed write a second at most, and one line each when the store is gone and when it is back. */
export const makeFailureLog = Effect.fnUntraced(function* (canBeGone: boolean) {
  const clock = yield* Clock.Clock
  let loggedAt = -leastMillis
  let isGone = false

  const failed = (error: SqlError): Effect.Effect<void> =>
    Effect.suspend(() => {
      const isLost = canBeGone && error.reason._tag === "ConnectionError"
      const now = clock.currentTimeMillisUnsafe()
      if ((isLost && isGone) || Math.abs(now - loggedAt) < leastMillis) return Effect.void
      loggedAt = now
      if (!isLost) return log(error)
      isGone = true
      return Effect.logError("the store cannot be reached; calls that cost something are refused until it is back")
    })

  const succeeded: Effect.Effect<void> = Effect.suspend(() => {
    if (!isGone) return Effect.void
    isGone = false
    return Effect.logWarning("the store is back")
  })

  return { failed, succeeded }
})

/** Beyond it, the sweeper ends them later. */
const maxWaiting = 10_000

/**
 * Ends reservations whose commit failed. If only its reply was lost, the reservation stands and nobody would end it; if
 * nothing was written, ending it changes nothing.
 */
export const makeEndDoubtful = Effect.fnUntraced(function* (
  submit: (command: Command) => Effect.Effect<unknown, SqlError>
) {
  const waiting = yield* Queue.dropping<Reservation>(maxWaiting)
  const end = (reservation: Reservation) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => submit({ kind: "refuse", now, reservation })).pipe(
      Effect.retry(retry),
      Effect.ignore
    )
  yield* Queue.takeAll(waiting).pipe(
    Effect.flatMap(Effect.forEach(end, { concurrency: "unbounded", discard: true })),
    Effect.forever,
    Effect.forkScoped
  )
  return (reservation: Reservation): void => void Queue.offerUnsafe(waiting, reservation)
})
