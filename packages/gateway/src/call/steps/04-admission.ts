import { contractOf } from "@tollgate/contract/price/contracts"
import { isFree } from "@tollgate/contract/price/Price"
import * as RateLimits from "@tollgate/contract/RateLimits"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { asksForKept } from "../../cache/requests.ts"
import type { Authenticated, Routed } from "../../exchange/Exchange.ts"
import type { Ledger } from "@tollgate/ledger/ledger/Ledger"
import { type Admission, unlimited } from "../../limits/Admission.ts"
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
 * A request that resumes a stream counts as a request. It takes no tokens and no place among the key's concurrent calls: the
 * stream has both.
 */
export const admitResumed =
  (
    admit: (exchange: Routed) => Effect.Effect<Admission, Refused>,
    count: Limits["Service"]["count"],
    asksToResume: (exchange: Routed) => boolean,
    isResumed: (exchange: Routed) => Effect.Effect<boolean> | undefined
  ) =>
  (exchange: Routed): Effect.Effect<Admission, Refused> => {
    const resumed = asksToResume(exchange) ? isResumed(exchange) : undefined
    if (resumed === undefined) return admit(exchange)
    return Effect.flatMap(resumed, (resumed) =>
      resumed ? Effect.map(count(exchange), (limits) => ({ ...unlimited, limits })) : admit(exchange)
    )
  }

/** A request that was refused before admission counts towards its key's requests per minute all the same. */
export const countRefused =
  (limits: Limits["Service"]) =>
  (exchange: Authenticated) =>
  ({ headers, limit, refusal }: Refused): Effect.Effect<never, Refused> =>
    Effect.flatMap(limits.count(exchange), (state) =>
      Effect.fail(new Refused({ refusal, limit, headers: { ...headers, ...RateLimits.encode(state) } }))
    )

/** The tokens that a call which failed has used: none if nothing was executed, otherwise not known. */
export const tokensOfFailure = (cause: Cause.Cause<Refused>): number | undefined =>
  notExecutedStatus(cause) === undefined ? undefined : 0
