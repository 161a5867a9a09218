import { amountOf } from "@tollgate/contract/account/Amount"
import type { DayFigures, Overview } from "@tollgate/contract/admin/Overview"
import { nano, roundToMicros } from "@tollgate/contract/Money"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as CostTotals from "../ledger/CostTotals.ts"
import { number, readerOf, type Row, type Rows, text } from "../store/rows.ts"
import { pieces } from "./Query.ts"
import { conditions, labelsOf, sumsOf } from "./sums.ts"

export type StoreOverview = Omit<Overview, "upstreams">

const { day } = CostTotals
const minute = 60_000
const usualDays = 7
const mostAccounts = 10
const mostOperations = 10
/** How many calls are looked at for latencies. */
const mostSampled = 5_000

/** `cost` is nano-USD, other amounts are micro-USD. */
const counters = ["requests", "failed_requests", "charged", "costed", "cost"] as const

const { read, sum, zeros } = sumsOf(counters, () => undefined)
type Sums = typeof zeros

const figuresOf = ({ charged, cost, costed, failed_requests, requests }: Sums): DayFigures => {
  const rounded = roundToMicros(nano(cost))
  return {
    requests: Number(requests),
    failed_requests: Number(failed_requests),
    charged_micros_usd: amountOf(charged),
    costed_micros_usd: amountOf(costed),
    cost_micros_usd: amountOf(rounded),
    margin_micros_usd: amountOf(costed - rounded)
  }
}

const over = (value: bigint, count: bigint): bigint => (count === 0n ? 0n : value / count)

/** The least value that so many percent do not exceed. */
const percentile = (sorted: ReadonlyArray<number>, percent: number): number =>
  sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0

const latencyOf = (calls: ReadonlyArray<Row>) => {
  const millis = calls.map((call) => number(call, "millis")).sort((one, other) => one - other)
  return {
    calls: calls.length,
    failed: calls.filter((call) => number(call, "failed") === 1).length,
    p50_ms: percentile(millis, 50),
    p95_ms: percentile(millis, 95)
  }
}

const latenciesOf = (calls: ReadonlyArray<Row>): StoreOverview["latency"] => {
  const last = calls.at(-1)
  if (last === undefined) return null
  const operations = [...Map.groupBy(calls, (call) => text(call, "operation"))]
    .map(([operation, calls]) => ({ operation, ...latencyOf(calls) }))
    .sort((one, other) => other.p95_ms - one.p95_ms)
  return {
    ...latencyOf(calls),
    since: new Date(number(last, "ended_at")).toISOString(),
    operations: operations.slice(0, mostOperations)
  }
}

const countsOf = readerOf({
  overdrawn_accounts: number,
  unknown_calls: number,
  refused_calls: number,
  waiting_changes: number,
  calls_with_gaps: number
})

