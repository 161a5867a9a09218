import type { Catalogue } from "@tollgate/contract/Catalogue"
import type { CacheTerms } from "@tollgate/contract/price/contracts"
import * as Clock from "effect/Clock"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type CachedAnswer, AnswerCache } from "../../cache/AnswerCache.ts"
import * as CacheRequest from "../../cache/requests.ts"
import { requestKey } from "../../cache/requestKey.ts"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { Upstreams } from "../../upstream/Upstreams.ts"

export interface Hit {
  readonly cached: CachedAnswer
  readonly terms: CacheTerms
  readonly ageSeconds: number
}

/** A caller who asks for kept answers. */
export interface Asked {
  readonly account: string
  readonly terms: CacheTerms
  /** Where the answer is stored. `undefined`: it is not, because the caller asks for a stream. */
  readonly key: string | undefined
  readonly hit: Hit | undefined
}

/** Finds the kept answer to a call whose caller asks for one. `undefined`: the caller does not, or the gateway has none. */
export const kept = Effect.fnUntraced(function* (catalogue: Catalogue) {
  const cache = Option.getOrUndefined(yield* Effect.serviceOption(AnswerCache))
  const upstreams = yield* Upstreams
  const keyOf = requestKey(catalogue, yield* Digest, upstreams)

  const find = Effect.fnUntraced(function* (
    { find }: AnswerCache["Service"],
    { operation, requestId }: Priced,
    account: string,
    key: string,
    terms: CacheTerms,
    maxAgeSeconds = terms.seconds
  ) {
    const cached = yield* Effect.catch(find(account, key), () =>
      Effect.as(Effect.logWarning("reading a kept answer failed", { requestId, operation: operation.id }), undefined)
    )
    if (cached === undefined) return undefined
    const ageMillis = Math.max(0, (yield* Clock.currentTimeMillis) - cached.storedAt)
    // The operator may have shortened the lifetime since.
    if (ageMillis >= terms.seconds * 1000 || ageMillis > maxAgeSeconds * 1000) return undefined
    return { cached, terms, ageSeconds: Math.floor(ageMillis / 1000) }
  })

  return Effect.fnUntraced(function* (exchange: Priced): Effect.fn.Return<Asked | undefined, Refused> {
    const terms = exchange.operation.kept
    const account = exchange.principal?.account
    if (cache === undefined || terms === undefined || account === undefined) return undefined
    const wanted = yield* Effect.fromResult(CacheRequest.parseCacheRequest(exchange))
    if (upstreams.wantsEvents(exchange)) return { account, terms, key: undefined, hit: undefined }
    const key = yield* keyOf(exchange, account)
    const hit =
      wanted.kind === "refresh" ? undefined : yield* find(cache, exchange, account, key, terms, wanted.maxAgeSeconds)
    return { account, terms, key, hit }
  })
})
