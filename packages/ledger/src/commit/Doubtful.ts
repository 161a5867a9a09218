import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { SqlError } from "effect/sql/SqlError"
import type { Command } from "../ledger/Command.ts"
import type { Reservation } from "../ledger/Reservation.ts"
import * as WriteFailure from "./WriteFailure.ts"

/** Beyond it, the sweeper ends them later. */
const maxWaiting = 10_000

/**
 * Ends reservations whose commit failed. If only its reply was lost, the reservation stands and nobody would end it; if
 * nothing was written, ending it changes nothing.
 */
export const make = Effect.fnUntraced(function* (submit: (command: Command) => Effect.Effect<unknown, SqlError>) {
  const waiting = yield* Queue.dropping<Reservation>(maxWaiting)
  const end = (reservation: Reservation) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => submit({ kind: "refuse", now, reservation })).pipe(
      Effect.retry(WriteFailure.retry),
      Effect.ignore
    )
  yield* Queue.takeAll(waiting).pipe(
    Effect.flatMap(Effect.forEach(end, { concurrency: "unbounded", discard: true })),
    Effect.forever,
    Effect.forkScoped
  )
  return (reservation: Reservation): void => void Queue.offerUnsafe(waiting, reservation)
})
