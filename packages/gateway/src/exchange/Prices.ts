import type { Bound } from "@tollgate/contract/Operation"
import type { Price } from "@tollgate/contract/price/Price"
import * as Context from "effect/Context"

export interface PriceBook {
  /** With a model, a price by model holds only that model's entry, whichever pattern of the book matches it. */
  readonly of: (operation: Bound, model?: string) => Price
  /** Whether the book has an entry of exactly this name. Default: by the price without a model. */
  readonly lists?: (operation: Bound, model: string) => boolean
  /** All prices of the operation: one by model also has the patterns of the book. Default: the price without a model. */
  readonly all?: (operation: Bound) => Price
  /** What becomes of a request that asks for something without a price. Default: it is refused. */
  readonly unpriced?: "refuse" | "remove" | "pass" | undefined
  /** Whether some call of the operation may cost nothing. Default: by the price without a model. */
  readonly canBeFree?: (operation: Bound) => boolean
}

/** What an upstream charges the operator. */
export interface CostBook {
  /** With a model, a price by model holds only that model's entry. `undefined`: the book has no price for that. */
  readonly of: (operation: Bound, model?: string) => Price | undefined
  /** Whether the book has an entry of exactly this name. Default: by the price without a model. */
  readonly lists?: (operation: Bound, model: string) => boolean
}

/** The price book: the operator's prices, or else those that the contract publishes. */
export const Prices = Context.Reference<PriceBook>("@tollgate/gateway/Prices", {
  defaultValue: () => ({ of: (operation) => operation.price })
})
