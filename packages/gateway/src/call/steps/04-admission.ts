import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import { contractOf } from "@tollgate/contract/price/contracts"
import { isFree } from "@tollgate/contract/price/Price"
import * as RateLimits from "@tollgate/contract/RateLimits"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { asksForKept } from "../../cache/requests.ts"
import type { Authenticated, Routed } from "../../exchange/Exchange.ts"
import type { Ledger } from "@tollgate/ledger/ledger/Ledger"
import { type Admission, unlimited } from "../../limits/Admission.ts"
import { limitedAs } from "../../limits/KeyLimits.ts"
import type { Limits } from "../../limits/Limits.ts"
import type { PriceBook } from "../../exchange/Prices.ts"
import { notExecutedStatus, Refused } from "@tollgate/contract/errors/Refused"

// What can be decided without the body comes before it is read, so that who may not call costs little.

/**
 * Refuses a call of a caller who cannot pay for anything. A call that may be free goes on, and so does a repeated one,
 * which may get its stored answer.
 */
export const payable = (
  ledger: Ledger["Service"],
  prices: PriceBook,
  idempotencyId: (exchange: Routed) => Effect.Effect<string> | undefined,
  isRepeat: (exchange: Routed) => boolean
) => {
  const canBeFree = (exchange: Routed): boolean => {
    const { operation, principal } = exchange
    if (principal?.multiplier === 0n || (operation.kept?.share === 0n && asksForKept(exchange))) return true
    const price = prices.of(operation)
    return prices.canBeFree?.(operation) ?? contractOf(price).canBeFree(price)
  }

  const unlessFree = (exchange: Routed, refusal: Refused): Effect.Effect<void, Refused> => {
    if (canBeFree(exchange) || isRepeat(exchange)) return Effect.void
    const id = idempotencyId(exchange)
    if (id === undefined) return Effect.fail(refusal)
    return Effect.flatMap(Effect.flatMap(id, ledger.isClaimed), (claimed) =>
      claimed ? Effect.void : Effect.fail(refusal)
    )
  }
  return (exchange: Routed): Effect.Effect<void, Refused> => {
    const { operation, principal, wantsQuote } = exchange
    if (principal === undefined || wantsQuote || isFree(operation.price)) return Effect.void
    return Effect.flatMapEager(ledger.exhausted(principal), (refusal) =>
      refusal === undefined ? Effect.void : unlessFree(exchange, refusal)
    )
  }
}

/**
 * How long a call waits for one of its key's concurrent calls to end. A caller knows that a call is over before its slot is
 * free: it has left the call, or the call ended on another gateway.
 */
export const SlotWait = Context.Reference<{ readonly longestMillis: number }>("@tollgate/gateway/PlaceWait", {
  defaultValue: () => ({ longestMillis: 250 })
})

const firstMillis = 5
const mostMillis = 50

/**
 * Admits a request. As many of a key wait for a slot as it has slots; the others are refused at once. A request that resumes a
 * stream only counts as a request: the tokens and the slot are the stream's.
 */
export const admit = (
  names: Names,
  limits: Limits["Service"],
  longestMillis: number,
  isResumed: (exchange: Routed) => Effect.Effect<boolean> | undefined
) => {
  const resumable = Headers.resumable.key(names)
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

  const admitted = (exchange: Routed): Effect.Effect<Admission, Refused> =>
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

  return (exchange: Routed): Effect.Effect<Admission, Refused> => {
    const resumed = exchange.request.headers[resumable] === undefined ? undefined : isResumed(exchange)
    if (resumed === undefined) return admitted(exchange)
    return Effect.flatMap(resumed, (resumed) =>
      resumed ? Effect.map(limits.count(exchange), (limits) => ({ ...unlimited, limits })) : admitted(exchange)
    )
  }
}

/** A request that was refused before admission counts towards its key's requests per minute all the same. */
export const countRefused =
  (limits: Limits["Service"]) =>
  (exchange: Authenticated, { headers, limit, refusal }: Refused): Effect.Effect<never, Refused> =>
    Effect.flatMap(limits.count(exchange), (state) =>
      Effect.fail(new Refused({ refusal, limit, headers: { ...headers, ...RateLimits.encode(state) } }))
    )

/** The tokens that a call which failed has used: none if nothing was executed, otherwise not known. */
export const tokensOfFailure = (cause: Cause.Cause<Refused>): number | undefined =>
  notExecutedStatus(cause) === undefined ? undefined : 0
