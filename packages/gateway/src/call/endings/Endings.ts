import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { type Decoded, type Priced, withoutBytes } from "../../exchange/Exchange.ts"
import type { Admission } from "../../limits/Admission.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { Called } from "../../upstream/Called.ts"
import { type Ending, free as noCharge, scrubbedFailure, wholeEnding } from "../Ending.ts"
import { isLarge } from "../../internal/Turns.ts"
import type { Forward } from "./forward.ts"
import { Ledger, OnMilestone, type Reservation } from "@tollgate/ledger/ledger/Ledger"
import { Tasks } from "../task/Tasks.ts"
import * as Option from "effect/Option"
import { Prices } from "../../exchange/Prices.ts"
import type { ReservedOrReplay } from "../steps/11-reserve.ts"
import { keeper } from "../steps/14-addToCache.ts"
import { endUncharged } from "../steps/15-settle.ts"
import { kept, replay } from "./cached.ts"
import { quote } from "./quote.ts"
import { stream } from "./stream.ts"
import { CurrentAbandonedStreams } from "../AbandonedStreams.ts"
import { refuseUnmetered } from "./notMetered.ts"
import { whole } from "./whole.ts"
import type { Builtin } from "../../exchange/Reply.ts"
import { callerMayDisconnect } from "../../internal/callerMayDisconnect.ts"

/** An upstream answers, and nothing is reserved, metered or charged. */
const free =
  (forward: Forward) =>
  (given: Priced, called: Called, admission: Admission): Effect.Effect<Ending, Refused, Scope> => {
    if (called.kind === "whole") {
      // Nothing reads whether it says that it failed. A large answer says no such thing.
      const { answer } = isLarge(called.answer.bytes) ? called : scrubbedFailure(called)
      return Effect.succeed(wholeEnding(given, answer, admission, noCharge, undefined))
    }
    const { protocol, streaming } = called
    const exchange = withoutBytes(given)
    const end = () => Effect.as(admission.end(undefined), noCharge)
    return Effect.map(
      forward(exchange, streaming, protocol.streamMeter(exchange, streaming.eventBytes), end),
      (body) => ({
        reply: { kind: "stream", exchange, head: streaming, body, limits: admission.limits, charge: noCharge },
        tokens: "later"
      })
    )
  }

/** The upstream goes on working after the answer. The reservation stays until the task ends. */
const task =
  (tasks: Tasks["Service"] | undefined, ledger: Ledger["Service"], reached: OnMilestone) =>
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
    const called = Effect.tap(call, () => Effect.sync(() => reached?.("called")))
    return Effect.map(tasks.create(exchange, reservation, called, ledger), ({ answer, charge }) =>
      wholeEnding(exchange, answer, admission, charge, 0)
    )
  }

/** The gateway answers the operation itself. */
const builtin = (exchange: Decoded, answer: Builtin, admission: Admission): Effect.Effect<Ending, Refused> =>
  Effect.map(callerMayDisconnect(answer(exchange)), (answer) =>
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
  const left = yield* CurrentAbandonedStreams
  const unmetered = refuseUnmetered(endUncharged(ledger))
  return {
    quote,
    builtin,
    free: free(forward),
    replay,
    kept: kept(cap, reserve, ledger),
    whole: whole(prices, yield* keeper, ledger, endUncharged(ledger), reached, unmetered, left),
    stream: stream(prices, ledger, endUncharged(ledger), forward, unmetered, left),
    task: task(tasks, ledger, reached)
  }
})

export type Endings = Effect.Success<ReturnType<typeof make>>
