import * as Effect from "effect/Effect"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Ledger, Milestone, Reservation } from "@tollgate/ledger/ledger/Ledger"
import type { Admission } from "../../limits/Admission.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Tasks } from "../task/Tasks.ts"
import type { Called } from "../../upstream/Called.ts"
import { type Ending, wholeEnding } from "../Ending.ts"

/** The upstream goes on working after the answer. The reservation stays until the task ends. */
export const task =
  (tasks: Tasks["Service"] | undefined, ledger: Ledger["Service"], reached: (milestone: Milestone) => void) =>
  (
    exchange: Priced,
    reservation: Reservation,
    call: Effect.Effect<Called, Refused>,
    admission: Admission
  ): Effect.Effect<Ending, Refused> => {
    if (tasks === undefined) {
      const refused = refuse(
        "upstream_misconfigured",
        `${exchange.operation.id} starts tasks, and this gateway has no task store.`
      )
      return Effect.andThen(
        ledger.release(reservation, 503, undefined, { error: refused.refusal }),
        Effect.fail(refused)
      )
    }
    const called = Effect.tap(call, () => Effect.sync(() => reached("called")))
    return Effect.map(tasks.create(exchange, reservation, called, ledger), ({ answer, charge }) =>
      wholeEnding(exchange, answer, admission, charge, 0)
    )
  }
