import * as Context from "effect/Context"
import type { Bound } from "@tollgate/contract/Operation"
import { isByModel, isFree, modelsOf, type Price } from "@tollgate/contract/price/Price"
import { formatUsd, type NanoUsd } from "@tollgate/contract/Money"
import { type PriceRange, pricesInShort } from "@tollgate/contract/price/notation"
import { contractOf } from "@tollgate/contract/price/contracts"
import type { UnitAmounts } from "@tollgate/contract/price/PriceContract"

export interface Model {
  readonly id: string
  readonly ownedBy?: string
  readonly displayName?: string
  /** Seconds since the epoch. */
  readonly created?: number
  /** The ids of the operations that accept it. `undefined`: all. */
  readonly operations?: ReadonlyArray<string>
}

export const Models = Context.Reference<ReadonlyArray<Model>>("@tollgate/gateway/Models", {
  defaultValue: () => []
})

export const isAcceptedBy = ({ operations }: Model, id: string): boolean => operations?.includes(id) ?? true

export interface Serving {
  readonly upstream: string
  readonly protocol: string
  /** It is asked in another protocol than the operation's. */
  readonly isTranslated: boolean
}

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
  /** The upstreams that serve the operation, or a model of it, in the order of their route. Default: not known. */
  readonly servedBy?: (operation: string, model?: string) => ReadonlyArray<Serving>
}

/** What an upstream charges the operator. */
export interface CostBook {
  /** With a model, a price by model holds only that model's entry. `undefined`: the book has no price for that. */
  readonly of: (operation: Bound, model?: string) => Price | undefined
  /** Whether the book has an entry of exactly this name. Default: by the price without a model. */
  readonly lists?: (operation: Bound, model: string) => boolean
}

export const Prices = Context.Reference<PriceBook>("@tollgate/gateway/Prices", {
  defaultValue: () => ({ of: (operation) => operation.price })
})

export type { PriceRange }

/** A list price in words and numbers. An account may have a multiplier. */
export interface PriceText {
  readonly contract: Price["contract"]
  /** `pending`: no price is set, so calls are refused until the operator sets one. */
  readonly state: "free" | "priced" | "pending"
  readonly words: string
  readonly ranges: ReadonlyArray<PriceRange>
}

export const inUsd = (amount: NanoUsd): number => Number(formatUsd(amount))

const rangeOf = ({ amounts, per }: UnitAmounts): ReadonlyArray<PriceRange> => {
  const known = amounts.flatMap((amount) => (amount === "pending" ? [] : [amount])).toSorted((a, b) => (a < b ? -1 : 1))
  const [from] = known
  const to = known.at(-1)
  return from === undefined || to === undefined ? [] : [{ per, from: inUsd(from), to: inUsd(to) }]
}

const pending = "pending: no price is set, and calls are refused until the operator sets one"

export const priceText = (price: Price): PriceText => {
  const { contract } = price
  const { dependsOn, pendingWords = pending, units } = contractOf(price)
  const ranges = units(price).flatMap(rangeOf)
  if (isFree(price)) return { contract, state: "free", words: "free", ranges }
  if (ranges.length === 0) return { contract, state: "pending", words: pendingWords, ranges }
  return { contract, state: "priced", words: `${pricesInShort(ranges)}${dependsOn?.(price) ?? ""}`, ranges }
}

/**
 * The price without an account. The listed models that only a pattern of the book prices are added, and those that the
 * operation does not accept, or that no route of it reaches, are left out.
 */
export const listPrice = (operation: Bound, prices: PriceBook, models: ReadonlyArray<Model>): Price => {
  const price = prices.of(operation)
  if (!isByModel(price)) return price
  const all = new Map(Object.entries(price.models))
  for (const model of models) {
    if (!isAcceptedBy(model, operation.id)) all.delete(model.id)
    else if (!all.has(model.id)) {
      for (const [name, amount] of Object.entries(modelsOf(prices.of(operation, model.id)))) all.set(name, amount)
    }
  }
  const reached = [...all].filter(([name]) => prices.servedBy?.(operation.id, name).length !== 0)
  return { ...price, models: Object.fromEntries(reached) }
}
