/** Values of one kind. Several are stacked on each other. */
export interface ChartSeries {
  readonly label: string
  readonly tone: "accent" | "pale" | "bad"
  readonly values: ReadonlyArray<number>
}

export interface BarChartProps {
  /** What it shows: `Requests by day`. */
  readonly label: string
  /** The name of each bar, and a short one for the axis. */
  readonly bars: ReadonlyArray<{ readonly name: string; readonly short: string }>
  readonly series: ReadonlyArray<ChartSeries>
  /** A value in full. */
  readonly format: (value: number) => string
  /** A value on the axis. */
  readonly formatShort: (value: number) => string
}
