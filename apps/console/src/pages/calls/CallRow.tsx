import type { LoggedCall } from "@tollgate/contract/account/LoggedCall"
import { memo } from "react"
import { outside } from "../../session/gateway.ts"
import { chargedUsd, columnUsd, count, shortCount } from "../../ui/amounts.ts"
import { clockTime, duration, fullTime, hourName } from "../../ui/times.ts"
import classes from "./calls.module.css"
import { costMeaning, hasEnded, hasFailed } from "./states.ts"
import { StateTag, failureLine } from "./callParts.tsx"

export const callColumns = ["Time", "Operation", "Status", "Tokens", "Duration", "Charge", "Key", "Upstream"] as const

interface CallRowProps {
  readonly call: LoggedCall
  readonly index: number
  readonly id: string
  readonly active: boolean
}

const isToday = (at: string): boolean => new Date(at).toDateString() === new Date().toDateString()

const timeText = (at: string): string => (isToday(at) ? clockTime(at) : hourName(Date.parse(at) / 1000))

export const tookText = ({ created_at, ended_at, state }: LoggedCall): string =>
  ended_at === null
    ? hasEnded({ state })
      ? "–"
      : "…"
    : duration(Math.max(0, Date.parse(ended_at) - Date.parse(created_at)))

export const CallRow = memo(({ active, call, id, index }: CallRowProps) => {
  const { cost_state, created_at, input_tokens, key, key_label, model, operation, output_tokens } = call
  const tokens = input_tokens + output_tokens
  return (
    // Row 1 is the header.
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      className={`${classes["row"]} ${active ? classes["active"] : ""}`}
    >
      <span role="gridcell" className={classes["time"]} title={fullTime(created_at)}>
        {timeText(created_at)}
      </span>
      <span role="gridcell" className={classes["what"]}>
        <a href={outside(`/calls/${encodeURIComponent(call.id)}`)} data-call={call.id} tabIndex={-1}>
          {operation}
        </a>
        {hasFailed(call) ? (
          <small className={classes["failure"]} title={failureLine(call)}>
            {failureLine(call)}
          </small>
        ) : model === null ? null : (
          <small>{model}</small>
        )}
      </span>
      <span role="gridcell" className={classes["state"]}>
        <StateTag call={call} />
      </span>
      <span
        role="gridcell"
        className={classes["tokens"]}
        title={`${count(input_tokens)} in, ${count(output_tokens)} out`}
      >
        {tokens === 0 ? "–" : shortCount(tokens)}
      </span>
      <span role="gridcell" className={classes["took"]}>
        {tookText(call)}
      </span>
      <span role="gridcell" className={classes["charge"]} title={costMeaning(call)}>
        {cost_state === "estimated" ? "≈ " : ""}
        {chargedUsd(call.charged_micros_usd, call.charged_nano_usd, columnUsd)}
      </span>
      <span role="gridcell" className={classes["key"]} title={`${key_label} ${key}`.trim()}>
        {key_label === "" ? key : key_label}
      </span>
      <span
        role="gridcell"
        className={classes["upstream"]}
        title={call.kept ? "A cached answer; nothing was sent." : undefined}
      >
        {call.kept ? "cached" : (call.upstream ?? "–")}
      </span>
    </div>
  )
})
