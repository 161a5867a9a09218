import * as Headers from "@tollgate/contract/Headers"
import { fromMicros, zero } from "@tollgate/contract/Money"
import { perRequestOf } from "@tollgate/contract/price/contracts/perRequest"
import { type CachedEvidence, settleCached } from "@tollgate/contract/price/contracts"
import { isFree } from "@tollgate/contract/price/Price"
import { noTokens } from "@tollgate/contract/price/TokenKind"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Settled } from "@tollgate/ledger/ledger/Settled"
import type { Admission } from "../../limits/Admission.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { Hit } from "../steps/07-cache.ts"
import type { ReservedOrReplay } from "../steps/11-reserve.ts"
import type { Ledger } from "@tollgate/ledger/ledger/Ledger"
import { type Ending, free, type Replay, wholeEnding } from "../Ending.ts"

/**
 * The call completed before, or an earlier attempt at it is under way: its answer is sent again and costs nothing. A header
 * says what the first call was charged, once that is known.
 */
export const replay = (
  exchange: Priced,
  { charge: { micros }, repeatable }: Replay,
  admission: Admission
): Effect.Effect<Ending, never, Scope> => {
  const mark = {
    [Headers.idempotentReplayed]: "true",
    ...(micros === undefined ? {} : { [Headers.replayedCost(exchange.operation.names)]: String(micros) })
  }
  if (repeatable.kind === "whole") {
    const { answer } = repeatable
    const repeated = { ...answer, headers: { ...answer.headers, ...mark } }
    return Effect.succeed(wholeEnding(exchange, repeated, admission, free, 0))
  }
  const { body, head } = repeatable
  const { limits } = admission
  const repeated = { ...head, headers: { ...head.headers, ...mark } }
  return Effect.as(
    Effect.addFinalizer(() => admission.end(0)),
    { reply: { kind: "stream", exchange, head: repeated, body, limits, charge: free }, tokens: "later" }
  )
}

const settledBy = ({ principal }: Priced, { ageSeconds, cached, terms }: Hit): Settled => {
  const { answer, call, evidence: of } = cached
  const evidence: CachedEvidence = { kind: "kept", call, share: String(terms.share), age: ageSeconds, of }
  return {
    settlement: settleCached(cached.list, terms.share, principal?.multiplier),
    costState: "settled",
    answer,
    evidence: JSON.stringify(evidence),
    usage: noTokens,
    // Nothing is sent upstream.
    cost: zero
  }
}

/** The call with the price of the hit, which is known exactly. */
const pricedAs = (exchange: Priced, { settlement: { charged } }: Settled): Priced => {
  const amount = fromMicros(charged)
  return { ...exchange, price: perRequestOf(amount), estimate: { likely: amount, most: amount } }
}

/** The call gets a kept answer: it is recorded and charged as a call of its own, and nothing is executed. */
export const kept =
  (
    cap: (exchange: Priced) => Effect.Effect<Priced, Refused>,
    reserve: (exchange: Priced) => Effect.Effect<ReservedOrReplay, Refused>,
    ledger: Ledger["Service"]
  ) =>
  (exchange: Priced, hit: Hit, admission: Admission): Effect.Effect<Ending, Refused, Scope> => {
    const { operation } = exchange
    const { cached, ageSeconds } = hit
    const mark = { [Headers.cache.key(operation.names)]: `hit; age=${ageSeconds}` }
    const answer = { ...cached.answer, headers: { ...cached.answer.headers, ...mark } }
    if (isFree(exchange.price)) return Effect.succeed(wholeEnding(exchange, answer, admission, free, undefined))

    const settled = settledBy(exchange, hit)
    return Effect.flatMap(cap(pricedAs(exchange, settled)), (priced) =>
      Effect.flatMap(reserve(priced), (reserved) => {
        if (reserved.kind === "replay") return replay(exchange, reserved, admission)
        return Effect.map(ledger.settle(reserved.reservation, settled), (charge) =>
          wholeEnding(exchange, answer, admission, charge, undefined)
        )
      })
    )
  }
