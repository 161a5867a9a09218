import type { ReactNode } from "react"

export interface NoticeProps {
  readonly kind?: "info" | "good" | "warn" | "bad"
  readonly title?: ReactNode
  readonly children?: ReactNode
}

/** Something to know. A failure is announced to screen readers at once. */
export const Notice = ({ children, kind = "info", title }: NoticeProps) => (
  <div className={`notice ${kind}`} role={kind === "bad" ? "alert" : "status"}>
    {title === undefined ? null : <strong>{title}</strong>}
    {children}
  </div>
)
