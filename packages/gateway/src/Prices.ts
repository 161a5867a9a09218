import type { Bound } from "@tollgate/contract/Operation"
import type { Price } from "@tollgate/contract/price/Price"
import * as Context from "effect/Context"

export interface PriceBook {
  /** Where the model is told, a price by model has that one alone, whichever entry of the book it falls under. */
  readonly of: (operation: Bound, model?: string) => Price
}

/** The price book: what an operator set, or else what the contract publishes. */
export const Prices = Context.Reference<PriceBook>("@tollgate/gateway/Prices", {
  defaultValue: () => ({ of: (operation) => operation.price })
})
