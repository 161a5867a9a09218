import { callStory } from "@tollgate/client/account"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import type { Charge } from "@tollgate/contract/Outcome"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useMemo } from "react"
import { usd } from "../../../ui/amounts.ts"
import type { Run } from "../state/Run.ts"
import { isObject } from "../json.ts"
import { toldBy } from "../client/told.ts"

const isCharge = (value: unknown): value is Charge => isObject(value) && typeof value["state"] === "string"

/** What the client knows of the charge. `undefined`: nothing. */
export const chargeOf = ({ error, response, state }: Run): Charge | undefined => {
  if (state === "done") return response.cost
  if (state !== "failed") return undefined
  const { charge, outcome } = toldBy(error)
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

/** What the run was charged. */
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
