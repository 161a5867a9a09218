import * as Estimate from "@tollgate/contract/price/estimate"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Decoded, Priced } from "../Exchange.ts"
import type { PriceBook } from "../Prices.ts"
import { refuse, type Refused } from "../Refused.ts"

const of = ({ model, operation: { id, price } }: Decoded): string =>
  price.contract === "model_tokens" && model !== undefined
    ? `${id} with the model ${JSON.stringify(model.slice(0, 100))}`
    : id

/** What the call as asked will cost. An operation that nobody has priced is not carried out. */
export const price =
  (prices: PriceBook) =>
  (exchange: Decoded): Effect.Effect<Priced, Refused> => {
    const { input, model, operation, principal } = exchange
    const price = prices.of(operation, model)
    const estimate = Estimate.estimate(price, input.body, principal?.multiplier, model)
    return Option.isNone(estimate)
      ? Effect.fail(refuse("billing_misconfigured", `No price is set for ${of(exchange)}.`))
      : Effect.succeed({ ...exchange, price, estimate: estimate.value })
  }
