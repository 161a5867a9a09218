import { fill } from "@tollgate/contract/Names"
import { cachedAnswer } from "@tollgate/contract/operations/cachedAnswer"
import { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { Decoded } from "../Exchange.ts"
import { set } from "../internal/jsonEdit.ts"
import { BaseUrl } from "../own/BaseUrl.ts"
import type { Answer } from "../upstream/Protocol.ts"
import { KeptAnswers } from "./KeptAnswers.ts"

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Utf8.decodeStrict(bytes))
  } catch {
    return undefined
  }
}

/** A successful envelope with a `cache_url`. */
const isKeepable = ({ bytes, headers, status }: Answer): boolean => {
  if (status < 200 || status >= 300 || headers["content-encoding"] !== undefined) return false
  const envelope = parse(bytes)
  return Predicate.isObject(envelope) && envelope["code"] === 200 && typeof envelope["cache_url"] === "string"
}

/**
 * Stores a reseller's answer and points its `cache_url` to this gateway; all other bytes stay unchanged. An answer that cannot
 * be stored, or is another operation's, is passed on unchanged.
 */
export const keeper = Effect.gen(function* () {
  const kept = Option.getOrUndefined(yield* Effect.serviceOption(KeptAnswers))
  const baseUrl = yield* BaseUrl

  const keep = Effect.fnUntraced(function* (
    kept: KeptAnswers["Service"],
    account: string,
    { operation, requestId }: Decoded,
    answer: Answer
  ) {
    const id = yield* kept.newId
    const url = baseUrl + fill(cachedAnswer.path ?? "", operation.names).replace("{id}", id)
    const bytes = set(answer.bytes, ["cache_url"], JSON.stringify(url))
    const stored = yield* kept
      .keep(account, id, bytes)
      .pipe(Effect.catch(() => Effect.as(Effect.logWarning("storing a reseller answer failed", { requestId }), false)))
    return stored ? { ...answer, bytes } : answer
  })

  return (exchange: Decoded, answer: Answer): Effect.Effect<Answer> => {
    const { operation, principal } = exchange
    if (
      kept === undefined ||
      principal === undefined ||
      operation.success !== ResellerEnvelope ||
      !isKeepable(answer)
    ) {
      return Effect.succeed(answer)
    }
    return keep(kept, principal.account, exchange, answer)
  }
})
