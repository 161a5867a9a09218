import type { ButtonHTMLAttributes } from "react"

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: "main" | "quiet" | "danger"
  /** Shows that what it started is going on. It stays pressable only if `disabled` is not set. */
  readonly busy?: boolean
}

export const Button = ({ busy = false, children, className = "", kind, ...rest }: ButtonProps) => (
  <button type="button" {...rest} aria-busy={busy} className={`button ${kind ?? ""} ${className}`}>
    {busy ? <span className="spinner" aria-hidden="true" /> : null}
    {children}
  </button>
)
