import { micro } from "@tollgate/contract/Money"
import { type Charge, CostState } from "@tollgate/contract/Outcome"
import * as Schema from "effect/Schema"

const isCostState = Schema.is(CostState)

/** The charge in an SSE comment, which the gateway sends after the last event. */
export const chargeIn = (comment: string): Charge | undefined => {
  const [, micros = "", state] = /^cost_micros_usd=(\d{1,18}) cost_state=([a-z]+)$/.exec(comment.trim()) ?? []
  return isCostState(state) ? { state, micros: micro(BigInt(micros)) } : undefined
}
