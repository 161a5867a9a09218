import type { Charge } from "@tollgate/contract/Outcome"
import { isObject } from "../json.ts"
import type { Run } from "../state/Run.ts"
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
