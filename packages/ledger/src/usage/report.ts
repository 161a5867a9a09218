import * as Effect from "effect/Effect"
import type { UsageReport, UsageTotals } from "@tollgate/contract/resources/UsageReport"
import { type Counts, counters, plus } from "../ledger/UsageTotals.ts"
import { dayOf, days, type Owner, type Window } from "./Query.ts"
import type * as Rows from "../store/rows.ts"
import { amount, type Row, text } from "../store/rows.ts"

export const names = counters.join(", ")
export const summed = counters.map((name) => `SUM(${name}) AS ${name}`).join(", ")

export const countsOf = (row: Row): Counts =>
  Object.fromEntries(counters.map((name) => [name, amount(row, name)])) as Counts

/** The labels of keys or accounts, by their ids. */
export const labelsOf = Effect.fnUntraced(function* (
  rows: Rows.Rows,
  table: "keys" | "accounts",
  ids: ReadonlyArray<string>
) {
  const found = ids.length === 0 ? [] : yield* rows.byIds("id, label", table, ids)
  return new Map(found.map((row) => [text(row, "id"), text(row, "label")]))
})

export const zeros = Object.fromEntries(counters.map((name) => [name, 0n])) as Counts

/** Whether numbers hold all counts exactly. */
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

export const times = ({ end, start }: Window) => ({ start_time: start / 1000, end_time: end / 1000 })

/**
 * Has a bucket for every day of the window, empty ones included. The keys of `used` are days since the epoch. `undefined`
 * if a number of the report would be inexact.
 */
export const report = (owner: Owner, window: Window, used: ReadonlyMap<number, Counts>): UsageReport | undefined => {
  const buckets = days(window).map((day) => ({ day, counts: used.get(dayOf(day.start)) ?? zeros }))
  const sum = buckets.reduce((sum, { counts }) => plus(sum, counts), zeros)
  if (!isExact(sum) || !buckets.every(({ counts }) => isExact(counts))) return undefined
  return {
    scope: owner.key === undefined ? "account" : "key",
    currency: "USD",
    ...times(window),
    bucket_width: "1d",
    totals: totalsOf(sum),
    buckets: buckets.map(({ counts, day }) => ({ ...times(day), ...totalsOf(counts) }))
  }
}
