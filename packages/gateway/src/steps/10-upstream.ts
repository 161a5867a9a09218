import { codes } from "@tollgate/contract/errors/codes"
import * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import type { Priced } from "../Exchange.ts"
import type { Ledger, Reservation } from "../Ledger.ts"
import type { Refused } from "../Refused.ts"
import type { Called, Upstreams } from "../upstream/Upstreams.ts"

const provesNothingRan = (cause: Cause.Cause<Refused>): boolean => {
  const refused = Cause.findErrorOption(cause)
  return (
    Option.isSome(refused) &&
    !Cause.hasInterrupts(cause) &&
    codes[refused.value.refusal.code].outcome === "not executed"
  )
}

/** A call that failed is released only on proof that nothing ran; any other end, interruption too, is held. */
export const upstream =
  (upstreams: Upstreams["Service"], ledger: Ledger["Service"]) =>
  (exchange: Priced, reservation: Reservation): Effect.Effect<Called, Refused> =>
    Effect.onError(upstreams.call(exchange), (cause) =>
      provesNothingRan(cause) ? ledger.release(reservation) : ledger.hold(reservation)
    )
