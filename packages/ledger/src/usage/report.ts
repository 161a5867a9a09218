import type { UsageReport, UsageTotals } from "@tollgate/contract/resources/UsageReport"
import * as Effect from "effect/Effect"
import { type Counts, counters, spans } from "../ledger/UsageTotals.ts"
import { number, type Rows } from "../store/rows.ts"
import { dayOf, days, type Owner, pieces, type Window } from "./Query.ts"
import { conditions, sumsOf, times } from "./sums.ts"

export const isExact = (counts: Counts): boolean => counters.every((name) => Number.isSafeInteger(Number(counts[name])))

export const totalsOf = (counts: Counts): UsageTotals => ({
  requests: Number(counts.requests),
  failed_requests: Number(counts.failed_requests),
  input_tokens: Number(counts.input_tokens),
  output_tokens: Number(counts.output_tokens),
  cache_read_tokens: Number(counts.cache_read_tokens),
  cache_write_tokens: Number(counts.cache_write_tokens),
  usage_value_micros_usd: Number(counts.value),
  charged_micros_usd: Number(counts.charged)
})

export const used = sumsOf(counters, totalsOf)

const fromCalls = ["1", "failed", ...counters.slice(2)].map((value, i) => `${value} AS ${counters[i]}`).join(", ")
const dayEnded = `ended / ${spans[2]}`

/**
 * The report of a window that need not be of whole minutes. It has a bucket for every day, empty ones included. `undefined` if a
 * number of the report would be inexact.
 */
export const make = (rows: Rows) => {
  /** One statement, so that all parts read the same snapshot. */
  const countsByDay = Effect.fnUntraced(function* ({ account, key }: Owner, window: Window) {
    const { bind, values, within } = conditions(rows)
    const whose = () => `account = ${bind(account)}${key === undefined ? "" : ` AND key = ${bind(key)}`}`
    const parts = pieces(window).map(({ span, ...piece }) =>
      span === "call"
        ? `SELECT ended_at AS ended, ${fromCalls} FROM calls` +
          ` WHERE ${whose()} AND ended_at >= ${bind(piece.start)} AND ended_at < ${bind(piece.end)} AND state <> 'refused'`
        : `SELECT start AS ended, ${used.names} FROM ${key === undefined ? "account_sums" : "usage_sums"}` +
          ` WHERE ${whose()} AND span = ${span} AND ${within(piece)}`
    )
    const found = yield* rows.run(
      `SELECT ${dayEnded} AS day, ${used.summed} FROM (${parts.join(" UNION ALL ")}) AS parts GROUP BY ${dayEnded}`,
      values
    )
    return new Map(found.map((row) => [number(row, "day"), used.countsOf(row)]))
  })

  return Effect.fnUntraced(function* (owner: Owner, window: Window) {
    const byDay = yield* countsByDay(owner, window)
    const buckets = days(window).map((day) => ({ day, counts: byDay.get(dayOf(day.start)) ?? used.zeros }))
    const sum = used.sum(byDay.values())
    if (!isExact(sum) || !buckets.every(({ counts }) => isExact(counts))) return undefined
    const report: UsageReport = {
      scope: owner.key === undefined ? "account" : "key",
      currency: "USD",
      ...times(window),
      bucket_width: "1d",
      totals: totalsOf(sum),
      buckets: buckets.map(({ counts, day }) => ({ ...times(day), ...totalsOf(counts) }))
    }
    return report
  })
}
