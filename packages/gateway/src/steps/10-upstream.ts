import { codes } from "@tollgate/contract/errors/codes"
import * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import type { Priced } from "../Exchange.ts"
import type { Ledger, Reservation } from "../ledger/Ledger.ts"
import type { Refused } from "../Refused.ts"
import type { Called } from "../upstream/Called.ts"
import type { Upstreams } from "../upstream/Upstreams.ts"

/** The status of a refusal that proves that nothing ran. */
export const provenStatus = (cause: Cause.Cause<Refused>): number | undefined => {
  const refused = Cause.hasInterrupts(cause) ? Option.none() : Cause.findErrorOption(cause)
  if (Option.isNone(refused)) return undefined
  const { code, status } = refused.value.refusal
  return codes[code].outcome === "not executed" ? (status ?? codes[code].status) : undefined
}

/** A call that failed is released only on proof that nothing ran; any other end, interruption too, is held. */
export const upstream =
  (upstreams: Upstreams["Service"], ledger: Ledger["Service"]) =>
  (
    exchange: Priced,
    reservation: Reservation,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ): Effect.Effect<Called, Refused> =>
    Effect.onError(restore(upstreams.call(exchange)), (cause) => {
      const status = provenStatus(cause)
      return status === undefined ? ledger.markUnknown(reservation) : ledger.release(reservation, status)
    })
