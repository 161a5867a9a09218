import { decideApproval } from "@tollgate/client/account"
import { Link } from "@tanstack/react-router"
import type { ApprovalDecision, CallApproval } from "@tollgate/contract/account/Approval"
import { useCall } from "@tollgate/react/effect"
import { useEffect } from "react"
import { baseUrl } from "../../session/gateway.ts"
import { useApprovals } from "../../session/useProfile.ts"
import { usd } from "../../ui/amounts.ts"
import { Button, Card, ErrorNotice, Tag } from "../../ui/kit.tsx"
import { ago, fullTime } from "../../ui/times.ts"
import styles from "./grants.module.css"

interface Decided extends ApprovalDecision {
  readonly id: string
}

/** The page of the gateway with all of a request. */
const pageOf = (id: string) => `${baseUrl}/account/approvals/${id}`

const decide = ({ decision, id }: Decided) => decideApproval(id, decision)

interface WaitingProps {
  readonly approval: CallApproval
  readonly now: number
  readonly onDecided: () => void
}

/** A call that waits, and the two answers. */
const Waiting = ({ approval, now, onDecided }: WaitingProps) => {
  const { call, error, state } = useCall(decide)
  const { client_name, estimate_micros_usd, id, max_micros_usd, operation, request } = approval
  useEffect(() => {
    if (state === "done" || state === "failed") onDecided()
  }, [state, onDecided])
  const minutes = Math.max(1, Math.ceil((new Date(approval.ends_at).getTime() - now) / 60_000))
  return (
    <li className={styles["waiting"]}>
      <p>
        <strong>{client_name}</strong> wants to call <code>{operation}</code>: about {usd(estimate_micros_usd)}, at most{" "}
        <strong>{usd(max_micros_usd)}</strong>
      </p>
      <pre tabIndex={0} aria-label={`Request of ${client_name}`}>
        {request}
      </pre>
      {error === undefined ? null : <ErrorNotice error={error} />}
      {approval.own ? (
        <p className="soft small">
          This page makes the call. Decide with a key, or <a href={pageOf(id)}>on a page of its own</a>.
        </p>
      ) : (
        <div className={styles["answers"]}>
          {approval.request_shortened ? (
            <a href={pageOf(id)}>Read all of the request and decide</a>
          ) : (
            <Button kind="main" busy={state === "pending"} onClick={() => call({ id, decision: "yes" })}>
              Approve, up to {usd(max_micros_usd)}
            </Button>
          )}
          <Button onClick={() => call({ id, decision: "no" })}>Deny</Button>
          <span className="soft small">{minutes === 1 ? "one minute" : `${minutes} minutes`} left</span>
        </div>
      )}
    </li>
  )
}

const words = {
  waiting: ["waits", "warn"],
  allowed: ["approved, not made yet", "accent"],
  used: ["approved and made", "good"],
  refused: ["denied", "bad"],
  ended: ["expired", undefined],
  lost: ["approved, but not made", undefined]
} as const

const Past = ({ approval, now }: Pick<WaitingProps, "approval" | "now">) => {
  const { call, decided_at, id, operation, state } = approval
  const [text, kind] = state === "ended" && decided_at !== null ? words.lost : words[state]
  return (
    <li className={styles["past"]}>
      <span>
        <a href={pageOf(id)}>
          <code>{operation}</code>
        </a>{" "}
        for {approval.client_name}{" "}
        <span className="soft small">
          at most {usd(approval.max_micros_usd)},{" "}
          <time dateTime={approval.created_at} title={fullTime(approval.created_at)}>
            {ago(approval.created_at, now)}
          </time>
          {call === null ? null : (
            <>
              ,{" "}
              <Link to="/calls/$call" params={{ call }}>
                its call
              </Link>
            </>
          )}
        </span>
      </span>
      <Tag kind={kind}>{text}</Tag>
    </li>
  )
}

/** The calls that need approval: those that wait, and those that were decided. */
export const ApprovalsCard = ({ now }: Pick<WaitingProps, "now">) => {
  const { refresh, value } = useApprovals()
  if (value === undefined || value.approvals.length === 0) return null
  const waiting = value.approvals.filter(({ state }) => state === "waiting")
  const past = value.approvals.filter(({ state }) => state !== "waiting")
  return (
    <Card title={waiting.length === 0 ? "Calls that needed your approval" : "Calls waiting for your approval"}>
      {waiting.length === 0 ? null : (
        <ul className={styles["list"]}>
          {waiting.map((approval) => (
            <Waiting key={approval.id} approval={approval} now={now} onDecided={refresh} />
          ))}
        </ul>
      )}
      {past.length === 0 ? null : (
        <details open={waiting.length === 0}>
          <summary>Decided ({past.length})</summary>
          <ul className={styles["list"]}>
            {past.map((approval) => (
              <Past key={approval.id} approval={approval} now={now} />
            ))}
          </ul>
        </details>
      )}
    </Card>
  )
}
