import { Link } from "@tanstack/react-router"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { explain, faultWords } from "@tollgate/contract/errors/explain"
import { usd } from "../../../ui/amounts.ts"
import { Button, type Fact, Facts } from "../../../ui/kit.tsx"
import { duration } from "../../../ui/times.ts"
import { type ErrorMessage, errorMessageOf } from "../json.ts"
import type { Run } from "../state/Run.ts"
import { chargeOf } from "./Figures.tsx"
import styles from "./result.module.css"

const streamBroke = "What came before the error stays. A program decides whether that is enough."

const byTag: Readonly<Record<string, string>> = {
  InputInvalid: "Correct the arguments. Nothing was sent.",
  TransportFailed: "Check the connection, and call again.",
  OutcomeUnknown: "Do not call again: that could be paid twice. Ask for the outcome, under the same idempotency key.",
  StreamFailed: streamBroke,
  StreamTruncated: streamBroke,
  StreamTimedOut: streamBroke,
  EventInvalid: streamBroke,
  PaceExceeded: "The rate limit needs a longer wait than the program allows. Nothing was sent."
}

/** What to do about an error. Of one that the gateway answered, in the words of the page of the call. */
const adviceFor = ({ _tag = "", code, status }: ErrorMessage): string => {
  if (Object.hasOwn(byTag, _tag)) return byTag[_tag] ?? ""
  return status === undefined ? "This is no error of the client: ask the operator." : explain({ code, status }).next
}

const causeOf = ({ _tag = "", code, status }: ErrorMessage): string | undefined =>
  status === undefined || Object.hasOwn(byTag, _tag) ? undefined : faultWords[explain({ code, status }).fault]

export interface FailureProps {
  readonly operation: OfferedOperation
  readonly run: Run
  readonly onResume: () => void
}

const needsLink = (operation: OfferedOperation, status: number | undefined, code: string | undefined): boolean =>
  status === 403 && (code === "missing_scope" || operation.category === "social")

/** A typed error, as a program gets it. */
export const Failure = ({ onResume, operation, run }: FailureProps) => {
  const told = errorMessageOf(run.error)
  const { _tag, body, code, events, idempotencyKey, outcome, requestId, retryAfter, status, type } = told
  const charge = chargeOf(run)
  const facts = Object.entries({
    status,
    code,
    type,
    outcome,
    charge:
      charge &&
      [charge.state, charge.micros === undefined ? "" : usd(BigInt(charge.micros))].filter(Boolean).join(", "),
    retryAfter: retryAfter === undefined ? undefined : duration(retryAfter),
    events,
    requestId,
    idempotencyKey
  }).map(([name, value]): Fact | undefined => (value === undefined ? undefined : [name, value]))
  return (
    <div className={styles["failure"]} role="alert">
      <h3>
        <code>{_tag ?? "Error"}</code>
      </h3>
      <p className={styles["message"]}>{(told.message ?? "It failed").slice(0, 2_000)}</p>
      <Facts of={facts} />
      {body === undefined || body === "" ? null : (
        <details className={styles["wire"]}>
          <summary>The body as it arrived</summary>
          <pre tabIndex={0}>{body.slice(0, 4_000)}</pre>
        </details>
      )}
      {causeOf(told) === undefined ? null : (
        <p>
          <strong>Cause: </strong>
          {causeOf(told)}
        </p>
      )}
      <p>
        <strong>What to do: </strong>
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
