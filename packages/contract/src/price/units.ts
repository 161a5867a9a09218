import { read } from "../internal/exact.ts"
import { textBytes } from "./content.ts"
import { type Tokens } from "./modelTokens.ts"
import type { PriceOf, RequestedUnits } from "./Price.ts"

const count = (
  items: ReadonlyArray<unknown>,
  { bytesPerItem, itemsPerUnit }: RequestedUnits,
  bytesPerToken: number
) => {
  let counted = 0
  for (const item of items) counted += Math.max(1, Math.ceil(textBytes(item) / bytesPerToken / bytesPerItem))
  return Math.max(1, Math.ceil(counted / itemsPerUnit))
}

/** The expected number of units of a call, and the highest. */
export const unitsOf = ({ most, requested }: PriceOf<"answer_field">, request: unknown): Tokens => {
  const items = requested === undefined ? undefined : read(request, [requested.items])
  if (requested === undefined || !Array.isArray(items)) return { likely: 1, most }
  return { likely: Math.min(most, count(items, requested, 4)), most: Math.min(most, count(items, requested, 1)) }
}
