import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { UsageTotals } from "@tollgate/contract/resources/UsageReport"
import { useState } from "react"
import { Select } from "../../ui/form.tsx"
import { type CsvColumns, csvOf, saveCsv } from "../../ui/csv.ts"
import { usdText } from "../../ui/parseUsd.ts"
import classes from "./overview.module.css"
import { dayText } from "./window.ts"

const figures: CsvColumns<UsageTotals> = {
  requests: (totals) => totals.requests,
  failed_requests: (totals) => totals.failed_requests,
  input_tokens: (totals) => totals.input_tokens,
  output_tokens: (totals) => totals.output_tokens,
  cache_read_tokens: (totals) => totals.cache_read_tokens,
  cache_write_tokens: (totals) => totals.cache_write_tokens,
  usage_value_micros_usd: (totals) => totals.usage_value_micros_usd,
  usage_value_usd: (totals) => usdText(totals.usage_value_micros_usd),
  charged_micros_usd: (totals) => totals.charged_micros_usd,
  charged_usd: (totals) => usdText(totals.charged_micros_usd)
}

const time = (seconds: number): string => new Date(seconds * 1000).toISOString()

const times: CsvColumns<UsageSeries["buckets"][number]> = {
  start_time: (bucket) => time(bucket.start_time),
  end_time: (bucket) => time(bucket.end_time),
  ...figures
}

const rows = ["time", "operation", "model", "key"] as const
type Rows = (typeof rows)[number]

/** One table, whose rows add up to what the page shows. */
const usageCsv = (series: UsageSeries, rows: Rows): string => {
  if (rows === "time") return csvOf(times, series.buckets)
  const flat = series[`by_${rows}`].map(({ id, label, totals }) => ({ ...totals, id, label }))
  return csvOf(
    { [rows]: ({ id }) => id, label: ({ label }) => label, ...figures } satisfies CsvColumns<(typeof flat)[number]>,
    flat
  )
}

/** Saves the figures of the window, one table in a file. */
export const ExportMenu = ({ series }: { readonly series: UsageSeries }) => {
  const [saves, setSaves] = useState(0)
  const width = series.bucket_width === "1h" ? "hour" : "day"
  const save = (rows: Rows) => {
    const name = `usage-by-${rows === "time" ? width : rows}`
    saveCsv(`${name}-${dayText(series.start_time)}-${dayText(series.end_time - 1)}.csv`, usageCsv(series, rows))
  }
  return (
    <Select<Rows | "">
      key={saves}
      label="Export CSV"
      className={classes["tag"]}
      options={[["", "Export CSV"], ...rows.map((row) => [row, `By ${row === "time" ? width : row}`] as const)]}
      value=""
      onChange={(chosen) => {
        if (chosen !== "") save(chosen)
        // Nothing stays chosen.
        setSaves(saves + 1)
      }}
    />
  )
}
