import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { doesNotTouchLedger } from "../store/EmbeddedStore.ts"
import { make as makeRows, number, numberOrNull, type Row, text, textOrNull } from "../store/rows.ts"

export const states = ["pending", "delivered", "failed"] as const
export type State = (typeof states)[number]

/** One message to one endpoint. */
export interface Entry {
  readonly id: string
  /** The id of the endpoint. */
  readonly endpoint: string
  readonly type: string
  readonly body: string
  readonly state: State
  readonly attempts: number
  readonly createdAt: number
  /** When it is sent next, while it is pending. */
  readonly nextAt: number
  readonly endedAt: number | null
  /** Of the last attempt. */
  readonly result: string | null
}

const columns = ["id", "endpoint", "type", "body", "state", "attempts", "created_at", "next_at", "ended_at", "result"]
// SQLite has no `webhooks.*` there.
const returned = columns.map((name) => `webhooks.${name}`).join(", ")

const entryOf = (row: Row): Entry => ({
  id: text(row, "id"),
  endpoint: text(row, "endpoint"),
  type: text(row, "type"),
  body: text(row, "body"),
  state: states.find((state) => state === row.state) ?? "failed",
  attempts: number(row, "attempts"),
  createdAt: number(row, "created_at"),
  nextAt: number(row, "next_at"),
  endedAt: numberOrNull(row, "ended_at"),
  result: textOrNull(row, "result")
})

/** What an attempt leads to. */
export interface Attempt {
  readonly state: State
  readonly result: string
  /** Of the next attempt, if the state is still pending. */
  readonly nextAt: number
}

const day = 86_400_000
const keepMillis: Readonly<Record<State, number>> = {
  delivered: 7 * day,
  failed: 30 * day,
  // Its endpoint is no longer configured: otherwise it would have ended.
  pending: 30 * day
}

/** Rows that one statement changes: SQLite blocks meanwhile. */
const changedAtOnce = 500

/** How many entries a list shows at most. */
export const maxListed = 1_000

export interface Outbox {
  /** Takes entries that are due. Nobody else takes them until `until`. */
  readonly claim: (endpoint: string, most: number, until: number) => Effect.Effect<ReadonlyArray<Entry>, SqlError>
  readonly record: (id: string, attempt: Attempt) => Effect.Effect<void, SqlError>
  /** The newest first. */
  readonly list: (state?: State, most?: number) => Effect.Effect<ReadonlyArray<Entry>, SqlError>
  readonly find: (id: string) => Effect.Effect<Entry | undefined, SqlError>
  /** Sends an entry again at once, whatever became of it, with all its attempts. */
  readonly resend: (id: string) => Effect.Effect<Entry | undefined, SqlError>
  /** Returns how many there were. */
  readonly resendFailed: Effect.Effect<number, SqlError>
  readonly deleteOld: Effect.Effect<void, SqlError>
}

export const make: Effect.Effect<Outbox, never, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { dialect, mark, run: runAny } = makeRows(sql)
  // The ledger writes these rows together with its journal, so they need no checkpoint.
  const run = (...[text, values]: Parameters<typeof runAny>) => doesNotTouchLedger(runAny(text, values))

  const claim =
    `WITH due AS MATERIALIZED (SELECT id FROM webhooks WHERE state = 'pending' AND endpoint = ${mark(1)}` +
    ` AND next_at <= ${mark(2)} ORDER BY next_at LIMIT ${mark(3)}${dialect.lockFreeRows})` +
    ` UPDATE webhooks SET next_at = ${mark(4)} FROM due WHERE webhooks.id = due.id RETURNING ${returned}`
  const again = `UPDATE webhooks SET state = 'pending', attempts = 0, ended_at = NULL, next_at = ${mark(1)}`
  const old =
    `DELETE FROM webhooks WHERE id IN (SELECT id FROM webhooks WHERE state = ${mark(1)} AND created_at <= ${mark(2)}` +
    ` AND COALESCE(ended_at, created_at) <= ${mark(3)} LIMIT ${changedAtOnce}) RETURNING id`

  const find = (id: string) =>
    Effect.map(run(`SELECT * FROM webhooks WHERE id = ${mark(1)}`, [id]), ([row]) => row && entryOf(row))

  /** Runs a statement that changes some rows until there are no more. Returns how many there were. */
  const inParts = Effect.fnUntraced(function* (...statement: Parameters<typeof run>) {
    let all = 0
    for (;;) {
      const changed = (yield* run(...statement)).length
      all += changed
      if (changed < changedAtOnce) return all
      yield* Effect.yieldNow
    }
  })

  const deleteOld = Effect.fnUntraced(function* (state: State) {
    const before = (yield* Clock.currentTimeMillis) - keepMillis[state]
    yield* inParts(old, [state, before, before])
  })

  return {
    claim: Effect.fnUntraced(function* (endpoint, most, until) {
      const now = yield* Clock.currentTimeMillis
      return (yield* run(claim, [endpoint, now, most, until])).map(entryOf)
    }),
    record: Effect.fnUntraced(function* (id, { nextAt, result, state }) {
      const endedAt = state === "pending" ? null : yield* Clock.currentTimeMillis
      yield* run(
        `UPDATE webhooks SET state = ${mark(1)}, attempts = attempts + 1, next_at = ${mark(2)}, ended_at = ${mark(3)},` +
          ` result = ${mark(4)} WHERE id = ${mark(5)} AND state = 'pending'`,
        [state, nextAt, endedAt, result, id]
      )
    }),
    list: (state, most = 100) => {
      const limit = Math.max(1, Math.min(most, maxListed))
      const where = state === undefined ? "" : ` WHERE state = ${mark(1)}`
      const select = `SELECT * FROM webhooks${where} ORDER BY created_at DESC, id DESC LIMIT ${limit}`
      return Effect.map(run(select, state === undefined ? [] : [state]), (rows) => rows.map(entryOf))
    },
    find,
    resend: Effect.fnUntraced(function* (id) {
      yield* run(`${again} WHERE id = ${mark(2)}`, [yield* Clock.currentTimeMillis, id])
      return yield* find(id)
    }),
    resendFailed: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      inParts(
        `${again} WHERE id IN (SELECT id FROM webhooks WHERE state = 'failed' LIMIT ${changedAtOnce}) RETURNING id`,
        [now]
      )
    ),
    deleteOld: Effect.forEach(states, deleteOld, { discard: true })
  }
})
