import { micro } from "@tollgate/contract/Money"
import type { UsageReport, UsageTotals } from "@tollgate/contract/resources/UsageReport"
import { type Counts, counters, plus } from "../ledger/UsageTotals.ts"
import type { Owner } from "./Usage.ts"
import { dayOf, days, type Window } from "./Window.ts"

const zeros = Object.fromEntries(counters.map((name) => [name, 0n])) as Counts

export const totalsOf = (counts: Counts): UsageTotals => ({
  requests: Number(counts.requests),
  failed_requests: Number(counts.failed_requests),
  input_tokens: Number(counts.input_tokens),
  output_tokens: Number(counts.output_tokens),
  cache_read_tokens: Number(counts.cache_read_tokens),
  cache_write_tokens: Number(counts.cache_write_tokens),
  usage_value_micros_usd: micro(counts.value),
  charged_micros_usd: micro(counts.charged)
})

const times = ({ end, start }: Window) => ({ start_time: start / 1000, end_time: end / 1000 })

/** Has a bucket for every day of the window, empty ones included. The keys of `used` are days since the epoch. */
export const report = (owner: Owner, window: Window, used: ReadonlyMap<number, Counts>): UsageReport => {
  const buckets = days(window).map((day) => ({ day, counts: used.get(dayOf(day.start)) ?? zeros }))
  return {
    scope: owner.key === undefined ? "account" : "key",
    currency: "USD",
    ...times(window),
    bucket_width: "1d",
    totals: totalsOf(buckets.reduce((sum, { counts }) => plus(sum, counts), zeros)),
    buckets: buckets.map(({ counts, day }) => ({ ...times(day), ...totalsOf(counts) }))
  }
}
