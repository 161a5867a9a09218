import type { Catalogue } from "@tollgate/contract/Catalogue"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Bound } from "@tollgate/contract/Operation"
import { modelsOf } from "@tollgate/contract/price/Price"
import { PricePage } from "@tollgate/contract/resources/PricePage"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { inUsd, listPrice, type Model, type PriceBook, priceText } from "../../exchange/Prices.ts"
import { type Builtin, json } from "../../exchange/Reply.ts"

const encode = Schema.encodeSync(Schema.fromJsonString(PricePage))

const defaultPage = 20

/** The list prices in force, page by page. */
export const accountPrices = (catalogue: Catalogue, prices: PriceBook, models: ReadonlyArray<Model>): Builtin => {
  const sorted = catalogue.bound.toSorted((a, b) => (a.id < b.id ? -1 : 1))

  const entryOf = (operation: Bound, withModels: boolean): PricePage["prices"][number] => {
    const price = listPrice(operation, prices, models)
    const byModel = withModels ? Object.entries(modelsOf(price)) : []
    return {
      operation_id: operation.id,
      category: operation.category,
      price: priceText(price).words,
      ...(byModel.length === 0
        ? {}
        : {
            models: byModel.map(([model, { input, output }]) => ({ model, input: inUsd(input), output: inUsd(output) }))
          })
    }
  }

  return ({ input: { query } }) => {
    const { after = "", category, limit = defaultPage, operation_id } = query
    if (operation_id !== undefined) {
      const operation = catalogue.byId.get(String(operation_id))
      return operation === undefined
        ? Effect.fail(refuse("invalid_request", "operation_id: there is no such operation", { param: "operation_id" }))
        : Effect.succeed(json(encode({ currency: "USD", prices: [entryOf(operation, true)], next: null })))
    }
    const rest = sorted.filter((one) => one.id > String(after) && (category === undefined || one.category === category))
    const page = rest.slice(0, Number(limit))
    const next = rest.length > page.length ? (page.at(-1)?.id ?? null) : null
    const body = encode({ currency: "USD", prices: page.map((operation) => entryOf(operation, false)), next })
    return Effect.succeed(json(body))
  }
}
