import { attempt } from "@tollgate/contract/attempt"
import { fill } from "@tollgate/contract/Names"
import { cachedAnswer } from "@tollgate/contract/operations/cachedAnswer"
import { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Decoded } from "../../exchange/Exchange.ts"
import { set } from "../../internal/jsonEdit.ts"
import { BaseUrl } from "../../exchange/BaseUrl.ts"
import { quote } from "../../internal/jsonScan.ts"
import type { Settled } from "@tollgate/ledger/ledger/Ledger"
import { describeSqlError } from "@tollgate/ledger/store/rows"
import type { Answer } from "../../exchange/Reply.ts"
import { fieldScanner } from "../../upstream/protocols/fieldScanner.ts"
import { ResellerCache } from "../../cache/ResellerCache.ts"

const isUtf8 = (bytes: Uint8Array): boolean =>
  attempt(() => {
    Utf8.decodeStrict(bytes)
    return true
  }) ?? false

const scan = fieldScanner<"url">({ members: { cache_url: { tag: "url" } } })

const hasCacheUrl = ({ bytes, headers }: Answer): boolean => {
  if (headers["content-encoding"] !== undefined) return false
  let isText = false
  scan(bytes, 0, bytes.length, (_, start) => {
    isText = bytes[start] === quote
  })
  return isText && isUtf8(bytes)
}

/**
 * Stores a reseller's answer that was charged for its account and points its `cache_url` to this gateway. If that fails, the answer is sent
 * unchanged.
 */
export const keeper = Effect.gen(function* () {
  const kept = Option.getOrUndefined(yield* Effect.serviceOption(ResellerCache))
  const baseUrl = yield* BaseUrl
  if (kept === undefined) return undefined

  const keep = Effect.fnUntraced(function* (account: string, { operation, requestId }: Decoded, answer: Answer) {
    const id = yield* kept.newId
    const url = baseUrl + fill(cachedAnswer.path ?? "", operation.names).replace("{id}", id)
    const bytes = set(answer.bytes, ["cache_url"], JSON.stringify(url))
    const stored = yield* kept
      .keep(account, id, requestId, bytes)
      .pipe(
        Effect.catch((error) =>
          Effect.as(
            Effect.logWarning("storing a reseller answer failed", { requestId, ...describeSqlError(error) }),
            false
          )
        )
      )
    return stored ? { ...answer, bytes } : answer
  })

  /** `metered` is what the answer costs. */
  return (exchange: Decoded, answer: Answer, metered: Settled | undefined): Effect.Effect<Answer> => {
    const { operation, principal } = exchange
    if (
      principal === undefined ||
      operation.success !== ResellerEnvelope ||
      metered === undefined ||
      metered.settlement.value === 0n ||
      !hasCacheUrl(answer)
    ) {
      return Effect.succeed(answer)
    }
    return keep(principal.account, exchange, answer)
  }
})

/** `undefined`: nothing is kept. */
export type Keep = Effect.Success<typeof keeper>
