import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type { Ledger, Reservation, Settled } from "../ledger/Ledger.ts"
import type { Refused } from "../Refused.ts"

const nothing: Charge = { state: "none" }

/** In one commit, and before the last byte of the answer goes out. */
export const settle =
  (ledger: Ledger["Service"]) =>
  (reservation: Reservation, status: number, settled: Settled | undefined): Effect.Effect<Charge, Refused> =>
    settled === undefined
      ? Effect.as(ledger.release(reservation, status), nothing)
      : ledger.settle(reservation, settled)
