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

interface Told {
  readonly _tag?: string
  readonly message?: string
  readonly status?: number
  readonly code?: string
  readonly requestId?: string
}

/** Nothing answers. What a page loads comes by itself once something does. */
export const Unreachable = ({ children }: { readonly children?: ReactNode }) => (
  <Notice kind="bad" title="The gateway cannot be reached">
    <p>This page loads by itself when the gateway is back.</p>
    {children}
  </Notice>
)

/** A failure of the client, as it tells it: what went wrong, and the request id to ask the operator with. */
export const ErrorNotice = ({ children, error }: { readonly error: unknown; readonly children?: ReactNode }) => {
  const { _tag, code, message, requestId, status } = (error ?? {}) as Told
  if (_tag === "TransportFailed") return <Unreachable>{children}</Unreachable>
  return (
    <Notice kind="bad" title={message ?? "The request failed"}>
      <p className="soft small">
        {[_tag, status, code, requestId].filter((part) => part !== undefined && part !== "").join(" · ")}
      </p>
      {children}
    </Notice>
  )
}
