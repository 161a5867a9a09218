import { formatUsd, type NanoUsd } from "@tollgate/contract/Money"
import type { Bound } from "@tollgate/contract/Operation"
import { basis } from "@tollgate/contract/price/basis"
import type { Amount, ModelPrice, Price } from "@tollgate/contract/price/Price"
import type { Model } from "../../../builtin/Models.ts"
import { isAcceptedBy } from "../../../builtin/Models.ts"
import type { PriceBook } from "../../../Prices.ts"

/** From the lowest to the highest amount, in USD, that one unit costs. */
export interface PriceRange {
  readonly per: string
  readonly from: number
  readonly to: number
}

/** A list price in words and numbers. An account may have a multiplier. */
export interface PriceText {
  readonly contract: Price["contract"]
  /** `pending`: no price is set, so calls are refused until the operator sets one. */
  readonly state: "free" | "priced" | "pending"
  readonly words: string
  readonly ranges: ReadonlyArray<PriceRange>
}

/** In USD per million tokens. */
export interface ModelPriceText {
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly maxOutput?: number
  readonly contextWindow?: number
}

/** An amount that depends on fields of the request. `null` is a field that is left out. */
export interface VariantText {
  readonly usd: number
  readonly where: Readonly<Record<string, ReadonlyArray<string | number | boolean | null>>>
}

export interface PriceDetails extends PriceText {
  readonly models: ReadonlyArray<ModelPriceText>
  readonly variants: ReadonlyArray<VariantText>
}

const usd = (amount: NanoUsd): number => Number(formatUsd(amount))

const rangeOf = (per: string, amounts: ReadonlyArray<Amount>): ReadonlyArray<PriceRange> => {
  const known = amounts.flatMap((amount) => (amount === "pending" ? [] : [amount])).toSorted((a, b) => (a < b ? -1 : 1))
  const [from] = known
  const to = known.at(-1)
  return from === undefined || to === undefined ? [] : [{ per, from: usd(from), to: usd(to) }]
}

const rangesOf = (price: Price): ReadonlyArray<PriceRange> => {
  switch (price.contract) {
    case "free":
      return []
    case "per_token":
      return rangeOf("million tokens", [price.perMillion])
    case "response_count":
      return rangeOf(`item in ${price.items}`, [price.perItem])
    case "body_code":
      return rangeOf(`answer whose ${price.field} is ${price.equals}`, [price.amount])
    case "model_tokens": {
      const models = Object.values(price.models)
      return [
        ...rangeOf(
          "million input tokens",
          models.map(({ input }) => input)
        ),
        ...rangeOf(
          "million output tokens",
          models.map(({ output }) => output)
        )
      ]
    }
    default: {
      const unit = price.times?.unit ?? (price.contract === "per_task" ? "task that succeeds" : "call")
      return rangeOf(unit, [price.amount, ...(price.variants ?? []).map(({ amount }) => amount)])
    }
  }
}

const inWords = ({ from, per, to }: PriceRange): string => `${from === to ? from : `${from} to ${to}`} USD per ${per}`

const pendingWords = (price: Price): string =>
  price.contract === "model_tokens"
    ? "pending: no model has a listed price, and a call for a model without a price is refused"
    : "pending: no price is set, and calls are refused until the operator sets one"

const textOf = (price: Price): PriceText => {
  const { contract } = price
  const ranges = rangesOf(price)
  if (contract === "free") return { contract, state: "free", words: "free", ranges }
  if (ranges.length === 0) return { contract, state: "pending", words: pendingWords(price), ranges }
  const byModel = contract === "model_tokens" ? ", by model" : ""
  return { contract, state: "priced", words: `${ranges.map(inWords).join(" and ")}${byModel}`, ranges }
}

const modelText = ([model, price]: readonly [string, ModelPrice]): ModelPriceText => ({
  model,
  input: usd(price.input),
  output: usd(price.output),
  cacheRead: usd(price.cacheRead),
  cacheWrite: usd(price.cacheWrite),
  ...(price.maxOutput === undefined ? {} : { maxOutput: price.maxOutput }),
  ...(price.contextWindow === undefined ? {} : { contextWindow: price.contextWindow })
})

/** With the listed models that only a pattern of the book prices. */
const listPrice = (operation: Bound, prices: PriceBook, models: ReadonlyArray<Model>): Price => {
  const price = prices.of(operation)
  if (price.contract !== "model_tokens") return price
  const all: Record<string, ModelPrice> = { ...price.models }
  for (const model of models) {
    if (Object.hasOwn(all, model.id) || !isAcceptedBy(model, operation.id)) continue
    const own = prices.of(operation, model.id)
    if (own.contract === "model_tokens") Object.assign(all, own.models)
  }
  return { ...price, models: all }
}

export const priceText = (operation: Bound, prices: PriceBook, models: ReadonlyArray<Model>): PriceText =>
  textOf(listPrice(operation, prices, models))

const variantsOf = (price: Price): ReadonlyArray<VariantText> =>
  "variants" in price && price.variants !== undefined
    ? price.variants.map(({ amount, where }) => ({
        usd: usd(amount),
        where: Object.fromEntries(where.map(({ field, values }) => [field.join("."), values]))
      }))
    : []

export const priceDetails = (operation: Bound, prices: PriceBook, models: ReadonlyArray<Model>): PriceDetails => {
  const price = listPrice(operation, prices, models)
  const text = textOf(price)
  return {
    ...text,
    words: text.state === "priced" && price.contract !== "model_tokens" ? basis(price) : text.words,
    models: price.contract === "model_tokens" ? Object.entries(price.models).map(modelText) : [],
    variants: variantsOf(price)
  }
}
