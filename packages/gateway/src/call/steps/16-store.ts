import { describeSqlError } from "@tollgate/ledger/store/rows"
import * as Headers from "@tollgate/contract/Headers"
import type { Evidence } from "@tollgate/contract/price/evidence"
import * as Settle from "@tollgate/contract/price/contracts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AnswerCache } from "../../cache/AnswerCache.ts"
import type { Ending } from "../Ending.ts"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Reply } from "../../exchange/Reply.ts"
import type { Called } from "../../upstream/Called.ts"
import { isSuccess } from "../../upstream/protocols/message.ts"
import type { Asked } from "./07-cache.ts"
import { isFailureCode, recordedOf } from "./13-meter.ts"

/** Says that the call was executed. */
const marked = (reply: Reply, { operation: { names } }: Priced): Reply => {
  const mark = { [Headers.cache.key(names)]: "miss" }
  if (reply.kind === "whole") {
    return { ...reply, answer: { ...reply.answer, headers: { ...reply.answer.headers, ...mark } } }
  }
  return reply.kind === "stream"
    ? { ...reply, head: { ...reply.head, headers: { ...reply.head.headers, ...mark } } }
    : reply
}

/** What a whole answer was charged by. `undefined`: it failed, proves no cost, or was cut short by the caller's cap. */
const provenBy = (exchange: Priced, called: Called): Evidence | undefined => {
  // What another model answered is no answer of the model that the next caller names.
  if (
    called.servedAs !== undefined ||
    called.kind !== "whole" ||
    !isSuccess(called.answer.status) ||
    exchange.outputBound !== undefined
  ) {
    return undefined
  }
  const evidence = Option.getOrUndefined(called.protocol.evidence(exchange, called.answer))
  return evidence === undefined || isFailureCode(exchange.price, evidence)
    ? undefined
    : recordedOf(exchange.price, evidence)
}

/** Keeps the answer to an executed call whose caller asked for it, once the call is settled. A failure is only logged. */
export const store = Effect.gen(function* () {
  const cache = Option.getOrUndefined(yield* Effect.serviceOption(AnswerCache))

  return Effect.fnUntraced(function* (asked: Asked, exchange: Priced, called: Called, { reply, tokens }: Ending) {
    const ended: Ending = { reply: marked(reply, exchange), tokens }
    const { account, key, terms } = asked
    const evidence = provenBy(exchange, called)
    if (cache === undefined || key === undefined || evidence === undefined || reply.kind !== "whole") return ended
    const list = Settle.settle(exchange.price, evidence)
    if (Option.isNone(list)) return ended
    const { operation, requestId } = exchange
    const cached = {
      call: requestId,
      answer: reply.answer,
      list: list.value.chargedNano,
      evidence,
      storedAt: yield* Clock.currentTimeMillis
    }
    yield* Effect.catch(cache.store(account, key, cached, terms.seconds * 1000), (error) =>
      Effect.logWarning("storing a kept answer failed", {
        requestId,
        operation: operation.id,
        ...describeSqlError(error)
      })
    )
    return ended
  })
})
