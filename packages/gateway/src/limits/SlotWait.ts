import type { Refused } from "@tollgate/contract/errors/Refused"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Routed } from "../exchange/Exchange.ts"
import type { Admission } from "./Admission.ts"
import { limitedAs } from "./KeyLimits.ts"
import type { Limits } from "./Limits.ts"

/**
 * How long a call waits for one of its key's concurrent calls to end. A caller knows that a call is over before its slot is
 * free: it has left the call, or the call ended on another gateway.
 */
export const SlotWait = Context.Reference<{ readonly longestMillis: number }>("@tollgate/gateway/PlaceWait", {
  defaultValue: () => ({ longestMillis: 250 })
})

const firstMillis = 5
const mostMillis = 50

/** Admits a request. As many of a key wait for a slot as it has slots; the others are refused at once. */
export const admitting = (limits: Limits["Service"], longestMillis: number) => {
  const waiting = new Map<string, number>()
  const count = (key: string, change: 1 | -1): void => {
    const next = (waiting.get(key) ?? 0) + change
    if (next === 0) waiting.delete(key)
    else waiting.set(key, next)
  }

  const again = (exchange: Routed, millis: number, left: number): Effect.Effect<Admission, Refused> =>
    Effect.catch(
      Effect.delay(
        Effect.suspend(() => limits.admit(exchange)),
        millis
      ),
      (refused) =>
        refused.limit !== "concurrency" || left <= millis
          ? Effect.fail(refused)
          : again(exchange, Math.min(2 * millis, mostMillis), left - millis)
    )

  return (exchange: Routed): Effect.Effect<Admission, Refused> =>
    Effect.catchEager(limits.admit(exchange), (refused) => {
      const { principal } = exchange
      if (refused.limit !== "concurrency" || principal === undefined || longestMillis === 0) return Effect.fail(refused)
      const key = limitedAs(principal)
      if ((waiting.get(key) ?? 0) >= principal.allowance.concurrency) return Effect.fail(refused)
      count(key, 1)
      return Effect.ensuring(
        again(exchange, firstMillis, longestMillis),
        Effect.sync(() => count(key, -1))
      )
    })
}
