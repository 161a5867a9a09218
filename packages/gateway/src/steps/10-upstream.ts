import * as Effect from "effect/Effect"
import type { Priced } from "../Exchange.ts"
import { callerMayLeave } from "../internal/callerMayLeave.ts"
import type { Ledger, Reservation } from "../ledger/Ledger.ts"
import { notExecutedStatus, type Refused } from "../Refused.ts"
import type { Called } from "../upstream/Called.ts"
import type { Upstreams } from "../upstream/Upstreams.ts"
import type { LinkedUser } from "./07-linkedUser.ts"

/** Sends the call upstream. */
export const callUpstream =
  (upstreams: Upstreams["Service"], { discardSession }: LinkedUser) =>
  (exchange: Priced): Effect.Effect<Called, Refused> => {
    const call = callerMayLeave(upstreams.call(exchange))
    if (exchange.linkedUserHeaders === undefined) return call
    return Effect.tapError(call, ({ refusal }) =>
      refusal.code === "missing_scope" ? discardSession(exchange) : Effect.void
    )
  }

/** A call that failed is released only on proof that nothing was executed. Any other end, interruption too, is unknown. */
export const endIfFailed =
  (ledger: Ledger["Service"]) =>
  (call: Effect.Effect<Called, Refused>, reservation: Reservation): Effect.Effect<Called, Refused> =>
    Effect.onError(call, (cause) => {
      const status = notExecutedStatus(cause)
      return status === undefined ? ledger.markUnknown(reservation) : ledger.release(reservation, status)
    })
