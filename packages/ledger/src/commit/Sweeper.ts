import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fleet } from "../fleet/Fleet.ts"
import type * as Rows from "../store/rows.ts"
import type { Row } from "../store/rows.ts"
import type { Command } from "../ledger/Command.ts"
import { reservationIn } from "../ledger/callColumns.ts"

export interface SweepOptions {
  /** A call that is open for longer than this is given up as unknown. */
  readonly openMillis: number
  readonly everyMillis: number
}

export const Sweeping = Context.Reference<SweepOptions>("@tollgate/ledger/Sweeping", {
  defaultValue: () => ({
    openMillis: 60 * 60_000,
    everyMillis: 30_000
  })
})

/** The most calls that one statement takes over. */
const mostTaken = 1_000

/**
 * Ends calls that nobody else will end, and deletes what has expired. Among several gateways each sweeps its own calls and
 * those that it takes over from gateways that are gone.
 */
export const make = (
  rows: Rows.Rows,
  submit: (command: Command) => Effect.Effect<unknown, SqlError>,
  { isAlone, owner }: Pick<Fleet["Service"], "isAlone" | "owner">,
  options: SweepOptions
) => {
  const { mark, query, sql } = rows
  // What has expired is so by the store's time too: one machine with a wrong clock must not delete what others need.
  const time = isAlone ? mark(1) : `LEAST(${mark(1)}, (EXTRACT(EPOCH FROM now()) * 1000)::bigint)`

  const givenUp = (now: number) => {
    const own = isAlone ? sql`` : sql`AND owner = ${owner()}`
    return query`SELECT * FROM calls WHERE state = 'open' AND created_at <= ${now - options.openMillis} ${own}
      LIMIT ${mostTaken}`
  }

  /** Answers without a claim or an attempt: their calls were settled after it had expired. */
  const deleteOrphans = query`DELETE FROM answers
    WHERE NOT EXISTS (SELECT 1 FROM idempotency i WHERE i.call = answers.call) AND call NOT IN (SELECT call FROM attempts)`

  const markUnknown = Effect.fnUntraced(function* (left: ReadonlyArray<Row>) {
    const now = yield* Clock.currentTimeMillis
    const markOne = (row: Row) => submit({ kind: "mark_unknown", now, reservation: reservationIn(row) })
    yield* Effect.forEach(left, markOne, { concurrency: "unbounded", discard: true })
  })

  const leftByOthers = Effect.suspend(() => query`SELECT * FROM calls WHERE state = 'open' AND owner <> ${owner()}`)

  /** Each call is taken by one gateway. If that one dies before it ends the call, the next one takes it. */
  const takeOver = Effect.suspend(
    () => query`UPDATE calls SET owner = ${owner()} WHERE id IN (SELECT id FROM calls WHERE state = 'open'
      AND NOT EXISTS (SELECT 1 FROM gateways g WHERE g.id = calls.owner)
      LIMIT ${mostTaken} FOR UPDATE SKIP LOCKED) RETURNING *`
  )

  const takeAllOver: Effect.Effect<void, SqlError> = Effect.flatMap(takeOver, (taken) =>
    markUnknown(taken).pipe(
      Effect.andThen(taken.length === mostTaken ? Effect.suspend(() => takeAllOver) : Effect.void)
    )
  )

  /** A call that a gateway left open may have run. Tasks are skipped: the watcher finds them. */
  const markLeftBehind = isAlone ? Effect.flatMap(leftByOthers, markUnknown) : takeAllOver

  /** Rows that another gateway is deleting are left to it. */
  const deleteExpired = (table: string, id: string, expired: string, now: number) =>
    rows.run(
      `DELETE FROM ${table} WHERE ${isAlone ? expired : `${id} IN (SELECT ${id} FROM ${table} WHERE ${expired} FOR UPDATE SKIP LOCKED)`}`,
      [now]
    )

  const sweep = Effect.gen(function* () {
    if (!isAlone) yield* takeAllOver
    const now = yield* Clock.currentTimeMillis
    yield* markUnknown(yield* givenUp(now))
    // Through the index on `ends_at`: a scan of all answers would block every other statement.
    for (const [table, id] of [
      ["idempotency", "id"],
      ["attempts", "ctid"]
    ] as const) {
      const isExpired = `ends_at <= ${time}`
      yield* deleteExpired("answers", "call", `call IN (SELECT call FROM ${table} WHERE ${isExpired})`, now)
      yield* deleteExpired(table, id, isExpired, now)
    }
    yield* deleteExpired("tasks", "id", `expires_at <= ${time}`, now)
  })

  return {
    // A shared store may hold so many answers that a start must not wait for it.
    recover: Effect.andThen(markLeftBehind, isAlone ? deleteOrphans : Effect.void),
    tidy: isAlone ? Effect.void : deleteOrphans,
    markLeftBehind,
    sweep
  }
}
