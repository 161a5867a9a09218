import * as Estimate from "@tollgate/contract/price/estimate"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Decoded, Priced } from "../Exchange.ts"
import { Prices } from "../Prices.ts"
import { refuse, type Refused } from "../Refused.ts"

/** What the call as asked will cost. An operation that nobody has priced is not carried out. */
export const price = Effect.fnUntraced(function* (exchange: Decoded): Effect.fn.Return<Priced, Refused> {
  const prices = yield* Prices
  const price = prices.of(exchange.operation)
  const estimate = Estimate.estimate(price, exchange.input.body, prices.multiplier)
  if (Option.isNone(estimate)) {
    return yield* refuse("billing_misconfigured", `No price is set for ${exchange.operation.id}.`)
  }
  return { ...exchange, price, estimate: estimate.value }
})
