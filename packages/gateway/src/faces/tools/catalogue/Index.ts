import type { Catalogue } from "@tollgate/contract/Catalogue"
import type { PriceBook } from "../../../Prices.ts"

export interface Found {
  readonly operationId: string
  readonly summary: string
  readonly category: string
  readonly price: string
  readonly score: number
}

export interface ToolCatalogue {
  readonly search: (
    query: string,
    options: { readonly category?: string; readonly limit?: number }
  ) => ReadonlyArray<Found>
  readonly details: (operationId: string) => object | undefined
  readonly categories: ReadonlyArray<{ readonly name: string; readonly count: number; readonly prices: unknown }>
}

export const make = (catalogue: Catalogue, prices: PriceBook): ToolCatalogue => ({
  search: (query, { category, limit = 10 }) =>
    catalogue.bound
      .filter(
        (operation) =>
          (category === undefined || operation.category === category) &&
          `${operation.id} ${operation.summary}`.toLowerCase().includes(query.toLowerCase())
      )
      .slice(0, limit)
      .map((operation) => ({
        operationId: operation.id,
        summary: operation.summary,
        category: operation.category,
        price: prices.of(operation).contract,
        score: 1
      })),
  details: (id) => {
    const operation = catalogue.byId.get(id)
    return operation && { operation_id: id, summary: operation.summary, price: prices.of(operation).contract }
  },
  categories: []
})
