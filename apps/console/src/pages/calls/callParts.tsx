import { Link } from "@tanstack/react-router"
import type { CallStory, LoggedCall } from "@tollgate/contract/account/LoggedCall"
import { byStatus, make } from "@tollgate/contract/errors/ApiError"
import { listWords, stateWords } from "@tollgate/contract/callWords"
import { explain, faultWords } from "@tollgate/contract/errors/explain"
import type { ReactNode } from "react"
import { chargedUsd, columnUsd, count, microsOf, usd } from "../../ui/amounts.ts"
import { dash, Facts, Notice, Tag } from "../../ui/kit.tsx"
import type { Column } from "../../ui/Table.tsx"
import { clockTime, duration, fullTime, hourName } from "../../ui/times.ts"
import classes from "./calls.module.css"
import { costMeaning, hasEnded, hasFailed, tagKind } from "./story.ts"

type Failed = Pick<LoggedCall, "error" | "state" | "status">

const messageOf = ({ error, state, status }: Failed): string =>
  error?.message ?? (status === null ? stateWords[state].meaning : `The answer had the status ${status}.`)

/** The failure in one line: `upstream_failed: The connection broke.` */
export const failureLine = (call: Failed): string =>
  call.error?.code == null ? messageOf(call) : `${call.error.code}: ${messageOf(call)}`

const noDetails = {
  operation: "",
  message: "",
  outcome: "unknown",
  charge: { state: "unknown" },
  headers: {},
  body: ""
} as const

const declared = Object.keys(byStatus).map(Number) as ReadonlyArray<keyof typeof byStatus>

/** The client's name of the error, as far as the status tells it. */
const errorName = (status: number | null): string | undefined =>
  status === null || status < 400 ? undefined : make(declared, { ...noDetails, status })._tag

const paidWords = ({ charged_micros_usd: charged, refunded_micros_usd: refunded }: CallStory): string => {
  if (microsOf(charged) === 0n) return "Nothing was charged."
  return `${usd(charged)} was charged${microsOf(refunded) === 0n ? "" : `, and ${usd(refunded)} was refunded`}.`
}

interface WhyFailedProps {
  readonly call: CallStory
  /** Whether the reader has a page of tasks. */
  readonly linksTask?: boolean
}

/** Why a call failed, in the words of the client's error, and what to do next. */
export const WhyFailed = ({ call, linksTask = true }: WhyFailedProps) => {
  if (!hasFailed(call)) return null
  const { error, state, status, task } = call
  const { fault, next } = explain({ code: task?.status === "FAILED" ? "task_failed" : error?.code, status })
  const facts = [error?.code, status, errorName(status)].filter((part) => part !== undefined && part !== null)
  return (
    <Notice kind={state === "unknown" ? "warn" : "bad"} title={messageOf(call)}>
      {facts.length === 0 ? null : (
        <p className="small">
          <code>{facts.join(" · ")}</code>
        </p>
      )}
      <Facts
        of={[
          ["Cause", faultWords[fault]],
          ["What to do", next],
          ["Charge", paidWords(call)],
          task === null || !linksTask
            ? undefined
            : [
                "Task",
                <Link to="/tasks" search={{ task: task.id }}>
                  <code>{task.id}</code>
                </Link>
              ]
        ]}
      />
    </Notice>
  )
}

/** How a call stands: its status, and its state unless that is the usual one. */
export const StateTag = ({ call }: { readonly call: Pick<LoggedCall, "state" | "failed" | "status" | "error"> }) => {
  const { label, meaning } = stateWords[call.state]
  const text = call.status === null ? label : call.state === "settled" ? `${call.status}` : `${call.status} ${label}`
  return (
    <span title={`${label}: ${meaning}`}>
      <Tag kind={tagKind(call)}>{text}</Tag>
    </span>
  )
}

const shortTime = (at: string): string =>
  new Date(at).toDateString() === new Date().toDateString() ? clockTime(at) : hourName(Date.parse(at) / 1000)

const tookText = ({ created_at, ended_at, state }: LoggedCall): string =>
  ended_at === null
    ? hasEnded({ state })
      ? "–"
      : "…"
    : duration(Math.max(0, Date.parse(ended_at) - Date.parse(created_at)))

/** A table of calls. `name` is what leads to one. */
export const callColumns = <C extends LoggedCall>(name: (call: C) => ReactNode): ReadonlyArray<Column<C>> => [
  {
    head: listWords.operation,
    kind: "name",
    cell: (call) => (
      <>
        {name(call)}
        {hasFailed(call) ? (
          <span className={classes["failure"]} title={failureLine(call)}>
            {failureLine(call)}
          </span>
        ) : null}
      </>
    )
  },
  {
    head: listWords.model,
    className: classes["model"],
    title: ({ model }) => model ?? undefined,
    cell: ({ model }) => (model === null ? dash : <bdi className="mono">{model}</bdi>)
  },
  { head: listWords.status, cell: (call) => <StateTag call={call} /> },
  {
    head: listWords.created_at,
    className: classes["time"],
    title: ({ created_at: at }) => fullTime(at),
    cell: ({ created_at: at }) => <time dateTime={at}>{shortTime(at)}</time>
  },
  { head: "Duration", kind: "number", extra: true, cell: tookText },
  {
    head: "Tokens",
    kind: "number",
    extra: true,
    title: ({ input_tokens, output_tokens }) => `${count(input_tokens)} in, ${count(output_tokens)} out`,
    cell: ({ input_tokens, output_tokens }) => count(input_tokens + output_tokens)
  },
  {
    head: listWords.charged_micros_usd,
    kind: "number",
    title: costMeaning,
    cell: (call) => (
      <>
        {call.cost_state === "estimated" ? "≈ " : ""}
        {chargedUsd(call.charged_micros_usd, call.charged_nano_usd, columnUsd)}
        {microsOf(call.refunded_micros_usd) === 0n ? null : (
          <span className={classes["refunded"]}>{columnUsd(call.refunded_micros_usd)} refunded</span>
        )}
      </>
    )
  },
  {
    head: listWords.key,
    extra: true,
    className: "soft",
    cell: ({ key, key_label }) => (key_label === "" ? <span className="mono">{key}</span> : key_label)
  },
  {
    head: listWords.upstream,
    extra: true,
    className: "soft",
    title: ({ kept }) => (kept ? "A cached answer; nothing was sent." : undefined),
    cell: ({ kept, upstream }) => (kept ? "cached" : (upstream ?? "–"))
  }
]
