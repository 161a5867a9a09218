import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type { Ledger, Reservation, Settled } from "../ledger/Ledger.ts"
import type { Refused } from "../Refused.ts"

const noCharge: Charge = { state: "none" }

export type Settle = (
  reservation: Reservation,
  status: number,
  metered: Settled | undefined
) => Effect.Effect<Charge, Refused>

/** Records what the call cost, in one commit, before the last byte of the answer is sent. */
export const settle =
  (ledger: Ledger["Service"]): Settle =>
  (reservation, status, metered) =>
    metered === undefined
      ? Effect.as(ledger.release(reservation, status), noCharge)
      : ledger.settle(reservation, metered)
