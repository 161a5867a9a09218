import * as Schema from "effect/Schema"
import { MicroUsd } from "./Money.ts"

/** What is known about a failed call. A billed call may be retried only if it was `not executed`. */
export const Outcome = Schema.Literals(["not executed", "executed", "unknown"])
export type Outcome = typeof Outcome.Type

export const CostState = Schema.Literals(["settled", "estimated", "pending", "none"])
export type CostState = typeof CostState.Type

/** The state is `unknown` if the answer had no cost header. */
export const Charge = Schema.Struct({
  state: Schema.Union([CostState, Schema.Literal("unknown")]),
  micros: Schema.optionalKey(MicroUsd)
})
export type Charge = typeof Charge.Type
