import * as Effect from "effect/Effect"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Answer } from "../../exchange/Reply.ts"
import { isLarge, turns } from "../../internal/Turns.ts"
import type { Ledger, OnMilestone, Reservation } from "@tollgate/ledger/ledger/Ledger"
import type { Admission } from "../../limits/Admission.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { PriceBook } from "../../exchange/Prices.ts"
import type { Keep } from "../steps/14-addToCache.ts"
import { meter, usedTokens } from "../steps/13-meter.ts"
import type { EndUncharged } from "../steps/15-settle.ts"
import { type Ending, failing, scrubbedFailure } from "../Ending.ts"
import type { Whole } from "../../upstream/Called.ts"
import { readAnswer } from "../../upstream/protocols/parsedAnswer.ts"
import { isSuccess } from "../../upstream/protocols/message.ts"
import type { AbandonedStreams } from "../AbandonedStreams.ts"
import type { RefuseUnmetered } from "./notMetered.ts"

type End = (
  exchange: Priced,
  reservation: Reservation,
  called: Whole,
  admission: Admission
) => Effect.Effect<Ending, Refused>

/** The whole answer has arrived. It is metered and settled before the caller gets any of it. */
export const whole = (
  prices: PriceBook,
  keep: Keep,
  ledger: Ledger["Service"],
  endUncharged: EndUncharged,
  reached: OnMilestone,
  unmetered: RefuseUnmetered,
  left: AbandonedStreams
): End => {
  const end: End = (exchange, reservation, answered, admission) => {
    const metered = meter(prices, exchange, answered, left)
    if (metered === undefined && isSuccess(answered.answer.status)) return unmetered(exchange, reservation, answered)
    const called = metered?.failed === true ? scrubbedFailure(answered) : answered
    const settled = (answer: Answer) => {
      const hasFailed = metered === undefined || metered.failed === true || !isSuccess(answer.status)
      const by = hasFailed ? failing(exchange, called) : called
      const charged =
        metered === undefined
          ? endUncharged(exchange, reservation, answer.status, by)
          : ledger.settle(reservation, answer === answered.answer ? metered : { ...metered, answer }, by)
      return Effect.mapEager(charged, (charge): Ending => {
        reached?.("settled")
        const { limits } = admission
        return { reply: { kind: "whole", exchange, answer, limits, charge }, tokens: usedTokens(exchange, metered) }
      })
    }
    return keep === undefined
      ? settled(called.answer)
      : Effect.flatMapEager(keep(exchange, called.answer, metered), settled)
  }
  return (exchange, reservation, called, admission) =>
    isLarge(called.answer.bytes)
      ? Effect.flatMap(turns.inSlices(readAnswer(exchange, called.answer)), () =>
          end(exchange, reservation, called, admission)
        )
      : end(exchange, reservation, called, admission)
}
