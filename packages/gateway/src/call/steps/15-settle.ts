import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Attempted } from "@tollgate/ledger/ledger/Command"
import type { Ledger, Reservation, Settled } from "@tollgate/ledger/ledger/Ledger"
import type { Refused } from "@tollgate/contract/errors/Refused"

const noCharge: Charge = { state: "none" }
const unknown: Charge = { state: "unknown" }

export type Settle = (
  exchange: Priced,
  reservation: Reservation,
  status: number,
  metered: Settled | undefined,
  by: Attempted
) => Effect.Effect<Charge, Refused>

/**
 * Records what the call cost, in one commit, before the last byte of the answer is sent. A create that the upstream failed
 * at may have run all the same.
 */
export const settle =
  (ledger: Ledger["Service"]): Settle =>
  ({ operation }, reservation, status, metered, by) => {
    if (metered !== undefined) return ledger.settle(reservation, metered, by)
    if (status >= 500 && operation.replay === "create") {
      return Effect.as(ledger.markUnknown(reservation, by), unknown)
    }
    return Effect.as(ledger.release(reservation, status, undefined, by), noCharge)
  }
