import type { Charge } from "@tollgate/contract/Outcome"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Priced } from "../Exchange.ts"
import type { Reservation } from "../ledger/Ledger.ts"
import type { Builtin } from "../builtin/Builtin.ts"
import type { Refused } from "../Refused.ts"
import type { Called } from "../upstream/Called.ts"
import type { Answer } from "../upstream/Protocol.ts"

export interface Created {
  readonly answer: Answer
  readonly charge: Charge
}

/** Calls whose work goes on after they are answered. */
export class Tasks extends Context.Service<
  Tasks,
  {
    /**
     * Carries out a call that starts a task, in place of settling it: what is reserved stays so until the task ends. `call`
     * asks the upstream, and ends the reservation itself where that fails. One task too many is refused with 429, and the
     * reservation released, before anything is sent.
     */
    readonly create: (
      exchange: Priced,
      reservation: Reservation,
      call: Effect.Effect<Called, Refused>
    ) => Effect.Effect<Created, Refused>
    /** How far a task has come, for the account that asked for it. */
    readonly poll: Builtin
  }
>()("@tollgate/gateway/Tasks") {}
