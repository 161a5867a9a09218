import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type { Priced } from "../Exchange.ts"
import type { Attempted } from "../ledger/Attempted.ts"
import type { Ledger, Reservation, Settled } from "../ledger/Ledger.ts"
import type { Refused } from "../Refused.ts"

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
  ({ observed, operation, price }, reservation, status, metered, by) => {
    observed?.meteredAs(metered, reservation)
    if (metered !== undefined) return ledger.settle(reservation, metered, by)
    return status >= 500 && operation.replay === "create"
      ? Effect.as(ledger.markUnknown(reservation, by), unknown)
      : Effect.as(ledger.release(reservation, status, price.contract === "body_code", by), noCharge)
  }
