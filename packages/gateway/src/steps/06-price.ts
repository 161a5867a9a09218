import * as Estimate from "@tollgate/contract/price/estimate"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Decoded, Priced } from "../Exchange.ts"
import type { PriceBook } from "../Prices.ts"
import { refuse, type Refused } from "../Refused.ts"

/** What the call as asked will cost. An operation that nobody has priced is not carried out. */
export const price =
  (prices: PriceBook) =>
  (exchange: Decoded): Effect.Effect<Priced, Refused> => {
    const price = prices.of(exchange.operation)
    const estimate = Estimate.estimate(price, exchange.input.body, exchange.principal?.multiplier)
    return Option.isNone(estimate)
      ? Effect.fail(refuse("billing_misconfigured", `No price is set for ${exchange.operation.id}.`))
      : Effect.succeed({ ...exchange, price, estimate: estimate.value })
  }
