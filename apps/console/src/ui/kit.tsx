import { fullTime } from "./times.ts"
import type { UseLoad } from "@tollgate/react/effect"
import { type ButtonHTMLAttributes, Fragment, type ReactNode, useEffect, useId, useState } from "react"
import { gateway } from "../session/gateway.ts"

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: "main" | "quiet" | "danger" | undefined
  /** Shows that what it started is going on. It stays pressable only if `disabled` is not set. */
  readonly busy?: boolean
}

export const Button = ({ busy = false, children, className = "", kind, ...rest }: ButtonProps) => (
  <button type="button" {...rest} aria-busy={busy} className={`button ${kind ?? ""} ${className}`}>
    {busy ? <span className="spinner" aria-hidden="true" /> : null}
    {children}
  </button>
)

export interface CardProps {
  readonly title?: ReactNode
  /** Beside the title. */
  readonly action?: ReactNode
  readonly children: ReactNode
  readonly flush?: boolean
}

/** A region with a title. `flush`: its content reaches its edges. */
export const Card = ({ action, children, flush = false, title }: CardProps) => {
  const id = useId()
  return (
    <section className={flush ? "card flush" : "card"} aria-labelledby={title === undefined ? undefined : id}>
      {title === undefined ? null : (
        <header>
          <h2 id={id}>{title}</h2>
          {action}
        </header>
      )}
      {children}
    </section>
  )
}

