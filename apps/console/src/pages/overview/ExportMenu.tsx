import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { UsageTotals } from "@tollgate/contract/resources/UsageReport"
import { csvFile, csvLine, decimalUsd, saveCsv } from "../../ui/csv.ts"
import { Menu } from "../../ui/Menu.tsx"
import { dayText } from "./window.ts"

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
type Table = "time" | "operation" | "model" | "key"

const timeRows = ({ buckets }: UsageSeries): ReadonlyArray<string> => [
  ["start_time", "end_time", ...columns].join(","),
  ...buckets.map((bucket) => `${csvLine([time(bucket.start_time), time(bucket.end_time)])},${figures(bucket)}`)
]

/** One table, whose rows add up to what the page shows. */
const usageCsv = (series: UsageSeries, table: Table): string => {
  if (table === "time") return csvFile(timeRows(series))
  const groups = { operation: series.by_operation, model: series.by_model, key: series.by_key }[table]
  return csvFile([
    [table, "label", ...columns].join(","),
    ...groups.map(({ id, label, totals }) => `${csvLine([id, label])},${figures(totals)}`)
  ])
}

const optionsOf = ({ bucket_width }: UsageSeries): ReadonlyArray<readonly [Table, string]> => [
  ["time", bucket_width === "1h" ? "By hour" : "By day"],
  ["operation", "By operation"],
  ["model", "By model"],
  ["key", "By key"]
]

const nameOf = ({ bucket_width, end_time, start_time }: UsageSeries, table: Table): string => {
  const rows = table === "time" ? (bucket_width === "1h" ? "hour" : "day") : table
  return `usage-by-${rows}-${dayText(start_time)}-${dayText(end_time - 1)}.csv`
}

/** Saves the figures of the window, one table in a file. */
export const ExportMenu = ({ series }: { readonly series: UsageSeries }) => (
  <Menu
    label="Export CSV"
    options={optionsOf(series)}
    onChoose={(table) => saveCsv(nameOf(series, table), usageCsv(series, table))}
  />
)
