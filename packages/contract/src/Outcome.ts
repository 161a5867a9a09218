import * as Schema from "effect/Schema"
import type { MicroUsd } from "./Money.ts"

/** What is known about a failed call. A billed call may be retried only if it was `not executed`. */
export const Outcome = /* @__PURE__ */ Schema.Literals(["not executed", "executed", "unknown"])
export type Outcome = typeof Outcome.Type

export const CostState = Schema.Literals(["settled", "estimated", "pending", "none"])
export type CostState = typeof CostState.Type

/** What a call was charged, as far as is known. The amount is missing while it is not. */
export type Charge = {
  /** `unknown` if the answer does not say it. */
  readonly state: CostState | "unknown"
  /** Decimal USD: `"0.000724"`. */
  readonly usd?: string
  /** The same in micro-USD: 724. */
  readonly micros?: MicroUsd
}
