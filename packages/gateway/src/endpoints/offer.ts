import type { Gateway } from "../call/Gateway.ts"
import { categoriesOf, type CategoryEntry } from "./catalogue/categories.ts"
import { listPrice, type PriceText, priceText } from "../exchange/Prices.ts"

/** What a grant can be bound to, with list prices. */
export interface Offer {
  /** Those with an operation that needs a credential. */
  readonly categories: ReadonlyArray<CategoryEntry>
  /** The prices of the operations in them, by id. */
  readonly operations: ReadonlyMap<string, PriceText>
}

const offers = new WeakMap<Gateway, Offer>()

const make = ({ catalogue, models, prices }: Gateway): Offer => {
  const operations = catalogue.bound
    .filter(({ access }) => access !== "open")
    .map((operation) => ({
      id: operation.id,
      category: operation.category,
      price: priceText(listPrice(operation, prices, models))
    }))
  return { categories: categoriesOf(operations), operations: new Map(operations.map(({ id, price }) => [id, price])) }
}

/** Made once for each definition. */
export const offerOf = (gateway: Gateway): Offer => {
  const known = offers.get(gateway)
  if (known !== undefined) return known
  const made = make(gateway)
  offers.set(gateway, made)
  return made
}
