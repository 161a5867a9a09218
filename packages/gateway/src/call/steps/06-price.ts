import { familyOf } from "@tollgate/contract/errors/families"
import { contractOf } from "@tollgate/contract/price/contracts"
import * as Estimate from "@tollgate/contract/price/estimate"
import { modelsOf } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Decoded, Priced } from "../../exchange/Exchange.ts"
import { isLarge, type Turns } from "../../internal/Turns.ts"
import type { PriceBook } from "../../exchange/Prices.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

const quoted = (model: string): string => JSON.stringify(model.slice(0, 100))

/** A model without a price is not offered. If no model has one, the operator has not set the prices. */
const unpriced = (prices: PriceBook, { model, operation }: Decoded): Refused => {
  if (Object.keys(modelsOf(prices.of(operation))).length === 0) {
    return refuse("billing_misconfigured", `No price is set for ${operation.id}; the operator has to set one.`)
  }
  const { modelsPath: list = "/v1/models" } = familyOf(operation)
  return model === undefined
    ? refuse("invalid_request", `model: A model name is required; GET ${list} lists them.`, { param: "model" })
    : refuse("model_not_found", `The model ${quoted(model)} is not offered; GET ${list} lists those that are.`, {
        param: "model"
      })
}

/** Finds the price for this request and estimates what the call costs. A call without a price is refused. */
export const price =
  (prices: PriceBook, turns: Turns) =>
  (exchange: Decoded): Effect.Effect<Priced, Refused> => {
    const { input, model, operation, principal } = exchange
    const listed = prices.of(operation, model)
    const price = contractOf(listed).resolve?.(listed, input.body) ?? listed
    const estimate = Estimate.estimate(price, input.body, principal?.multiplier, model)
    if (Option.isNone(estimate)) return Effect.fail(unpriced(prices, exchange))
    const priced = { ...exchange, price, estimate: estimate.value }
    return isLarge(exchange.bytes) ? Effect.as(turns.next, priced) : Effect.succeed(priced)
  }
