import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import * as Rows from "../store/rows.ts"
import { readerOf, type Row, text, whole } from "../store/rows.ts"
import * as Clock from "effect/Clock"
import { BeginTransaction, SqlClient } from "effect/sql/SqlClient"
import * as LedgerSql from "../commit/LedgerSql.ts"
import type { Difference } from "../ledger/Difference.ts"
import { type CallsWithGaps, recordedGaps } from "../usage/recordedGaps.ts"
import { checks } from "./checks.ts"
import { periods, periodStart } from "../ledger/Balance.ts"

/** What is none is a difference, and counts as nothing. */
const amount = (row: Row, name: string): bigint => whole(row, name) ?? 0n
const micros = (row: Row, name: string): BigMicroUsd => micro(amount(row, name))
const number = (row: Row, name: string): number => Number(amount(row, name))

const ofCall = { id: text, account: text, key: text, operation: text, reserved: micros, createdAt: number }

const suspendedOf = readerOf(ofCall)
/** `status`: as of the last poll. */
const runningOf = readerOf({ ...ofCall, task: text, provider: text, status: text })

/** A call without a known cost: it has not ended, or nobody knows how. */
export type Suspended = ReturnType<typeof suspendedOf>

/** A call that runs as a task. */
export type Running = ReturnType<typeof runningOf>

export const suspended = ({ query }: Rows.Rows) =>
  Effect.map(
    query`SELECT id, account, key, operation, state, reserved, created_at FROM calls
      WHERE state IN ('open', 'unknown') ORDER BY created_at, id`,
    (found) => (state: "open" | "unknown") => found.filter((row) => text(row, "state") === state).map(suspendedOf)
  )

export const running = ({ query }: Rows.Rows) =>
  Effect.map(
    query`SELECT c.id, c.account, c.key, c.operation, c.reserved, c.created_at, t.id AS task, t.provider, t.status
      FROM calls c JOIN tasks t ON t.call = c.id WHERE c.state = 'running' ORDER BY c.created_at, c.id`,
    (found) => found.map(runningOf)
  )

export interface Audit {
  /** Where the store contradicts itself. Empty if the ledger is correct. */
  readonly differences: ReadonlyArray<Difference>
  readonly open: ReadonlyArray<Suspended>
  readonly running: ReadonlyArray<Running>
  /** They hold nothing, and cost nothing unless their end becomes known after all. */
  readonly unknown: ReadonlyArray<Suspended>
  /** No contradiction: calls may cost more than was reserved for them. */
  readonly overdrafts: ReadonlyArray<Overdraft>
  /** No contradiction: it was charged at the nearest price. */
  readonly gaps: ReadonlyArray<CallsWithGaps>
  readonly totals: Totals
}

/** How many calls were left open by gateways that are gone. To be asked before there is a ledger, which marks them unknown. */
export const leftOpen = Effect.gen(function* () {
  yield* LedgerSql.checkpoint
  const [row] = yield* Rows.make(yield* SqlClient).query`SELECT COUNT(*) AS calls FROM calls WHERE state = 'open'
    AND NOT EXISTS (SELECT 1 FROM gateways g WHERE g.id = calls.owner)`
  return row === undefined ? 0 : number(row, "calls")
})

/**
 * Recomputes the ledger from its rows and compares. It reads everything in one transaction: open a SQLite store read-only,
 * or a running gateway cannot write until the audit is done.
 */
export const run = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = Rows.make(sql)

  const read = Effect.gen(function* () {
    const differences = (yield* Effect.forEach(checks, (check) => check(rows))).flat()
    const found = yield* suspended(rows)
    const audit: Audit = {
      differences,
      open: found("open"),
      running: yield* running(rows),
      unknown: found("unknown"),
      overdrafts: yield* overdrafts(rows),
      gaps: yield* recordedGaps(rows),
      totals: yield* totals(rows)
    }
    return audit
  })
  return yield* Effect.provideService(sql.withTransaction(read), BeginTransaction, rows.dialect.beginSnapshot)
}).pipe(Effect.withSpan("Audit.run"))

const totalsOf = readerOf({
  accounts: amount,
  /** Without grants. */
  keys: amount,
  grants: amount,
  /** Without those that were refused before they were reserved. */
  calls: amount,
  /** The sum of payments, credits and debits. */
  entered: micros,
  charged: micros,
  /** What calls cost beyond the caps of their callers. */
  loss: micros,
  balance: micros,
  reserved: micros
})

export type Totals = ReturnType<typeof totalsOf>

const sum = (column: string, table: string): string => `(SELECT COALESCE(SUM(${column}), 0) FROM ${table})`
const count = (rows: string): string => `(SELECT COUNT(*) FROM ${rows})`

const select =
  `SELECT ${count("accounts")} AS accounts, ${count("keys WHERE is_grant = 0")} AS keys,` +
  ` ${count("keys WHERE is_grant = 1")} AS grants, ${count("calls WHERE owner <> ''")} AS calls,` +
  ` ${sum("amount", "entries")} AS entered, ${sum("charged", "calls")} AS charged, ${sum("loss", "calls")} AS loss,` +
  ` ${sum("balance", "accounts")} AS balance, ${sum("reserved", "accounts")} AS reserved`

export const totals = (rows: Rows.Rows) => Effect.map(rows.run(select, []), ([row = {}]) => totalsOf(row))

const overdraftOf = readerOf({
  of: (row) => text(row, "what") as "balance" | "budget" | "quota",
  /** The account, or the root key. */
  id: text,
  amount: micros
})

/** A balance, budget or quota below zero, by what calls in flight cost beyond their reservations. */
export type Overdraft = ReturnType<typeof overdraftOf>

export const overdrafts = Effect.fnUntraced(function* ({ mark, run }: Rows.Rows) {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* run(
    "SELECT 'balance' AS what, id, -balance AS amount FROM accounts WHERE balance < 0" +
      " UNION ALL SELECT 'budget', id, spent - budget FROM keys WHERE root_key IS NULL AND spent > budget" +
      periods
        .map(
          (period, i) =>
            ` UNION ALL SELECT 'quota', id, ${period}_spent - ${period}_budget FROM keys WHERE root_key IS NULL` +
            ` AND ${period}_spent > ${period}_budget AND ${period}_from >= CAST(${mark(i + 1)} AS BIGINT)`
        )
        .join("") +
      " ORDER BY 1, 2",
    periods.map((period) => periodStart(period, now))
  )
  return rows.map(overdraftOf)
})
