import type { CallEvent } from "../CallEvent.ts"
import type { Span } from "./Span.ts"

/** Exact amounts, as integers of micro-USD. */
export const setCost = (
  span: Span,
  { charge, costState, loss, outcome, value }: Pick<CallEvent, "charge" | "costState" | "loss" | "outcome" | "value">
): void => {
  span.set("tollgate.outcome", outcome)
  span.set("tollgate.cost.state", costState)
  if (costState === "pending" || costState === "unknown") return
  span.set("tollgate.charge", charge)
  span.set("tollgate.value", value)
  if (loss > 0n) span.set("tollgate.loss", loss)
}
