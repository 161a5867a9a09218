import { type KeyboardEvent, type PointerEvent, type RefObject, useLayoutEffect, useRef, useState } from "react"
import classes from "./BarChart.module.css"
import { type BarChartProps, Bars, plotLeft } from "./Bars.tsx"

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
        <div className={classes["rows"]} tabIndex={0} role="region" aria-label={`${label}, as a table`}>
          <table>
            <caption className="quiet">{label}</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col" className="number">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map(({ name }, i) => (
                <tr key={i}>
                  <th scope="row">{name}</th>
                  {series.map(({ label, values }) => (
                    <td key={label} className="number">
                      {format(values[i] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
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
