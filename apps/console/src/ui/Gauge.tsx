import { useId } from "react"

export interface GaugeProps {
  readonly label: string
  /** What is used, of `limit`. */
  readonly used: number
  readonly limit: number
  /** Both in words: `48 of 60 left`. */
  readonly text: string
  readonly note?: string | undefined
}

/** Three quarters of a circle, from the lower left. */
const arc = "M 15.1 48.9 A 24 24 0 1 1 48.9 48.9"

/** How much of a limit is used. */
export const Gauge = ({ label, limit, note, text, used }: GaugeProps) => {
  const id = useId()
  const share = limit <= 0 ? 1 : Math.min(1, Math.max(0, used / limit))
  const kind = share >= 1 ? "full" : share >= 0.8 ? "high" : ""
  return (
    <div
      className={`gauge ${kind}`}
      role="meter"
      aria-labelledby={id}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(used, limit)}
      aria-valuetext={text}
    >
      <svg viewBox="0 0 64 64" aria-hidden="true">
        <path d={arc} pathLength={100} />
        <path d={arc} pathLength={100} className="used" strokeDasharray={`${share * 100} 200`} />
      </svg>
      <div>
        <span className="label" id={id}>
          {label}
        </span>
        <strong>{text}</strong>
        <small>{note ?? "\u00a0"}</small>
      </div>
    </div>
  )
}
