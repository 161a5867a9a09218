import { useState } from "react"
import classes from "./BarChart.module.css"
import type { BarChartProps } from "./BarChartProps.ts"

/** The values of a chart as a table. */
export const ChartTable = ({ bars, format, label, series }: BarChartProps) => {
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
