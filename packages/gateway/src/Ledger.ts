import type { Charge } from "@tollgate/contract/Outcome"
import type { Settlement } from "@tollgate/contract/price/settle"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Priced } from "./Exchange.ts"
import type { Refused } from "./Refused.ts"

export interface Reservation {
  readonly requestId: string
}

/**
 * Where money is kept. A call that can be billed is reserved before it is made and ends exactly once: settled with what
 * it cost, released on proof that nothing ran, or held because that is not known.
 */
export class Ledger extends Context.Service<
  Ledger,
  {
    readonly reserve: (exchange: Priced) => Effect.Effect<Reservation, Refused>
    readonly settle: (reservation: Reservation, settlement: Settlement) => Effect.Effect<Charge>
    readonly release: (reservation: Reservation) => Effect.Effect<void>
    readonly hold: (reservation: Reservation) => Effect.Effect<void>
  }
>()("@tollgate/gateway/Ledger") {
  /** Nobody is billed: for a gateway that only routes, and for measuring what billing costs. */
  static readonly layerOff = Layer.succeed(Ledger, {
    reserve: ({ requestId }) => Effect.succeed({ requestId }),
    settle: () => Effect.succeed({ state: "none" }),
    release: () => Effect.void,
    hold: () => Effect.void
  })
}
