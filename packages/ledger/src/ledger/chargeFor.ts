import { safeMicros } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"

/** Without the amount if a number does not hold it exactly: no answer shows a wrong one. */
export const chargeFor = (state: "settled" | "estimated", charged: bigint): Charge => {
  const micros = safeMicros(charged)
  return micros === undefined ? { state } : { state, micros }
}
