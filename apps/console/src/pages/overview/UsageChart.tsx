import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { UsageTotals } from "@tollgate/contract/resources/UsageReport"
import { count, shortCount, shortUsd, usd } from "../../ui/amounts.ts"
import { BarChart, type ChartSeries } from "../../ui/BarChart.tsx"
import { Card } from "../../ui/kit.tsx"
import { Segments } from "../../ui/form.tsx"
import { bucketName, bucketShort } from "./window.ts"

interface Kind {
  readonly label: string
  readonly format: (value: number) => string
  readonly formatShort: (value: number) => string
  readonly series: ReadonlyArray<Omit<ChartSeries, "values"> & { readonly of: (totals: UsageTotals) => number }>
}

const counted = { format: count, formatShort: shortCount }

const kinds = {
  requests: {
    label: "Calls",
    ...counted,
    series: [
      { label: "succeeded", tone: "accent", of: (totals) => totals.requests - totals.failed_requests },
      { label: "failed", tone: "bad", of: (totals) => totals.failed_requests }
    ]
  },
  tokens: {
    label: "Tokens",
    ...counted,
    series: [
      { label: "in", tone: "accent", of: (totals) => totals.input_tokens },
      { label: "out", tone: "pale", of: (totals) => totals.output_tokens }
    ]
  },
  charge: {
    label: "Charged",
    format: usd,
    formatShort: shortUsd,
    series: [{ label: "charged", tone: "accent", of: (totals) => totals.charged_micros_usd }]
  },
  failures: {
    label: "Failed",
    ...counted,
    series: [{ label: "failed", tone: "bad", of: (totals) => totals.failed_requests }]
  }
} as const satisfies Readonly<Record<string, Kind>>

export type Shown = keyof typeof kinds

export const shownOf = (text: string | undefined): Shown =>
  text !== undefined && text in kinds ? (text as Shown) : "requests"

const options = Object.entries(kinds).map(([id, { label }]) => [id as Shown, label] as const)

interface UsageChartProps {
  readonly series: UsageSeries
  readonly shown: Shown
  readonly onShow: (shown: Shown) => void
}

/** One figure over time. */
export const UsageChart = ({ onShow, series: { bucket_width, buckets }, shown }: UsageChartProps) => {
  const kind: Kind = kinds[shown]
  return (
    <Card
      title={`${kind.label} by ${bucket_width === "1h" ? "hour" : "day"}`}
      action={<Segments label="Chart of" options={options} value={shown} onChange={onShow} />}
    >
      <BarChart
        label={`${kind.label} by ${bucket_width === "1h" ? "hour" : "day"}`}
        bars={buckets.map((bucket) => ({
          name: bucketName(bucket.start_time, bucket_width),
          short: bucketShort(bucket.start_time, bucket_width, buckets.length)
        }))}
        series={kind.series.map(({ label, of, tone }) => ({ label, tone, values: buckets.map(of) }))}
        format={kind.format}
        formatShort={kind.formatShort}
      />
    </Card>
  )
}
