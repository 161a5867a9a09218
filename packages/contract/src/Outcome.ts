import * as Schema from "effect/Schema"
import { MicroUsd } from "./Money.ts"

/** What is known of a call that failed. Only `not executed` allows repeating a billed one. */
export const Outcome = Schema.Literals(["not executed", "executed", "unknown"])
export type Outcome = typeof Outcome.Type

/** `unknown`: no header said anything, which establishes nothing. */
export const CostState = Schema.Literals(["settled", "estimated", "pending", "none"])
export type CostState = typeof CostState.Type

export const Charge = Schema.Struct({
  state: Schema.Union([CostState, Schema.Literal("unknown")]),
  micros: Schema.optionalKey(MicroUsd)
})
export type Charge = typeof Charge.Type
