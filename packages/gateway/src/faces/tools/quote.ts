import { formatUsd, fromMicros } from "@tollgate/contract/Money"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Reply } from "../../exchange/Reply.ts"
import type { Caller } from "./Caller.ts"
import { type Call, run } from "./pipeline.ts"
import type { Price, Used } from "./shapes.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Quote))

const priceOf = ({ basis, estimate_micros_usd, max_micros_usd, price_contract }: Quote): Price => ({
  estimate_usd: formatUsd(fromMicros(estimate_micros_usd)),
  max_usd: formatUsd(fromMicros(max_micros_usd)),
  estimate_micros_usd,
  max_micros_usd,
  price_contract,
  basis
})

/** Asks the pipeline what a call would cost. It counts as a request. */
export const quote = (caller: Caller, call: Call): Effect.Effect<Reply> =>
  Effect.scoped(run(caller, call, { quote: true }))

/** The price in the answer to a quote. */
export const priceIn = (reply: Reply): Pick<Used, "price"> => {
  const quoted =
    reply.kind === "whole" && reply.answer.status === 200
      ? Option.getOrUndefined(decode(Utf8.decode(reply.answer.bytes)))
      : undefined
  return quoted === undefined ? {} : { price: priceOf(quoted) }
}
