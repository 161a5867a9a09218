import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { UsageTotals } from "@tollgate/contract/resources/UsageReport"
import { csvFile, csvLine, decimalUsd } from "../../ui/csv.ts"

const columns = [
  "requests",
  "failed_requests",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "usage_value_micros_usd",
  "usage_value_usd",
  "charged_micros_usd",
  "charged_usd"
] as const

const time = (seconds: number): string => new Date(seconds * 1000).toISOString()

const figures = (totals: UsageTotals): string =>
  [
    totals.requests,
    totals.failed_requests,
    totals.input_tokens,
    totals.output_tokens,
    totals.cache_read_tokens,
    totals.cache_write_tokens,
    totals.usage_value_micros_usd,
    decimalUsd(totals.usage_value_micros_usd),
    totals.charged_micros_usd,
    decimalUsd(totals.charged_micros_usd)
  ].join(",")

/** What the rows of a file are. */
export type Table = "time" | "operation" | "model" | "key"

const timeRows = ({ buckets }: UsageSeries): ReadonlyArray<string> => [
  ["start_time", "end_time", ...columns].join(","),
  ...buckets.map((bucket) => `${csvLine([time(bucket.start_time), time(bucket.end_time)])},${figures(bucket)}`)
]

/** One table, whose rows add up to what the page shows. */
export const usageCsv = (series: UsageSeries, table: Table): string => {
  if (table === "time") return csvFile(timeRows(series))
  const groups = { operation: series.by_operation, model: series.by_model, key: series.by_key }[table]
  return csvFile([
    [table, "label", ...columns].join(","),
    ...groups.map(({ id, label, totals }) => `${csvLine([id, label])},${figures(totals)}`)
  ])
}
