import type * as Effect from "effect/Effect"
import type { Priced } from "../Exchange.ts"
import type { Ledger, Reservation } from "../Ledger.ts"
import type { Refused } from "../Refused.ts"

/** The idempotency key, the reservation and the request are recorded in one commit, before anything is sent. */
export const reserve =
  (ledger: Ledger["Service"]) =>
  (exchange: Priced): Effect.Effect<Reservation, Refused> =>
    ledger.reserve(exchange)
