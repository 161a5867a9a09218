import { micro } from "@tollgate/contract/Money"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type * as Rows from "../store/rows.ts"
import { amount, number, type Row, text } from "../store/rows.ts"
import type { Command } from "./Command.ts"
import { capIn, type Reservation, tagsIn } from "./Reservation.ts"

export interface SweepOptions {
  /** Whether no other gateway writes to this store: a call that is open at the start was then left by a crash. */
  readonly exclusive: boolean
  /** A call that is open for longer than this was left by a crash. */
  readonly openMillis: number
  /** How long a call stays unknown before it is written off. */
  readonly unknownMillis: number
  readonly everyMillis: number
}

export const Sweeping = Context.Reference<SweepOptions>("@tollgate/gateway/Sweeping", {
  defaultValue: () => ({
    exclusive: true,
    openMillis: 15 * 60_000,
    unknownMillis: 60 * 60_000,
    everyMillis: 30_000
  })
})

const reservationOf = (row: Row): Reservation => ({
  call: text(row, "id"),
  account: text(row, "account"),
  key: text(row, "key"),
  operation: text(row, "operation"),
  amount: micro(amount(row, "reserved")),
  ...capIn(row),
  ...tagsIn(row),
  createdAt: number(row, "created_at"),
  keepAnswer: false
})

// Exactly the condition of the partial index, or SQLite does not use it.
const unended = "state IN ('open', 'unknown')"

/** Ends calls that nobody else will end, and deletes what has expired. */
export const make = (
  rows: ReturnType<typeof Rows.make>,
  submit: (command: Command) => Effect.Effect<unknown, SqlError>,
  owner: string,
  options: SweepOptions
) => {
  const { mark } = rows

  const older = (state: "open" | "unknown", millis: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      rows.run(`SELECT * FROM calls WHERE ${unended} AND state = '${state}' AND created_at <= ${mark(1)} LIMIT 1000`, [
        now - millis
      ])
    )

  /** Answers without a claim: their calls were settled after the claim had expired. */
  const deleteOrphans = rows.run(
    "DELETE FROM answers WHERE NOT EXISTS (SELECT 1 FROM idempotency i WHERE i.call = answers.call)",
    []
  )

  /** A call that another owner left open may have run. Tasks are skipped: the watcher finds them. */
  const markLeftBehind = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const left = yield* rows.run(`SELECT * FROM calls WHERE ${unended} AND state = 'open' AND owner <> ${mark(1)}`, [
      owner
    ])
    const markUnknown = (row: Row) => submit({ kind: "mark_unknown", now, reservation: reservationOf(row) })
    yield* Effect.forEach(left, markUnknown, { concurrency: "unbounded", discard: true })
  })

  const sweep = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const row of yield* older("open", options.openMillis)) {
      yield* submit({ kind: "mark_unknown", now, reservation: reservationOf(row) })
    }
    for (const row of yield* older("unknown", options.unknownMillis)) {
      yield* submit({ kind: "write_off", now, reservation: reservationOf(row) })
    }
    // Through the index on `ends_at`: a scan of all answers would block every other statement.
    yield* rows.run(`DELETE FROM answers WHERE call IN (SELECT call FROM idempotency WHERE ends_at <= ${mark(1)})`, [
      now
    ])
    yield* rows.run(`DELETE FROM idempotency WHERE ends_at <= ${mark(1)}`, [now])
    yield* rows.run(`DELETE FROM tasks WHERE expires_at <= ${mark(1)}`, [now])
  })

  return { recover: options.exclusive ? Effect.andThen(markLeftBehind, deleteOrphans) : deleteOrphans, sweep }
}
