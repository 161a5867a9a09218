import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { UsageTotals } from "@tollgate/contract/resources/UsageReport"
import { useState } from "react"
import { count, shortCount, shortUsd, usd } from "../../ui/amounts.ts"
import { Segments } from "../../ui/form.tsx"
import { Card } from "../../ui/kit.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import classes from "./chart.module.css"
import { bucketName, bucketShort } from "./window.ts"

type Bucket = UsageSeries["buckets"][number]

/** A part of each bar. Several are stacked on each other. */
interface Part {
  readonly label: string
  readonly tone: "accent" | "pale" | "bad"
  readonly of: (totals: UsageTotals) => number
}

interface Kind {
  readonly label: string
  readonly format: (value: number) => string
  readonly formatShort: (value: number) => string
  readonly parts: ReadonlyArray<Part>
}

const counted = { format: count, formatShort: shortCount }

const kinds = {
  requests: {
    label: "Calls",
    ...counted,
    parts: [
      { label: "succeeded", tone: "accent", of: (totals) => totals.requests - totals.failed_requests },
      { label: "failed", tone: "bad", of: (totals) => totals.failed_requests }
    ]
  },
  tokens: {
    label: "Tokens",
    ...counted,
    parts: [
      { label: "in", tone: "accent", of: (totals) => totals.input_tokens },
      { label: "out", tone: "pale", of: (totals) => totals.output_tokens }
    ]
  },
  charge: {
    label: "Charged",
    format: usd,
    formatShort: shortUsd,
    parts: [{ label: "charged", tone: "accent", of: (totals) => totals.charged_micros_usd }]
  },
  failures: {
    label: "Failed",
    ...counted,
    parts: [{ label: "failed", tone: "bad", of: (totals) => totals.failed_requests }]
  }
} as const satisfies Readonly<Record<string, Kind>>

export type Shown = keyof typeof kinds

export const shownOf = (text: string | undefined): Shown =>
  text !== undefined && text in kinds ? (text as Shown) : "requests"

const options = Object.entries(kinds).map(([id, { label }]) => [id as Shown, label] as const)

interface BarsProps {
  /** What it shows: `Calls by day`. */
  readonly label: string
  readonly kind: Kind
  readonly series: UsageSeries
}

const ChartTable = ({ kind: { format, parts }, label, series: { bucket_width, buckets } }: BarsProps) => {
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
              { head: "Time", kind: "name", cell: ({ start_time }) => bucketName(start_time, bucket_width) },
              ...parts.map(({ label, of }): Column<Bucket> => ({
                head: label,
                kind: "number",
                cell: (bucket) => format(of(bucket))
              }))
            ]}
            rows={buckets}
            keyOf={({ start_time }) => `${start_time}`}
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
const Bars = ({ kind: { format, formatShort, parts }, label, series: { bucket_width, buckets } }: BarsProps) => {
  const ticks = ticksFor(Math.max(0, ...buckets.map((bucket) => parts.reduce((sum, { of }) => sum + of(bucket), 0))))
  const most = ticks.at(-1) ?? 1
  const share = (value: number) => `${(value / most) * 100}%`
  const labelledEvery = Math.max(1, Math.ceil(buckets.length / mostLabels))
  return (
    <div className={classes["plot"]} role="img" aria-label={label}>
      {ticks.map((tick) => (
        <span key={tick} className={classes["tick"]} style={{ bottom: share(tick) }}>
          <small>{formatShort(tick)}</small>
        </span>
      ))}
      {buckets.map((bucket, i) => (
        <div key={i} className={classes["bar"]} data-side={i * 2 < buckets.length ? "left" : "right"}>
          {parts.map(({ label, of, tone }) => (
            <i key={label} className={classes[tone]} style={{ height: share(of(bucket)) }} />
          ))}
          {i % labelledEvery === 0 ? (
            <small data-odd={(i / labelledEvery) % 2 === 1}>
              {bucketShort(bucket.start_time, bucket_width, buckets.length)}
            </small>
          ) : null}
          <div className={classes["tip"]}>
            <strong>{bucketName(bucket.start_time, bucket_width)}</strong>
            {parts.map(({ label, of, tone }) => (
              <span key={label}>
                <i className={classes[tone]} />
                {label}
                <b>{format(of(bucket))}</b>
              </span>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

interface UsageChartProps {
  readonly series: UsageSeries
  readonly shown: Shown
  readonly onShow: (shown: Shown) => void
}

export const UsageChart = ({ onShow, series, shown }: UsageChartProps) => {
  const kind: Kind = kinds[shown]
  const bars = { label: `${kind.label} by ${series.bucket_width === "1h" ? "hour" : "day"}`, kind, series }
  return (
    <Card title={bars.label} action={<Segments label="Chart of" options={options} value={shown} onChange={onShow} />}>
      <figure className={classes["chart"]}>
        {kind.parts.length < 2 ? null : (
          <figcaption className={classes["legend"]}>
            {kind.parts.map(({ label, tone }) => (
              <span key={label}>
                <i className={classes[tone]} />
                {label}
              </span>
            ))}
          </figcaption>
        )}
        <Bars {...bars} />
        <ChartTable {...bars} />
      </figure>
    </Card>
  )
}
