import type { ReactNode } from "react"

/** There is nothing to show, and what to do about it. */
export const Empty = ({ children, title }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="empty">
    <strong>{title}</strong>
    {children}
  </div>
)
