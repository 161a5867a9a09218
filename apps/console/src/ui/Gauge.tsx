import { useId } from "react"
import classes from "./Gauge.module.css"

export interface GaugeProps {
  readonly label: string
  /** What is used, of `limit`. */
  readonly used: number
  readonly limit: number
  /** The figure: `48`. */
  readonly value: string
  /** What it is of: `of 60 left`. */
  readonly of: string
  readonly note?: string | undefined
}

/** Three quarters of a circle, from the lower left. */
const arc = "M 15.1 48.9 A 24 24 0 1 1 48.9 48.9"

/** How much of a limit is used. */
export const Gauge = ({ label, limit, note, of, used, value }: GaugeProps) => {
  const id = useId()
  const share = limit <= 0 ? 1 : Math.min(1, Math.max(0, used / limit))
  const kind = share >= 1 ? classes["full"] : share >= 0.8 ? classes["high"] : ""
  return (
    <div
      className={`${classes["gauge"]} ${kind}`}
      role="meter"
      aria-labelledby={id}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(used, limit)}
      aria-valuetext={`${value} ${of}`}
    >
      <svg viewBox="0 0 64 64" aria-hidden="true">
        <path d={arc} pathLength={100} />
        {/* A round end is visible at any length, so that nothing is drawn for nothing. */}
        {share === 0 ? null : (
          <path d={arc} pathLength={100} className={classes["used"]} strokeDasharray={`${share * 100} 200`} />
        )}
      </svg>
      <div className={classes["words"]}>
        <span className={classes["label"]} id={id}>
          {label}
        </span>
        <strong className={classes["value"]}>
          {value} <span>{of}</span>
        </strong>
        <small className={classes["note"]}>{note ?? "\u00a0"}</small>
      </div>
    </div>
  )
}
