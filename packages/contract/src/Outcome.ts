import * as Schema from "effect/Schema"
import { MicroUsd } from "./Money.ts"

/** What is known about a failed call. A billed call may be retried only if it was `not executed`. */
export const Outcome = /* @__PURE__ */ Schema.Literals(["not executed", "executed", "unknown"])
export type Outcome = typeof Outcome.Type

export const CostState = Schema.Literals(["settled", "estimated", "pending", "none"])
export type CostState = typeof CostState.Type

/** The state is `unknown` if the answer had no cost header. */
export const Charge = /* @__PURE__ */ Schema.Struct({
  state: /* @__PURE__ */ Schema.Union([CostState, /* @__PURE__ */ Schema.Literal("unknown")]),
  micros: /* @__PURE__ */ Schema.optionalKey(MicroUsd)
})
export type Charge = typeof Charge.Type
