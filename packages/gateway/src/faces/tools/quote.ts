import { formatUsd, fromMicros } from "@tollgate/contract/Money"
import { isQuotable } from "@tollgate/contract/Operation"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Caller } from "./Caller.ts"
import { run, type ToolRequest } from "./pipeline.ts"
import type { Price } from "./shapes.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Quote))

const priceOf = ({ basis, estimate_micros_usd, max_micros_usd, price_contract }: Quote): Price => ({
  estimate_usd: formatUsd(fromMicros(estimate_micros_usd)),
  max_usd: formatUsd(fromMicros(max_micros_usd)),
  estimate_micros_usd: Number(estimate_micros_usd),
  max_micros_usd: Number(max_micros_usd),
  price_contract,
  basis
})

/** Asks the pipeline what a call would cost. `undefined`: it has no price, or may not be asked now. */
export const quote = (caller: Caller, call: ToolRequest): Effect.Effect<Price | undefined> => {
  if (!isQuotable(call.operation)) return Effect.succeed(undefined)
  return Effect.scoped(
    Effect.map(run(caller, call, { quote: true }), (reply) =>
      reply.kind === "whole" && reply.answer.status === 200
        ? Option.getOrUndefined(Option.map(decode(Utf8.decode(reply.answer.bytes)), priceOf))
        : undefined
    )
  )
}
