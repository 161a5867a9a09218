import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { UsageTotals } from "@tollgate/contract/resources/UsageReport"
import { useState } from "react"
import { count, shortCount, shortUsd, usd } from "../../ui/amounts.ts"
import { Segments } from "../../ui/form.tsx"
import { Card } from "../../ui/kit.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import classes from "./chart.module.css"
import { bucketName, bucketShort } from "./window.ts"

/** Values of one kind. Several are stacked on each other. */
interface ChartSeries {
  readonly label: string
  readonly tone: "accent" | "pale" | "bad"
  readonly values: ReadonlyArray<number>
}

interface Bar {
  readonly name: string
  /** For the axis. */
  readonly short: string
}

interface BarChartProps {
  /** What it shows: `Calls by day`. */
  readonly label: string
  readonly bars: ReadonlyArray<Bar>
  readonly series: ReadonlyArray<ChartSeries>
  /** A value in full. */
  readonly format: (value: number) => string
  /** A value on the axis. */
  readonly formatShort: (value: number) => string
}

/** The values of a chart as a table. */
const ChartTable = ({ bars, format, label, series }: BarChartProps) => {
  const [open, setOpen] = useState(false)
  return (
    <details className={classes["table"]} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show as a table</summary>
      {open ? (
        <div className={classes["rows"]}>
          <Table
            label={`${label}, as a table`}
            className=""
            columns={[
              { head: "Time", kind: "name", cell: ({ name }) => name },
              ...series.map(({ label, values }): Column<Bar> => ({
                head: label,
                kind: "number",
                cell: (bar) => format(values[bars.indexOf(bar)] ?? 0)
              }))
            ]}
            rows={bars}
            keyOf={(bar) => `${bars.indexOf(bar)}`}
          />
        </div>
      ) : null}
    </details>
  )
}

const steps = [1, 2, 5, 10] as const

/** About four round numbers from zero up to at least the largest value. All of them are whole. */
const ticksFor = (largest: number): ReadonlyArray<number> => {
  if (!(largest > 0)) return [0, 1]
  const size = 10 ** Math.max(0, Math.floor(Math.log10(largest / 4)))
  const step = (steps.find((step) => step * size * 4 >= largest) ?? 10) * size
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, i) => i * step)
}

/** More would not fit on the axis. */
const mostLabels = 8

/** Bars over time. The pointer shows the exact values of one; the table has all of them. */
const BarChart = (props: BarChartProps) => {
  const { bars, format, formatShort, label, series } = props
  const totals = bars.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0))
  const ticks = ticksFor(Math.max(0, ...totals))
  const most = ticks.at(-1) ?? 1
  const part = (value: number) => `${(value / most) * 100}%`
  const labelledEvery = Math.max(1, Math.ceil(bars.length / mostLabels))
  return (
    <figure className={classes["chart"]}>
      {series.length < 2 ? null : (
        <figcaption className={classes["legend"]}>
          {series.map(({ label, tone }) => (
            <span key={label}>
              <i className={classes[tone]} />
              {label}
            </span>
          ))}
        </figcaption>
      )}
      <div className={classes["plot"]} role="img" aria-label={label}>
        {ticks.map((tick) => (
          <span key={tick} className={classes["tick"]} style={{ bottom: part(tick) }}>
            <small>{formatShort(tick)}</small>
          </span>
        ))}
        {bars.map(({ name, short }, i) => (
          <div key={i} className={classes["bar"]} data-side={i * 2 < bars.length ? "left" : "right"}>
            {series.map(({ label, tone, values }) => (
              <i key={label} className={classes[tone]} style={{ height: part(values[i] ?? 0) }} />
            ))}
            {i % labelledEvery === 0 ? <small data-odd={(i / labelledEvery) % 2 === 1}>{short}</small> : null}
            <div className={classes["tip"]}>
              <strong>{name}</strong>
              {series.map(({ label, tone, values }) => (
                <span key={label}>
                  <i className={classes[tone]} />
                  {label}
                  <b>{format(values[i] ?? 0)}</b>
                </span>
              ))}
            </div>
          </div>
        ))}
      </div>
      <ChartTable {...props} />
    </figure>
  )
}

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
