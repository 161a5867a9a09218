import type { Charge } from "@tollgate/contract/Outcome"
import type * as Effect from "effect/Effect"

/**
 * Asks what a call was charged. `cancel` ends it first, if it can be resumed. `unknown`: the gateway does not know its end, and
 * charges nothing. `undefined`: it does not say, or has not seen the call yet.
 */
export type AskCharge = (mode?: "charge" | "cancel") => Effect.Effect<Charge | undefined>
