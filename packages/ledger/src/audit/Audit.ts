import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import * as Rows from "../store/rows.ts"
import { type Row, text, whole } from "../store/rows.ts"
import * as Clock from "effect/Clock"
import { BeginTransaction, SqlClient } from "effect/sql/SqlClient"
import * as LedgerSql from "../commit/LedgerSql.ts"
import type { Difference } from "../ledger/Difference.ts"
import { type CallsWithGaps, recordedGaps } from "../usage/recordedGaps.ts"
import { checks } from "./checks.ts"
import { periods, periodStart } from "../ledger/Balance.ts"

/** What is none is a difference, and counts as nothing. */
const amount = (row: Row, name: string): bigint => whole(row, name) ?? 0n

const suspendedOf = (row: Row) => ({
  id: text(row, "id"),
  account: text(row, "account"),
  key: text(row, "key"),
  operation: text(row, "operation"),
  reserved: micro(amount(row, "reserved")),
  createdAt: Number(amount(row, "created_at"))
})

/** A call without a known cost: it has not ended, or nobody knows how. */
export type Suspended = Readonly<ReturnType<typeof suspendedOf>>

/** A call that runs as a task. */
export interface Running extends Suspended {
  readonly task: string
  readonly provider: string
  /** As of the last poll. */
  readonly status: string
}

export const suspended = (rows: ReturnType<typeof Rows.make>) =>
  Effect.map(
    rows.run(
      "SELECT id, account, key, operation, state, reserved, created_at FROM calls" +
        " WHERE state IN ('open', 'unknown') ORDER BY created_at, id",
      []
    ),
    (found) => (state: "open" | "unknown") => found.filter((row) => text(row, "state") === state).map(suspendedOf)
  )

export const running = (rows: ReturnType<typeof Rows.make>) =>
  Effect.map(
    rows.run(
      "SELECT c.id, c.account, c.key, c.operation, c.reserved, c.created_at, t.id AS task, t.provider, t.status" +
        " FROM calls c JOIN tasks t ON t.call = c.id WHERE c.state = 'running' ORDER BY c.created_at, c.id",
      []
    ),
    (found) =>
      found.map((row): Running => ({
        ...suspendedOf(row),
        task: text(row, "task"),
        provider: text(row, "provider"),
        status: text(row, "status")
      }))
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
  const [row] = yield* Rows.make(yield* SqlClient).run(
    "SELECT COUNT(*) AS calls FROM calls WHERE state = 'open'" +
      " AND NOT EXISTS (SELECT 1 FROM gateways g WHERE g.id = calls.owner)",
    []
  )
  return row === undefined ? 0 : Rows.number(row, "calls")
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

const sum = (column: string, table: string): string => `(SELECT COALESCE(SUM(${column}), 0) FROM ${table})`
const count = (rows: string): string => `(SELECT COUNT(*) FROM ${rows})`

const select =
  `SELECT ${count("accounts")} AS accounts, ${count("keys WHERE is_grant = 0")} AS keys,` +
  ` ${count("keys WHERE is_grant = 1")} AS grants, ${count("calls WHERE owner <> ''")} AS calls,` +
  ` ${sum("amount", "entries")} AS entered, ${sum("charged", "calls")} AS charged, ${sum("loss", "calls")} AS loss,` +
  ` ${sum("balance", "accounts")} AS balance, ${sum("reserved", "accounts")} AS reserved`

export const totals = (rows: ReturnType<typeof Rows.make>) =>
  Effect.map(rows.run(select, []), ([row = {}]) => ({
    accounts: amount(row, "accounts"),
    keys: amount(row, "keys"),
    grants: amount(row, "grants"),
    calls: amount(row, "calls"),
    entered: micro(amount(row, "entered")),
    charged: micro(amount(row, "charged")),
    loss: micro(amount(row, "loss")),
    balance: micro(amount(row, "balance")),
    reserved: micro(amount(row, "reserved"))
  }))

/** Keys are without grants, and calls without those that were refused before they were reserved. */
export type Totals = Readonly<Effect.Success<ReturnType<typeof totals>>>

/** A balance, budget or quota below zero, by what calls in flight cost beyond their reservations. */
export interface Overdraft {
  readonly of: "balance" | "budget" | "quota"
  /** The account, or the root key. */
  readonly id: string
  readonly amount: BigMicroUsd
}

export const overdrafts = Effect.fnUntraced(function* ({ mark, run }: ReturnType<typeof Rows.make>) {
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
  return rows.map((row): Overdraft => ({
    of: text(row, "what") as Overdraft["of"],
    id: text(row, "id"),
    amount: micro(amount(row, "amount"))
  }))
})