/** Reads totals, and a bounded number of single calls. */
export const make = (rows: Rows) => {
  /** The buckets are days, by their distance from today. `full`: whole days before today. */
  const select = (today: number, now: number) => {
    const { values, within } = conditions(rows)
    const before = { start: today - usualDays * day, end: today }
    const sums = (at: number, window: { readonly start: number; readonly end: number }, span: number) =>
      `SELECT ${at} AS at, account, requests, failed_requests, charged FROM account_sums` +
      ` WHERE account IN (SELECT id FROM accounts) AND span = ${span} AND ${within(window)}`
    const elapsed = Math.floor((now - today) / minute) * minute
    // Values are bound in the order of the text.
    const ofToday = sums(0, { start: today, end: today + day }, day)
    const parts = Array.from({ length: usualDays }, (_, i) => {
      const start = today - (i + 1) * day
      return pieces({ start, end: start + elapsed }).map(({ span, ...window }) => sums(i + 1, window, Number(span)))
    }).flat()
    const used = [ofToday, ...parts].join(" UNION ALL ")
    const isToday = "CASE WHEN at = 0 THEN 1 ELSE 0 END"
    const costs = (part: string, window: { readonly start: number; readonly end: number }) =>
      `SELECT '${part}' AS part, '' AS id, 0 AS at, 0 AS requests, 0 AS failed_requests, 0 AS charged,` +
      ` SUM(charged) AS costed, SUM(cost_nano) AS cost FROM ${CostTotals.table} WHERE ${within(window)} HAVING COUNT(*) > 0`
    const statement =
      `WITH used AS (${used}) SELECT 'bucket' AS part, '' AS id, at, SUM(requests) AS requests,` +
      " SUM(failed_requests) AS failed_requests, SUM(charged) AS charged, 0 AS costed, 0 AS cost FROM used GROUP BY at" +
      // What is usual of an account is in the place of `costed`.
      " UNION ALL SELECT * FROM (SELECT 'account' AS part, account AS id, 0 AS at," +
      ` SUM(requests * ${isToday}) AS requests, SUM(failed_requests * ${isToday}) AS failed_requests,` +
      ` SUM(charged * ${isToday}) AS charged, SUM(charged * (1 - ${isToday})) AS costed, 0 AS cost FROM used` +
      ` GROUP BY account HAVING SUM(requests * ${isToday}) > 0` +
      ` ORDER BY charged DESC, requests DESC, id LIMIT ${mostAccounts}) AS top_accounts` +
      ` UNION ALL ${costs("cost", { start: today, end: today + day })} UNION ALL ${costs("costBefore", before)}` +
      ` UNION ALL SELECT 'full', '', 0, 0, 0, SUM(charged), 0, 0 FROM account_sums` +
      ` WHERE account IN (SELECT id FROM accounts) AND span = ${day} AND ${within(before)} HAVING COUNT(*) > 0`
    return { text: statement, values }
  }

  const counts = Effect.fnUntraced(function* (today: number) {
    const [row = {}] = yield* rows.query`SELECT
      (SELECT COUNT(*) FROM accounts WHERE balance < 0) AS overdrawn_accounts,
      (SELECT COUNT(*) FROM calls WHERE state = 'unknown' AND ended_at >= ${today}) AS unknown_calls,
      (SELECT COUNT(*) FROM calls WHERE owner = '' AND ended_at >= ${today}) AS refused_calls,
      (SELECT COUNT(*) FROM ${rows.literal(rows.dialect.isShared ? "usage_deltas" : "journal")}) AS waiting_changes,
      (SELECT COUNT(*) FROM calls WHERE gaps IS NOT NULL AND ended_at >= ${today}) AS calls_with_gaps`
    return countsOf(row)
  })

  const sample = (now: number) =>
    rows.query`SELECT operation, failed, ended_at, ended_at - created_at AS millis FROM calls
      WHERE ended_at IS NOT NULL AND ended_at >= ${now - day} AND owner <> ''
      ORDER BY ended_at DESC LIMIT ${mostSampled}`

  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const today = Math.floor(now / day) * day
    const { buckets, groupsOf } = yield* read(rows, select(today, now))
    const accounts = groupsOf("account")
    const labels = yield* labelsOf(rows, "accounts", accounts)
    const of = (part: string): Sums => groupsOf(part)[0]?.counts ?? zeros
    const before = [...buckets].filter(([at, { requests }]) => at > 0 && requests > 0n).map(([, sums]) => sums)
    const total = sum(before)
    const days = BigInt(before.length)
    const full = of("full").charged
    /** The part of a whole day's costs that belongs to what was charged up to this time. */
    const share = (value: bigint) => over(over(value * total.charged, full), days)
    const { cost, costed } = of("costBefore")
    const { cost: costToday, costed: costedToday } = of("cost")
    const overview: StoreOverview = {
      at: new Date(now).toISOString(),
      today: figuresOf({ ...(buckets.get(0) ?? zeros), cost: costToday, costed: costedToday }),
      usual: figuresOf({
        requests: over(total.requests, days),
        failed_requests: over(total.failed_requests, days),
        charged: over(total.charged, days),
        costed: share(costed),
        cost: share(cost)
      }),
      usual_days: before.length,
      accounts: accounts.map(({ counts: { charged, costed, failed_requests, requests }, id }) => ({
        id,
        label: labels.get(id) ?? id,
        requests: Number(requests),
        failed_requests: Number(failed_requests),
        charged_micros_usd: amountOf(charged),
        usual_charged_micros_usd: amountOf(over(costed, days))
      })),
      latency: latenciesOf(yield* sample(now)),
      ...(yield* counts(today))
    }
    return overview
  })
}
