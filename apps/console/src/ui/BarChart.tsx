import { useState } from "react"
import classes from "./BarChart.module.css"
import { type Column, Table } from "./Table.tsx"

/** Values of one kind. Several are stacked on each other. */
export interface ChartSeries {
  readonly label: string
  readonly tone: "accent" | "pale" | "bad"
  readonly values: ReadonlyArray<number>
}

interface Bar {
  readonly name: string
  /** For the axis. */
  readonly short: string
}

export interface BarChartProps {
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
export const BarChart = (props: BarChartProps) => {
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
