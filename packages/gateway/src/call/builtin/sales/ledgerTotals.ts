import { UsageTotals } from "@tollgate/contract/resources/UsageReport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SqlClient } from "effect/sql/SqlClient"
import { foldUsage } from "@tollgate/ledger/commit/postgres/foldUsage"
import { type Counts, counters, spans } from "@tollgate/ledger/ledger/UsageTotals"
import * as Rows from "@tollgate/ledger/store/rows"
import { amount } from "@tollgate/ledger/store/rows"
import { totalsOf } from "@tollgate/ledger/usage/report"
import type { Snapshot } from "./SalesSource.ts"

const dayMillis = spans[2]
const days = 30
const summed = counters.map((name) => `COALESCE(SUM(s.${name}), 0) AS ${name}`).join(", ")

/** The totals of all accounts over the last 30 days in UTC, today included, in the names of a usage report. */
export const ledgerTotals = Effect.gen(function* () {
  const rows = Rows.make(yield* SqlClient)
  const now = yield* Clock.currentTimeMillis
  const from = (Math.floor(now / dayMillis) - days + 1) * dayMillis
  yield* foldUsage(rows)
  // By account, because the totals are indexed by account first.
  const [row = {}] = yield* rows.run(
    `SELECT ${summed} FROM accounts a JOIN account_sums s ON s.account = a.id` +
      ` AND s.span = ${dayMillis} AND s.start >= ${rows.mark(1)} AND s.start <= ${rows.mark(2)}`,
    [from, now]
  )
  const counts = Object.fromEntries(counters.map((name) => [name, amount(row, name)])) as Counts
  const snapshot: Snapshot = {
    observedAt: now,
    data: {
      currency: "USD",
      start_time: from / 1000,
      end_time: Math.floor(now / 1000),
      totals: yield* Schema.encodeEffect(UsageTotals)(totalsOf(counts))
    }
  }
  return snapshot
})
