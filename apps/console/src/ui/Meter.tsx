import type { ReactNode } from "react"
import classes from "./Meter.module.css"

interface BarProps {
  readonly label: string
  /** What is used, of `limit`. */
  readonly used: number
  readonly limit: number
  /** In words: `48 of 60 left`. */
  readonly words: string
}

export const Bar = ({ label, limit, used, words }: BarProps) => {
  const share = limit <= 0 ? 1 : Math.min(1, Math.max(0, used / limit))
  return (
    <span
      className={classes["bar"]}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(used, limit)}
      aria-valuetext={words}
    >
      <span
        className={classes[share >= 1 ? "bad" : share >= 0.8 ? "warn" : "accent"]}
        style={{ width: `${share * 100}%` }}
      />
    </span>
  )
}

export interface MeterProps extends BarProps {
  readonly title?: string
  readonly note?: ReactNode
}

/** The same, with its words. */
export const Meter = ({ note, title, ...bar }: MeterProps) => (
  <div className={classes["meter"]}>
    <span>{bar.label}</span>
    <strong title={title}>{bar.words}</strong>
    <Bar {...bar} />
    {note === undefined ? null : <small className="soft">{note}</small>}
  </div>
)
