import { formatUsd, type NanoUsd } from "@tollgate/contract/Money"
import type { Bound } from "@tollgate/contract/Operation"
import type { Amount, Price } from "@tollgate/contract/price/Price"
import type { Model } from "../../../exchange/Models.ts"
import { isAcceptedBy } from "../../../exchange/Models.ts"
import type { PriceBook } from "../../../exchange/Prices.ts"

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

export const inUsd = (amount: NanoUsd): number => Number(formatUsd(amount))

const rangeOf = (per: string, amounts: ReadonlyArray<Amount>): ReadonlyArray<PriceRange> => {
  const known = amounts.flatMap((amount) => (amount === "pending" ? [] : [amount])).toSorted((a, b) => (a < b ? -1 : 1))
  const [from] = known
  const to = known.at(-1)
  return from === undefined || to === undefined ? [] : [{ per, from: inUsd(from), to: inUsd(to) }]
}

const rangesOf = (price: Price): ReadonlyArray<PriceRange> => {
  switch (price.contract) {
    case "free":
      return []
    case "per_token":
      return rangeOf("million tokens", [price.perMillion])
    case "response_count":
      return rangeOf(`item in ${price.items}`, [price.perItem])
    case "answer_field":
      return rangeOf(`${price.unit ?? "unit"} in ${price.field.join(".")}`, [price.perUnit])
    case "body_code":
      return rangeOf(`answer whose ${price.field} is ${price.equals}`, [price.amount])
    case "model_tokens": {
      const models = Object.values(price.models).flatMap((model) => [model, model.longPrompt ?? model])
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

const dependsOn = (price: Price): string => {
  if (price.contract !== "model_tokens") return ""
  const isByLength = Object.values(price.models).some(({ longPrompt }) => longPrompt !== undefined)
  return isByLength ? ", by model and by the length of the prompt" : ", by model"
}

export const priceText = (price: Price): PriceText => {
  const { contract } = price
  const ranges = rangesOf(price)
  if (contract === "free") return { contract, state: "free", words: "free", ranges }
  if (ranges.length === 0) return { contract, state: "pending", words: pendingWords(price), ranges }
  return { contract, state: "priced", words: `${ranges.map(inWords).join(" and ")}${dependsOn(price)}`, ranges }
}

/**
 * The price without an account. The listed models that only a pattern of the book prices are added, and those that the
 * operation does not accept are left out.
 */
export const listPrice = (operation: Bound, prices: PriceBook, models: ReadonlyArray<Model>): Price => {
  const price = prices.of(operation)
  if (price.contract !== "model_tokens") return price
  const all = new Map(Object.entries(price.models))
  for (const model of models) {
    if (!isAcceptedBy(model, operation.id)) all.delete(model.id)
    else if (!all.has(model.id)) {
      const own = prices.of(operation, model.id)
      if (own.contract === "model_tokens")
        for (const [name, amount] of Object.entries(own.models)) all.set(name, amount)
    }
  }
  return { ...price, models: Object.fromEntries(all) }
}
