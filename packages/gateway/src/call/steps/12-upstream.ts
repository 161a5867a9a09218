import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Priced } from "../../exchange/Exchange.ts"
import { callerMayDisconnect } from "../../internal/callerMayDisconnect.ts"
import { isLarge, type Turns } from "../../internal/Turns.ts"
import type { Attempted, CallError } from "@tollgate/ledger/ledger/Command"
import type { Ledger, Reservation } from "@tollgate/ledger/ledger/Ledger"
import { notExecutedStatus, type Refused } from "@tollgate/contract/errors/Refused"
import type { Called } from "../../upstream/Called.ts"
import type { Upstreams } from "../../upstream/Upstreams.ts"
import { retryCount } from "../../cache/requests.ts"
import type { LinkedUser } from "./08-linkedUser.ts"

type Call = (exchange: Priced) => Effect.Effect<Called, Refused>

/** Sends the call upstream. Once it is sent, a caller who leaves does not end it: only its deadline does. */
export const callUpstream =
  (
    upstreams: Pick<Upstreams["Service"], "call">,
    { discardSession }: Pick<LinkedUser, "discardSession">,
    turns: Turns
  ): Call =>
  (exchange) => {
    const call = isLarge(exchange.bytes)
      ? Effect.flatMap(turns.next, () => upstreams.call(exchange))
      : upstreams.call(exchange)
    if (exchange.linkedUserHeaders === undefined) return call
    return Effect.tapError(call, ({ refusal }) =>
      refusal.code === "missing_scope" ? discardSession(exchange) : Effect.void
    )
  }

/** A call that costs nothing is given up when its caller leaves. */
export const callUnlessLeft =
  (call: Call): Call =>
  (exchange) =>
    callerMayDisconnect(call(exchange))

const ifStillThere = Effect.interruptible(Effect.void)

/** Nginx's status for a caller who left before the answer. */
const callerLeft = 499

const left: CallError = { code: "caller_left", message: "The caller left before the call was sent." }
const defect: CallError = { code: "internal_error", message: "The gateway failed to handle the request." }

const endFailed = (ledger: Ledger["Service"], reservation: Reservation, cause: Cause.Cause<Refused>) => {
  const status = Cause.hasInterruptsOnly(cause) ? callerLeft : notExecutedStatus(cause)
  const refused = Option.getOrUndefined(Cause.findErrorOption(cause))
  const by: Attempted = {
    tried: refused?.tried,
    error: refused?.refusal ?? (status === callerLeft ? left : defect)
  }
  return status === undefined ? ledger.markUnknown(reservation, by) : ledger.release(reservation, status, undefined, by)
}

/**
 * Makes a call that is reserved. One that failed is released only on proof that nothing was executed; any other end is unknown. An
 * interruption is such a proof: it arrives only while the call waits for a connection, because a call that is sent cannot be
 * interrupted.
 *
 * A call whose caller left while it was reserved is not sent if its SDK counts attempts: the next attempt may have been reserved
 * before it on another gateway, and found nothing.
 */
export const callReserved =
  (call: Call, ledger: Ledger["Service"]) =>
  (exchange: Priced, reservation: Reservation): Effect.Effect<Called, Refused> => {
    const isCounted = exchange.request.headers[retryCount] !== undefined
    const called = isCounted ? Effect.andThen(ifStillThere, () => call(exchange)) : call(exchange)
    return Effect.onExitPrimitive(called, (exit) =>
      Exit.isSuccess(exit) ? undefined : endFailed(ledger, reservation, exit.cause)
    )
  }
