import { parseMicros } from "@tollgate/contract/Money"
import { type Charge, CostState } from "@tollgate/contract/Outcome"
import * as Schema from "effect/Schema"

const isCostState = Schema.is(CostState)

/** The charge in an SSE comment, which the gateway sends after the last event. */
export const chargeIn = (comment: string): Charge | undefined => {
  const [, digits, state] = /^cost_micros_usd=(\d+) cost_state=([a-z]+)$/.exec(comment.trim()) ?? []
  const micros = parseMicros(digits)
  return isCostState(state) && micros !== undefined ? { state, micros } : undefined
}
