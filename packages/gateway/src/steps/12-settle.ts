import { toMicros } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import type { Settlement } from "@tollgate/contract/price/settle"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Priced } from "../Exchange.ts"
import type { Ledger, Reservation } from "../Ledger.ts"
import type { Called } from "../upstream/Upstreams.ts"

const nothing: Charge = { state: "none" }

/** In one commit, and before the last byte of the answer goes out. */
export const settle =
  (ledger: Ledger["Service"]) =>
  (
    { estimate }: Priced,
    reservation: Reservation,
    { answer }: Called,
    metered: Option.Option<Settlement>
  ): Effect.Effect<Charge> => {
    if (answer.status < 200 || answer.status >= 300) return Effect.as(ledger.release(reservation), nothing)
    if (Option.isSome(metered)) return ledger.settle(reservation, metered.value)
    // It ran and does not say what it cost: the estimate stands in, and is marked as one.
    const amount = toMicros(estimate.likely)
    return Effect.map(
      ledger.settle(reservation, { value: amount, charged: amount, chargedNano: estimate.likely }),
      (charge) => (charge.state === "settled" ? { ...charge, state: "estimated" } : charge)
    )
  }
