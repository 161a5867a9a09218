import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Attempted } from "@tollgate/ledger/ledger/Command"
import type { Ledger, Reservation } from "@tollgate/ledger/ledger/Ledger"

const noCharge: Charge = { state: "none" }
const unknown: Charge = { state: "unknown" }

/**
 * Ends a call whose answer proves no cost. A create that the upstream failed at may have run all the same. What an answer costs is
 * settled in one commit, before the last byte of it is sent.
 */
export const endUncharged =
  (ledger: Ledger["Service"]) =>
  ({ operation }: Priced, reservation: Reservation, status: number, by: Attempted): Effect.Effect<Charge> =>
    status >= 500 && operation.replay === "create"
      ? Effect.as(ledger.markUnknown(reservation, by), unknown)
      : Effect.as(ledger.release(reservation, status, undefined, by), noCharge)

export type EndUncharged = ReturnType<typeof endUncharged>
