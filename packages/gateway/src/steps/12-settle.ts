import type { Charge } from "@tollgate/contract/Outcome"
import { toMicros } from "@tollgate/contract/Money"
import type { Settlement } from "@tollgate/contract/price/settle"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Priced } from "../Exchange.ts"
import { Ledger, type Reservation } from "../Ledger.ts"
import type { Called } from "../upstream/Upstreams.ts"

const nothing: Charge = { state: "none" }

/** In one commit, and before the last byte of the answer goes out. */
export const settle = Effect.fnUntraced(function* (
  exchange: Priced,
  reservation: Reservation,
  { answer }: Called,
  metered: Option.Option<Settlement>
) {
  const ledger = yield* Ledger
  if (answer.status < 200 || answer.status >= 300) {
    yield* ledger.release(reservation)
    return nothing
  }
  if (Option.isSome(metered)) return yield* ledger.settle(reservation, metered.value)
  // It ran and does not say what it cost: the estimate stands in, and is marked as one.
  const { likely } = exchange.estimate
  const charge = yield* ledger.settle(reservation, {
    value: toMicros(likely),
    charged: toMicros(likely),
    chargedNano: likely
  })
  return charge.state === "settled" ? { ...charge, state: "estimated" as const } : charge
})
