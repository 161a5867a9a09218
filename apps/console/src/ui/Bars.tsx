import classes from "./BarChart.module.css"

/** Values of one kind. Several are stacked on each other. */
export interface ChartSeries {
  readonly label: string
  readonly tone: "accent" | "pale" | "bad"
  readonly values: ReadonlyArray<number>
}

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
