import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { UsageTotals } from "@tollgate/contract/resources/UsageReport"

/** Text that a spreadsheet would calculate is marked as text. A number stays one. */
const safe = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A row as RFC 4180 has it. */
export const csvLine = (cells: ReadonlyArray<string | number | bigint>): string =>
  cells.map((cell) => quoted(typeof cell === "string" ? safe(cell) : cell.toString())).join(",")

/** Micro-USD as a decimal of USD, exact and the same in every language. */
export const decimalUsd = (micros: number | bigint): string => {
  const amount = BigInt(micros)
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, "0")
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

const columns = [
  "section",
  "id",
  "label",
  "start_time",
  "end_time",
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

/** Everything that the page shows: the total, each hour or day, and each operation, model and key. */
export const usageCsv = (series: UsageSeries): string => {
  const line = (section: string, id: string, label: string, start: number, end: number, totals: UsageTotals) =>
    `${csvLine([section, id, label, time(start), time(end)])},${figures(totals)}`
  const { end_time: end, start_time: start } = series
  const groups = [
    ["operation", series.by_operation],
    ["model", series.by_model],
    ["key", series.by_key]
  ] as const
  const lines = [
    columns.join(","),
    line("total", "", "", start, end, series.totals),
    ...series.buckets.map((bucket) =>
      line(series.bucket_width === "1h" ? "hour" : "day", "", "", bucket.start_time, bucket.end_time, bucket)
    ),
    ...groups.flatMap(([section, rows]) =>
      rows.map(({ id, label, totals }) => line(section, id, label, start, end, totals))
    )
  ]
  return `${lines.join("\r\n")}\r\n`
}
