import type { Gateway } from "../call/Gateway.ts"
import { categoriesOf, type CategoryEntry } from "./tools/catalogue/Index.ts"
import { listPrice, priceText } from "../exchange/listPrice.ts"

/** What a grant can be bound to, with list prices. */
export interface Offer {
  /** Those with an operation that needs a credential. */
  readonly categories: ReadonlyArray<CategoryEntry>
  /** The ids of the operations in them. */
  readonly operations: ReadonlySet<string>
}

const offers = new WeakMap<Gateway, Offer>()

const make = ({ catalogue, models, prices }: Gateway): Offer => {
  const operations = catalogue.bound.filter(({ access }) => access !== "open")
  return {
    categories: categoriesOf(
      operations.map((operation) => ({
        category: operation.category,
        price: priceText(listPrice(operation, prices, models))
      }))
    ),
    operations: new Set(operations.map(({ id }) => id))
  }
}

/** Made once for each definition. */
export const offerOf = (gateway: Gateway): Offer => {
  const known = offers.get(gateway)
  if (known !== undefined) return known
  const made = make(gateway)
  offers.set(gateway, made)
  return made
}