export interface PageProps {
  readonly title: string
  /** The way to the list that the page is of, above the title. */
  readonly back?: ReactNode
  /** Beside the title: a state. */
  readonly mark?: ReactNode
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The top of every page. */
export const Page = ({ actions, back, children, lead, mark, title }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · ${gateway.name}`
  }, [title])
  return (
    <>
      <header className="page-head">
        <div>
          {back === undefined ? null : <div className="back">{back}</div>}
          <div className="title">
            <h1>{title}</h1>
            {mark}
          </div>
          {lead === undefined ? null : <p className="lead">{lead}</p>}
        </div>
        {actions == null ? null : <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

interface EmptyProps {
  readonly title: string
  /** In a card of its own. */
  readonly inCard?: boolean
  readonly children?: ReactNode
}

/** There is nothing to show, and what to do about it. */
export const Empty = ({ children, inCard = false, title }: EmptyProps): ReactNode =>
  inCard ? (
    <Card>
      <Empty title={title}>{children}</Empty>
    </Card>
  ) : (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  )

export interface SkeletonProps {
  readonly lines?: number
  /** As high as a figure instead of a line of text. */
  readonly tall?: boolean
}

/** Stands where something will be, in its size, so that nothing jumps. */
export const Skeleton = ({ lines = 3, tall = false }: SkeletonProps) => (
  <div className={tall ? "skeleton tall" : "skeleton"} aria-hidden="true">
    {Array.from({ length: lines }, (_, i) => (
      <span key={i} />
    ))}
  </div>
)

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

interface Message {
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

interface ErrorNoticeProps {
  readonly error: unknown
  /** Tries again what failed. */
  readonly retry?: () => void
  readonly children?: ReactNode
}

/** A failure of the client, as it tells it: what went wrong, and the request id to ask the operator with. */
export const ErrorNotice = ({ children, error, retry }: ErrorNoticeProps) => {
  const { _tag, code, message, requestId, status } = (error ?? {}) as Message
  const again = retry === undefined ? null : <Button onClick={retry}>Try again</Button>
  if (_tag === "TransportFailed") {
    return (
      <Unreachable>
        {children}
        {again}
      </Unreachable>
    )
  }
  return (
    <Notice kind="bad" title={message ?? "The request failed"}>
      <p className="soft small">
        {[_tag, status, code, requestId].filter((part) => part !== undefined && part !== "").join(" · ")}
      </p>
      {children}
      {again}
    </Notice>
  )
}

export interface LoadedProps<A> {
  readonly of: Pick<UseLoad<A, unknown>, "error" | "refresh" | "value">
  /** In its place until it arrives. */
  readonly loading?: ReactNode
  /** What to know of the last value after a failure. */
  readonly stale?: ReactNode
  readonly children: (value: A) => ReactNode
}

/** What was loaded: lines in its place until then, and a failure above what came before it. */
export const Loaded = <A,>({ children, loading, of: { error, refresh, value }, stale }: LoadedProps<A>) => (
  <>
    {error === undefined ? null : (
      <ErrorNotice error={error} retry={refresh}>
        {value === undefined || stale === undefined ? null : <p className="small">{stale}</p>}
      </ErrorNotice>
    )}
    {value !== undefined ? (
      children(value)
    ) : error === undefined ? (
      <div className="loading" role="status" aria-label="Loading">
        {loading ?? <Skeleton />}
      </div>
    ) : null}
  </>
)

/** In a table: there is none. On a phone the cell is left out. */
export const dash = <span className="dash soft">–</span>

export const Tag = ({
  children,
  kind
}: {
  readonly kind?: "good" | "warn" | "bad" | "accent" | undefined
  readonly children: ReactNode
}) => <span className={`tag ${kind ?? ""}`}>{children}</span>

export type StatOf = readonly [label: string, value: ReactNode, note?: ReactNode]

/** Figures, each with a note below it: a comparison, a share. */
export const Stats = ({ of }: { readonly of: ReadonlyArray<StatOf> }) => (
  <dl className="stats">
    {of.map(([label, value, note]) => (
      <div key={label} className="stat">
        <dt>{label}</dt>
        <dd>
          <strong>{value}</strong>
          {note === undefined ? null : <small>{note}</small>}
        </dd>
      </div>
    ))}
  </dl>
)

export type Fact = readonly [label: string, value: ReactNode]

interface FactsProps {
  /** What is `undefined` is left out. */
  readonly of: ReadonlyArray<Fact | undefined>
  /** Lines with the values at their end: figures. */
  readonly areFigures?: boolean
}

/** What is known of one thing. */
export const Facts = ({ areFigures = false, of }: FactsProps) => (
  <dl className={areFigures ? "fact-rows" : "facts"}>
    {of.map((fact) =>
      fact === undefined ? null : (
        <div key={fact[0]}>
          <dt>{fact[0]}</dt>
          <dd>{fact[1]}</dd>
        </div>
      )
    )}
  </dl>
)

export const Copy = ({ label = "Copy", text }: { readonly text: string; readonly label?: string }) => {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle")
  useEffect(() => {
    if (state === "idle") return undefined
    const timer = setTimeout(() => setState("idle"), 2_000)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState("copied"),
      () => setState("failed")
    )
  return (
    <Button kind="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{state === "idle" ? label : state === "copied" ? "Copied" : "Select it and copy"}</span>
    </Button>
  )
}

export interface CodeProps {
  readonly title: string
  readonly code: string
}

/** Code to take along. */
export const Code = ({ code, title }: CodeProps) => (
  <figure className="code">
    <figcaption>
      {title}
      <Copy text={code} />
    </figcaption>
    {/* It scrolls, so that the keyboard must reach it. */}
    <pre tabIndex={0}>
      <code>{code}</code>
    </pre>
  </figure>
)

/** An id of an operation, which a line breaks after a point or an underscore. */
export const OperationId = ({ id }: { readonly id: string }) =>
  id.split(/(?<=[._])/).map((part, at) => (
    <Fragment key={`${at} ${part}`}>
      {at === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ))

export interface TimelineEvent {
  readonly title: string
  readonly text?: string | undefined
  readonly at?: string | undefined
  /** In place of `at`: the time since the first. */
  readonly after?: string
  readonly kind?: "good" | "warn" | "bad" | "accent" | "running" | undefined
}

export const Timeline = ({ events }: { readonly events: ReadonlyArray<TimelineEvent> }) => (
  <ol className="timeline" aria-live="polite">
    {events.map(({ after, at, kind, text, title }, i) => (
      <li key={i} className={kind}>
        <p>
          <strong>{title}</strong>
          {at === undefined ? null : <time dateTime={at}>{fullTime(at)}</time>}
          {after === undefined ? null : <time>{after}</time>}
        </p>
        {text === undefined || text === "" ? null : <p className="soft small">{text}</p>}
      </li>
    ))}
  </ol>
)
