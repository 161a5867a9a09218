import * as Effect from "effect/Effect"
import { BeginTransaction, SqlClient } from "effect/sql/SqlClient"
import * as LedgerSql from "../commit/LedgerSql.ts"
import * as Rows from "../store/rows.ts"
import { accounts, idempotency, keys, refunds, tasks } from "./checks.ts"
import { calls } from "./calls.ts"
import type { Difference } from "../ledger/Difference.ts"
import { type Overdraft, overdrafts } from "./overdrafts.ts"
import { type Running, running, type Suspended, suspended } from "./suspended.ts"
import { type Totals, totals } from "./totals.ts"
import { type CallsWithGaps, recordedGaps } from "../usage/recordedGaps.ts"
import { accountTotals, costTotals, keyTotals, operationTotals, tagTotals } from "./usageTotals.ts"

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

const checks = [
  accounts,
  refunds,
  keys,
  calls,
  tasks,
  keyTotals,
  accountTotals,
  operationTotals,
  tagTotals,
  costTotals,
  idempotency
]

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
