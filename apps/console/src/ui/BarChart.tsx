import { type Column, Table } from "./Table.tsx"
import { type KeyboardEvent, type PointerEvent, type RefObject, useLayoutEffect, useRef, useState } from "react"
import classes from "./BarChart.module.css"

/** The width of an element in pixels, as it changes. 0 until it is known. */
const useWidth = <E extends Element>(): readonly [RefObject<E | null>, number] => {
  const element = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    setWidth(current.clientWidth)
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
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

const keys: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowLeft: (index) => index - 1,
  ArrowDown: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index) => index + 1,
  PageUp: (index) => index + 7,
  PageDown: (index) => index - 7,
  Home: () => 0,
  End: (_, last) => last
}

/** Bars over time. The pointer or the arrow keys choose one, whose exact values are shown; the table has all of them. */
export const BarChart = (props: BarChartProps) => {
  const { bars, format, label, series } = props
  const [element, width] = useWidth<HTMLDivElement>()
  const [chosen, setChosen] = useState<number>()
  const last = bars.length - 1
  const active = chosen === undefined ? undefined : Math.min(chosen, last)
  const band = Math.max(0, width - plotLeft) / Math.max(1, bars.length)

  const choose = (event: PointerEvent) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - plotLeft
    setChosen(Math.min(last, Math.max(0, Math.floor(x / band))))
  }
  const move = (event: KeyboardEvent) => {
    const next = keys[event.key]
    if (event.key === "Escape") setChosen(undefined)
    if (next === undefined) return
    event.preventDefault()
    setChosen(Math.min(last, Math.max(0, next(active ?? last, last))))
  }
  const words = (index: number) =>
    `${bars[index]?.name ?? ""}: ${series.map(({ label, values }) => `${format(values[index] ?? 0)} ${label}`).join(", ")}`

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
      <div
        ref={element}
        className={classes["plot"]}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={active ?? last}
        aria-valuetext={words(active ?? last)}
        onPointerMove={choose}
        onPointerDown={choose}
        onPointerLeave={() => setChosen(undefined)}
        onFocus={({ currentTarget }) => {
          if (currentTarget.matches(":focus-visible")) setChosen((index) => index ?? last)
        }}
        onBlur={() => setChosen(undefined)}
        onKeyDown={move}
      >
        {width === 0 ? null : <Bars {...props} width={width} band={band} active={active} />}
        {active === undefined ? null : (
          <div
            className={classes["tip"]}
            style={{ left: Math.min(width - 88, Math.max(88, plotLeft + (active + 0.5) * band)) }}
          >
            <strong>{bars[active]?.name}</strong>
            {series.map(({ label, tone, values }) => (
              <span key={label}>
                <i className={classes[tone]} />
                {label}
                <b>{format(values[active] ?? 0)}</b>
              </span>
            ))}
          </div>
        )}
      </div>
      <ChartTable {...props} />
    </figure>
  )
}

/** Values of one kind. Several are stacked on each other. */
export interface ChartSeries {
  readonly label: string
  readonly tone: "accent" | "pale" | "bad"
  readonly values: ReadonlyArray<number>
}

type Bar = BarChartProps["bars"][number]

export interface BarChartProps {
  /** What it shows: `Calls by day`. */
  readonly label: string
  /** The name of each bar, and a short one for the axis. */
  readonly bars: ReadonlyArray<{ readonly name: string; readonly short: string }>
  readonly series: ReadonlyArray<ChartSeries>
  /** A value in full. */
  readonly format: (value: number) => string
  /** A value on the axis. */
  readonly formatShort: (value: number) => string
}

/** Room for the numbers of the axis, in pixels. */
export const plotLeft = 56

const steps = [1, 2, 5, 10] as const

/** About four round numbers from zero up to at least the largest value. All of them are whole. */
const ticksFor = (largest: number): ReadonlyArray<number> => {
  if (!(largest > 0)) return [0, 1]
  const size = 10 ** Math.max(0, Math.floor(Math.log10(largest / 4)))
  const step = (steps.find((step) => step * size * 4 >= largest) ?? 10) * size
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, i) => i * step)
}

/** The indexes of at most `most` labels, evenly spaced, that begin with the first. */
const labelled = (length: number, most: number): ReadonlyArray<number> => {
  const each = Math.max(1, Math.ceil(length / Math.max(1, most)))
  return Array.from({ length: Math.ceil(length / each) }, (_, i) => i * each)
}

const height = 240
const top = 10
const bottom = 26
const plot = height - top - bottom

interface BarsProps extends BarChartProps {
  readonly width: number
  readonly band: number
  readonly active: number | undefined
}

/** The picture of a chart. Its values are read by `BarChart` and `ChartTable`. */
export const Bars = ({ active, band, bars, formatShort, series, width }: BarsProps) => {
  const totals = bars.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0))
  const ticks = ticksFor(Math.max(0, ...totals))
  const most = ticks.at(-1) ?? 1
  const y = (value: number) => top + plot - (value / most) * plot
  const thickness = Math.min(44, Math.max(1, band * 0.72))
  const center = (i: number) => plotLeft + (i + 0.5) * band
  return (
    <svg width={width} height={height} aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <line className={classes["line"]} x1={plotLeft} x2={width} y1={y(tick)} y2={y(tick)} />
          <text x={plotLeft - 10} y={y(tick) + 4} textAnchor="end">
            {formatShort(tick)}
          </text>
        </g>
      ))}
      {active === undefined ? null : (
        <rect className={classes["band"]} x={plotLeft + active * band} y={top} width={band} height={plot} rx={4} />
      )}
      {bars.map((_, i) => {
        let below = 0
        return (
          <g key={i}>
            <rect className={classes["none"]} x={center(i) - thickness / 2} y={y(0) - 1} width={thickness} height={2} />
            {series.map(({ label, tone, values }) => {
              const value = values[i] ?? 0
              const from = y(below)
              below += value
              const high = Math.max(2, from - y(below))
              return value <= 0 ? null : (
                <rect
                  key={label}
                  className={classes[tone]}
                  x={center(i) - thickness / 2}
                  y={from - high}
                  width={thickness}
                  height={high}
                  rx={Math.min(2, thickness / 4)}
                />
              )
            })}
          </g>
        )
      })}
      {labelled(bars.length, Math.max(2, Math.floor((width - plotLeft) / 84))).map((i) => (
        <text key={i} x={center(i)} y={height - 6} textAnchor="middle">
          {bars[i]?.short}
        </text>
      ))}
    </svg>
  )
}
