import * as Headers from "@tollgate/contract/Headers"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type { ChargedCall, Ledger } from "@tollgate/ledger/ledger/Ledger"
import * as Effect from "effect/Effect"
import type { RecentAnswers } from "../../cache/RecentAnswers.ts"
import type { Routed } from "../../exchange/Exchange.ts"
import { json } from "../../exchange/Reply.ts"
import { callerMayDisconnect } from "../../internal/callerMayDisconnect.ts"
import { unlimited } from "../../limits/Admission.ts"
import type { Limits } from "../../limits/Limits.ts"
import { type Ending, free, wholeEnding } from "../Ending.ts"

/** The waits between looks for the end of a call. A stream whose caller has left is mostly settled after the first. */
const firstMillis = 10
const mostMillis = 250
/** How long a caller waits for the end. */
const longestMillis = 5_000

const withoutKey = refuse("invalid_request", `The modes charge and cancel need an ${Headers.idempotencyKey}.`, {
  param: Headers.idempotencyKey
})

/** The same for a key of another credential. */
const noCall = refuse("route_not_found", `No call of yours has this ${Headers.idempotencyKey}.`)

/**
 * Tells what the call of an idempotency key was charged, when it has ended or after five seconds. With `cancel` it ends the
 * call first, if that is a stream which could be resumed; other streams end with their connections. Executes nothing, and
 * needs no body.
 */
export const chargeOfKey = (
  limits: Limits["Service"],
  ledger: Ledger["Service"],
  idOf: (exchange: Routed) => Effect.Effect<string> | undefined,
  held: RecentAnswers["Service"] | undefined
) => {
  const ended = (id: string, rootKey: string, wait: number, left: number): Effect.Effect<ChargedCall, Refused> =>
    Effect.flatMap(ledger.chargeOf(id, rootKey), (found) => {
      if (found === undefined) return Effect.fail(noCall)
      if (found.charge.state !== "pending" || left <= 0) return Effect.succeed(found)
      return Effect.delay(
        Effect.suspend(() => ended(id, rootKey, Math.min(mostMillis, 2 * wait), left - wait)),
        wait
      )
    })

  return (routed: Routed, mode: "charge" | "cancel"): Effect.Effect<Ending, Refused> => {
    const { key = "", rootKey = key } = routed.principal ?? {}
    const hashed = idOf(routed)
    if (hashed === undefined) return Effect.fail(withoutKey)
    return Effect.gen(function* () {
      const id = yield* hashed
      if (mode === "cancel") {
        if (held !== undefined) yield* held.cancel(id, rootKey)
        yield* ledger.cancelElsewhere(id, rootKey)
      }
      const left = yield* limits.count(routed)
      const { call, charge } = yield* callerMayDisconnect(ended(id, rootKey, firstMillis, longestMillis))
      const { micros = charge.state === "none" ? 0 : undefined, state } = charge
      const body = { request_id: call, cost_state: state, cost_micros_usd: micros }
      return wholeEnding(routed, json(JSON.stringify(body)), { ...unlimited, limits: left }, free, undefined)
    })
  }
}
