import type { ReactNode } from "react"

export interface StatProps {
  readonly label: string
  readonly value: ReactNode
  /** Below the value: a comparison, a share. */
  readonly note?: ReactNode
}

/** One figure. */
export const Stat = ({ label, note, value }: StatProps) => (
  <div className="stat">
    <dt>{label}</dt>
    <dd>
      <strong>{value}</strong>
      <small>{note ?? "\u00a0"}</small>
    </dd>
  </div>
)

export const Stats = ({ children }: { readonly children: ReactNode }) => <dl className="stats">{children}</dl>
