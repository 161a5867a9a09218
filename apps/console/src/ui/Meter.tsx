import classes from "./Meter.module.css"

export interface MeterProps {
  readonly label: string
  /** Between 0 and 1. */
  readonly ratio: number
  readonly tone?: "accent" | "warn" | "bad"
}

/** How much of something is used, as a bar. Words beside it say the amounts. */
export const Meter = ({ label, ratio, tone = "accent" }: MeterProps) => (
  <span
    className={classes["meter"]}
    role="meter"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={Math.round(ratio * 100)}
  >
    <span className={classes[tone]} style={{ width: `${Math.min(1, Math.max(0, ratio)) * 100}%` }} />
  </span>
)
