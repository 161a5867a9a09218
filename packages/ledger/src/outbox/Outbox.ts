import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { doesNotTouchLedger } from "../store/EmbeddedStore.ts"
import { make as makeRows, number, numberOrNull, readerOf, type Row, text, textOrNull } from "../store/rows.ts"

export const states = ["pending", "delivered", "failed"] as const
export type State = (typeof states)[number]

const stateIn = (row: Row): State => states.find((state) => state === row.state) ?? "failed"

const entryOf = readerOf({
  id: text,
  /** The id of the endpoint. */
  endpoint: text,
  type: text,
  body: text,
  state: stateIn,
  attempts: number,
  createdAt: number,
  /** When it is sent next, while it is pending. */
  nextAt: number,
  endedAt: numberOrNull,
  /** Of the last attempt. */
  result: textOrNull
})

/** One message to one endpoint. */
export type Entry = ReturnType<typeof entryOf>

const columns = ["id", "endpoint", "type", "body", "state", "attempts", "created_at", "next_at", "ended_at", "result"]
// SQLite has no `webhooks.*` there.
const returned = columns.map((name) => `webhooks.${name}`).join(", ")

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

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { dialect, literal, query: queryAny } = makeRows(sql)
  // The ledger writes these rows together with its journal, so they need no checkpoint.
  const query: typeof queryAny = (text, ...values) => doesNotTouchLedger(queryAny(text, ...values))
  const again = literal("UPDATE webhooks SET state = 'pending', attempts = 0, ended_at = NULL, next_at =")

  const find = (id: string) =>
    Effect.map(query`SELECT * FROM webhooks WHERE id = ${id}`, ([row]) => row && entryOf(row))

  /** Runs a statement that changes some rows until there are no more. Returns how many there were. */
  const inParts = Effect.fnUntraced(function* (statement: ReturnType<typeof query>) {
    let all = 0
    for (;;) {
      const changed = (yield* statement).length
      all += changed
      if (changed < changedAtOnce) return all
      yield* Effect.yieldNow
    }
  })

  const deleteOld = Effect.fnUntraced(function* (state: State) {
    const before = (yield* Clock.currentTimeMillis) - keepMillis[state]
    yield* inParts(query`DELETE FROM webhooks WHERE id IN (SELECT id FROM webhooks WHERE state = ${state}
      AND created_at <= ${before} AND COALESCE(ended_at, created_at) <= ${before} LIMIT ${changedAtOnce}) RETURNING id`)
  })

  return {
    /** Takes entries that are due. Nobody else takes them until `until`. */
    claim: Effect.fnUntraced(function* (endpoint: string, most: number, until: number) {
      const now = yield* Clock.currentTimeMillis
      const claimed = yield* query`WITH due AS MATERIALIZED (SELECT id FROM webhooks WHERE state = 'pending'
          AND endpoint = ${endpoint} AND next_at <= ${now} ORDER BY next_at LIMIT ${most}${literal(dialect.lockFreeRows)})
        UPDATE webhooks SET next_at = ${until} FROM due WHERE webhooks.id = due.id RETURNING ${literal(returned)}`
      return claimed.map(entryOf)
    }),
    record: Effect.fnUntraced(function* (id: string, { nextAt, result, state }: Attempt) {
      const endedAt = state === "pending" ? null : yield* Clock.currentTimeMillis
      yield* query`UPDATE webhooks SET state = ${state}, attempts = attempts + 1, next_at = ${nextAt},
        ended_at = ${endedAt}, result = ${result} WHERE id = ${id} AND state = 'pending'`
    }),
    /** The newest first. */
    list: (state?: State, most = 100) => {
      const limit = Math.max(1, Math.min(most, maxListed))
      const where = state === undefined ? literal("") : sql`WHERE state = ${state}`
      const found = query`SELECT * FROM webhooks ${where} ORDER BY created_at DESC, id DESC LIMIT ${limit}`
      return Effect.map(found, (rows) => rows.map(entryOf))
    },
    find,
    /** Sends an entry again at once, whatever became of it, with all its attempts. */
    resend: Effect.fnUntraced(function* (id: string) {
      yield* query`${again} ${yield* Clock.currentTimeMillis} WHERE id = ${id}`
      return yield* find(id)
    }),
    /** Returns how many there were. */
    resendFailed: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      inParts(query`${again} ${now}
        WHERE id IN (SELECT id FROM webhooks WHERE state = 'failed' LIMIT ${changedAtOnce}) RETURNING id`)
    ),
    deleteOld: Effect.forEach(states, deleteOld, { discard: true })
  }
})

export type Outbox = Effect.Success<typeof make>
