import { codes } from "@tollgate/contract/errors/codes"
import { formatUsd, fromMicros, type NanoUsd, zero } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { Cost } from "./shapes.ts"

const free: Cost = { state: "none", usd: "0", micros_usd: 0 }

export const costOf = ({ micros, state }: Charge): Cost => {
  if (micros !== undefined) return { state, usd: formatUsd(fromMicros(micros)), micros_usd: micros }
  return state === "none" ? free : { state }
}

/** What a call was charged. `undefined`: it is pending or unknown, so it may still be charged. */
export const chargedBy = ({ micros, state }: Charge): NanoUsd | undefined => {
  if (state === "pending" || state === "unknown") return undefined
  return micros === undefined ? zero : fromMicros(micros)
}

/** Whether a refused call may still be charged. A key that was used before belongs to another call. */
export const chargeOfRefused = ({ refusal: { code } }: Refused): Charge =>
  codes[code].outcome === "not executed" || code.startsWith("idempotency_") ? { state: "none" } : { state: "unknown" }
