import type { ReactNode } from "react"

export const Tag = ({
  children,
  kind
}: {
  readonly kind?: "good" | "warn" | "bad" | "accent" | undefined
  readonly children: ReactNode
}) => <span className={`tag ${kind ?? ""}`}>{children}</span>
