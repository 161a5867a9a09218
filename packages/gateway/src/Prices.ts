import type { Bound } from "@tollgate/contract/Operation"
import type { Price } from "@tollgate/contract/price/Price"
import * as Context from "effect/Context"

export interface PriceBook {
  readonly of: (operation: Bound) => Price
}

/** The price book: what an operator set, or else what the contract publishes. */
export const Prices = Context.Reference<PriceBook>("@tollgate/gateway/Prices", {
  defaultValue: () => ({ of: (operation) => operation.price })
})
