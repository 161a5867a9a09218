import type { OfferedModel, ModelOperation, models as modelRoutes } from "@tollgate/contract/account/Models"
import { fill } from "@tollgate/contract/Names"
import { detailNames, kindNames } from "@tollgate/contract/price/TokenKind"
import { dollars, pricesInShort } from "@tollgate/contract/price/notation"
import * as Effect from "effect/Effect"
import type { Gateway } from "../../call/Gateway.ts"
import { listPrice } from "../../exchange/Prices.ts"
import { oncePer } from "../../internal/once.ts"
import { type ModelPriceText, type PriceDetails, priceDetails, type RatesText } from "../catalogue/details.ts"
import { fieldsOf } from "../catalogue/fields.ts"
import { modelsOf } from "../docs/Site.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import type { Caller } from "./Caller.ts"

const usd = (amount: number): string => dollars(amount).slice(1)

const ratesOf = (rates: RatesText): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...kindNames, ...detailNames].flatMap((kind) => (rates[kind] === undefined ? [] : [[kind, usd(rates[kind])]]))
  )

const inShort = ({ input, output }: ModelPriceText): string =>
  `${dollars(input)} in, ${dollars(output)} out / 1M tokens`

const operationOf = (
  id: string,
  { models, ranges, state }: PriceDetails,
  model: string,
  { servedBy }: Gateway["prices"]
): ModelOperation => {
  const price = models.find((one) => one.model === model)
  const serving = servedBy?.(id, model) ?? []
  return {
    id,
    price: price !== undefined ? inShort(price) : state === "free" ? "free" : pricesInShort(ranges),
    rates: price === undefined ? null : ratesOf(price),
    long_prompt:
      price?.longPrompt === undefined ? null : { above: price.longPrompt.above, rates: ratesOf(price.longPrompt) },
    also: price?.dimensions?.words ?? [],
    protocols: [...new Set(serving.map(({ protocol }) => protocol))],
    is_translated: serving.length > 0 && serving.every(({ isTranslated }) => isTranslated)
  }
}

/** Read once for each definition of the gateway: it may have a thousand operations. */
const modelsIn = oncePer(
  Effect.fnUntraced(function* ({ catalogue, models, prices }: Gateway) {
    const found = new Map<string, OfferedModel>()
    for (const { id: template } of catalogue.operations) {
      yield* Effect.yieldNow
      const operation = catalogue.byId.get(fill(template, catalogue.names))
      if (operation === undefined) continue
      const details = priceDetails(listPrice(operation, prices, models))
      // The fields of some operations are not described.
      if (details.models.length === 0 && !fieldsOf(operation).byName.has("model")) continue
      for (const id of new Set(modelsOf(operation.id, details, models))) {
        const price = details.models.find(({ model }) => model === id)
        const known = found.get(id)
        found.set(id, {
          id,
          owned_by: models.find((model) => model.id === id)?.ownedBy ?? null,
          context_window: known?.context_window ?? price?.contextWindow ?? null,
          max_output: known?.max_output ?? price?.maxOutput ?? null,
          operations: [...(known?.operations ?? []), operationOf(operation.id, details, id, prices)]
        })
      }
    }
    return [...found.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  })
)

export const modelHandlers: Handlers<typeof modelRoutes, Caller> = {
  models: (_, { gateway }) => Effect.map(modelsIn(gateway), (models) => ({ models }))
}
