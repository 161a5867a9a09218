import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Priced, Decoded } from "../../exchange/Exchange.ts"
import { Ledger, OnMilestone } from "@tollgate/ledger/ledger/Ledger"
import { Prices } from "../../exchange/Prices.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { ReservedOrReplay } from "../steps/10-reserve.ts"
import { keeper } from "../steps/13-keep.ts"
import { settle } from "../steps/14-settle.ts"
import { Tasks } from "../task/Tasks.ts"
import type { Forward } from "./forward.ts"
import { free } from "./free.ts"
import { kept, replay } from "./kept.ts"
import { quote } from "./quote.ts"
import { stream } from "./stream.ts"
import { task } from "./task.ts"
import { CurrentLeftStreams } from "../LeftStreams.ts"
import { refuseUnmetered } from "./notMetered.ts"
import { whole } from "./whole.ts"
import type { Builtin } from "../../exchange/Reply.ts"
import { callerMayLeave } from "../../internal/callerMayLeave.ts"
import type { Admission } from "../../limits/Admission.ts"
import { type Ending, free as noCharge, wholeEnding } from "../Ending.ts"

/** The gateway answers the operation itself. */
const builtin = (exchange: Decoded, answer: Builtin, admission: Admission): Effect.Effect<Ending, Refused> =>
  Effect.map(callerMayLeave(answer(exchange)), (answer) =>
    wholeEnding(exchange, answer, admission, answer.charge ?? noCharge, undefined)
  )

/** The endings of an admitted call, each with the services it needs. */
export const make = Effect.fnUntraced(function* (
  cap: (exchange: Priced) => Effect.Effect<Priced, Refused>,
  reserve: (exchange: Priced) => Effect.Effect<ReservedOrReplay, Refused>,
  forward: Forward
) {
  const ledger = yield* Ledger
  const prices = yield* Prices
  const reached = yield* OnMilestone
  const tasks = Option.getOrUndefined(yield* Effect.serviceOption(Tasks))
  const left = yield* CurrentLeftStreams
  const unmetered = refuseUnmetered(settle(ledger))
  return {
    quote,
    builtin,
    free: free(forward),
    replay,
    kept: kept(cap, reserve, settle(ledger)),
    whole: whole(prices, yield* keeper, settle(ledger), reached, unmetered, left),
    stream: stream(prices, ledger, settle(ledger), forward, unmetered, left),
    task: task(tasks, ledger, reached)
  }
})

export type Endings = Effect.Success<ReturnType<typeof make>>
