import { Link } from "@tanstack/react-router"
import { callStory } from "@tollgate/client/account"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { type ReactNode, useMemo } from "react"
import { count, shortCount, usd } from "../../../ui/amounts.ts"
import { Copy } from "../../../ui/kit.tsx"
import { duration } from "../../../ui/times.ts"
import type { Run } from "../state/Run.ts"
import styles from "./result.module.css"
import type { Charge } from "@tollgate/contract/Outcome"
import { isObject, errorMessageOf } from "../json.ts"

interface RequestIdProps {
  readonly id: string
  readonly run: Run
  readonly isFree: boolean
}

/** The id of the request, with a link to its story. A request that the gateway refused at once has none. */
const RequestId = ({ id, isFree, run }: RequestIdProps) => {
  const isUnsure = run.state === "failed" || isFree
  const isThere = useMemo(
    () => (isUnsure && run.state !== "running" ? Effect.as(callStory(id), true) : Effect.succeed(!isUnsure)),
    [id, isUnsure, run.state]
  )
  const { value = false } = useLoad(isThere)
  return (
    <>
      {value ? (
        <Link to="/calls/$call" params={{ call: id }} title="What happened in this call">
          <code>{id}</code>
        </Link>
      ) : (
        <code>{id}</code>
      )}
      <Copy text={id} />
    </>
  )
}

const none = "–"

const limitsOf = ({ limits }: Run["response"]): ReactNode => {
  const { limitRequests, limitTokens, remainingRequests, remainingTokens } = limits ?? {}
  if (remainingRequests === undefined) return none
  const calls = `${count(remainingRequests)} of ${count(limitRequests ?? remainingRequests)} requests`
  if (remainingTokens === undefined) return calls
  const tokens = `${count(remainingTokens)} of ${count(limitTokens ?? remainingTokens)} tokens`
  return (
    <span title={`${calls}, ${tokens}`}>
      {count(remainingRequests)} requests <small>{shortCount(remainingTokens)} tokens</small>
    </span>
  )
}

/** The numbers of a run. Their places are there before the run, so that nothing moves. */
export const Figures = ({ operation, run }: Pick<CostProps, "operation"> & { readonly run: Run | undefined }) => {
  const response = run?.response ?? {}
  const retries = Math.max(0, (run?.sends ?? 0) - 1)
  const status =
    run?.state === "running" ? (
      <span className={styles["running"]}>{run.text === "" ? "waiting" : "streaming"}</span>
    ) : (
      response.status
    )
  const figures: ReadonlyArray<readonly [label: string, value: ReactNode]> = [
    ["Status", status],
    ["Charge", run && <Cost run={run} operation={operation} />],
    ["Retried", run && (retries === 0 ? "no" : `${count(retries)} ×`)],
    ["First token", run?.firstMillis === undefined ? undefined : duration(run.firstMillis)],
    ["Duration", run?.totalMillis === undefined ? undefined : duration(run.totalMillis)],
    ["Limits left", run && limitsOf(response)],
    [
      "Request id",
      run && response.requestId && (
        <RequestId key={response.requestId} id={response.requestId} run={run} isFree={operation.is_free} />
      )
    ]
  ]
  return (
    <dl className={styles["figures"]}>
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value ?? none}</dd>
        </div>
      ))}
    </dl>
  )
}

const isCharge = (value: unknown): value is Charge => isObject(value) && typeof value["state"] === "string"

/** What the client knows of the charge. `undefined`: nothing. */
export const chargeOf = ({ error, response, state }: Run): Charge | undefined => {
  if (state === "done") return response.cost
  if (state !== "failed") return undefined
  const { charge, outcome } = errorMessageOf(error)
  if (isCharge(charge)) return charge
  return outcome === "not executed" ? { state: "none" } : undefined
}

const Amount = ({ charge, replayed }: { readonly charge: Charge; readonly replayed: boolean }) => (
  <>
    {charge.state === "none" ? "$0.00" : charge.micros === undefined ? "not known" : usd(BigInt(charge.micros))}{" "}
    <small data-kind={charge.state === "settled" ? "good" : charge.state === "none" ? undefined : "warn"}>
      {replayed ? "charged once, before" : charge.state === "none" ? "no charge" : charge.state}
    </small>
  </>
)

/** Asks until the call has ended: the gateway carries it on after its caller has left. */
const endedStory = (id: string): ReturnType<typeof callStory> =>
  Effect.flatMap(callStory(id), (story) =>
    story.state === "open"
      ? Effect.delay(
          Effect.suspend(() => endedStory(id)),
          "500 millis"
        )
      : Effect.succeed(story)
  )

/** The charge of a call whose answer did not tell it, as the ledger has it. */
const FromLedger = ({ id }: { readonly id: string }) => {
  const story = useMemo(() => endedStory(id), [id])
  const { value } = useLoad(story)
  if (value === undefined) return "not known yet"
  return (
    <>
      {usd(value.charged_micros_usd)}{" "}
      <small data-kind={value.state === "settled" ? "good" : "warn"}>
        {value.cost_state ?? value.state.replace("_", " ")}
      </small>
    </>
  )
}

export interface CostProps {
  readonly run: Run
  readonly operation: OfferedOperation
}

export const Cost = ({ operation, run }: CostProps) => {
  if (run.state === "running") return "–"
  // The answer about a task tells the charge of the task, not of the question.
  if (operation.is_free) return <Amount charge={{ state: "none" }} replayed={false} />
  const { replayed = false, requestId } = run.response
  const charge = chargeOf(run)
  if (charge !== undefined && charge.state !== "unknown") return <Amount charge={charge} replayed={replayed} />
  if (requestId === undefined) return "not known"
  return <FromLedger id={requestId} />
}
