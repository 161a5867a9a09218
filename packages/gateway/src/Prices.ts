import type { Bound } from "@tollgate/contract/Operation"
import { type Multiplier, one, type Price } from "@tollgate/contract/price/Price"
import * as Context from "effect/Context"

/** The price book: what an operator set, or else what the contract publishes. */
export const Prices = Context.Reference<{
  readonly of: (operation: Bound) => Price
  readonly multiplier: Multiplier
}>("@tollgate/gateway/Prices", { defaultValue: () => ({ of: (operation) => operation.price, multiplier: one }) })
