import { Link } from "@tanstack/react-router"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import type { ReactNode } from "react"
import { usd } from "../../../ui/amounts.ts"
import { Button } from "../../../ui/Button.tsx"
import { duration } from "../../../ui/times.ts"
import type { Run } from "../state/Run.ts"
import { adviceFor, chargeAdvice, messageOf } from "./advice.ts"
import { chargeOf } from "./chargeOf.ts"
import styles from "./result.module.css"
import { toldBy } from "./toldBy.ts"

export interface FailureProps {
  readonly operation: OfferedOperation
  readonly run: Run
  readonly onResume: () => void
}

const needsLink = (operation: OfferedOperation, status: number | undefined, code: string | undefined): boolean =>
  status === 403 && (code === "missing_scope" || operation.category === "social")

/** A typed error, as a program gets it. */
export const Failure = ({ onResume, operation, run }: FailureProps) => {
  const told = toldBy(run.error)
  const { _tag, body, code, events, idempotencyKey, outcome, requestId, retryAfter, status, type } = told
  const charge = chargeOf(run)
  const meaning = chargeAdvice(told, charge)
  const rows: ReadonlyArray<readonly [string, ReactNode]> = [
    ["status", status],
    ["code", code],
    ["type", type],
    ["outcome", outcome],
    [
      "charge",
      charge === undefined
        ? undefined
        : charge.micros === undefined
          ? charge.state
          : `${charge.state}, ${usd(BigInt(charge.micros))}`
    ],
    ["retryAfter", retryAfter === undefined ? undefined : duration(retryAfter)],
    ["events", events],
    ["requestId", requestId],
    ["idempotencyKey", idempotencyKey]
  ]
  return (
    <div className={styles["failure"]} role="alert">
      <h3>
        <code>{_tag ?? "Error"}</code>
      </h3>
      <p className={styles["message"]}>{messageOf(told).slice(0, 2_000)}</p>
      <dl>
        {rows.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          )
        )}
      </dl>
      {body === undefined || body === "" ? null : (
        <details className={styles["wire"]}>
          <summary>The body as it arrived</summary>
          <pre tabIndex={0}>{body.slice(0, 4_000)}</pre>
        </details>
      )}
      {meaning === undefined ? null : <p>{meaning}</p>}
      <p>
        <strong>What a program can do: </strong>
        {adviceFor(told)}
      </p>
      {_tag === "OutcomeUnknown" ? (
        <Button kind="main" onClick={onResume}>
          Ask for the outcome
        </Button>
      ) : null}
      {needsLink(operation, status, code) ? (
        <p>
          It acts for a linked account. <Link to="/links">Link one</Link>, then run it again.
        </p>
      ) : null}
    </div>
  )
}
