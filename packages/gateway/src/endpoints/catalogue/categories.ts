import type { Category } from "@tollgate/contract/Operation"
import { describedCategory } from "@tollgate/contract/openapi/OpenApi"
import type { PriceRange, PriceText } from "../../exchange/Prices.ts"

export interface CategoryEntry {
  readonly name: string
  readonly description: string
  /** How many operations it has, and how many of them are free or have no price yet. */
  readonly count: number
  readonly free: number
  readonly pending: number
  /** One range for each unit. */
  readonly prices: ReadonlyArray<PriceRange>
}

interface Priced {
  readonly category: Category
  readonly price: PriceText
}

const merged = (ranges: ReadonlyArray<PriceRange>): ReadonlyArray<PriceRange> => {
  const byUnit = new Map<string, PriceRange>()
  for (const { from, per, to } of ranges) {
    const other = byUnit.get(per) ?? { per, from, to }
    byUnit.set(per, { per, from: Math.min(from, other.from), to: Math.max(to, other.to) })
  }
  return [...byUnit.values()]
}

const withState = (operations: ReadonlyArray<Priced>, state: PriceText["state"]): number =>
  operations.filter(({ price }) => price.state === state).length

export const categoriesOf = (operations: ReadonlyArray<Priced>): ReadonlyArray<CategoryEntry> => {
  const byName = Map.groupBy(operations, ({ category }) => category)
  return [...byName.keys()].sort().map((name) => {
    const own = byName.get(name) ?? []
    return {
      name,
      description: describedCategory(name) ?? "",
      count: own.length,
      free: withState(own, "free"),
      pending: withState(own, "pending"),
      prices: merged(own.flatMap(({ price }) => price.ranges))
    }
  })
}
