import { basis, contractOf } from "@tollgate/contract/price/contracts"
import type { Rates } from "@tollgate/contract/price/contracts/modelRates"
import { isByModel, type ModelPrice, modelsOf, type Price } from "@tollgate/contract/price/Price"
import { dimensionsInWords, writtenModel } from "@tollgate/contract/price/contracts/modelSection"
import { type DetailKind, detailNames, eachKind, type TokenKind } from "@tollgate/contract/price/TokenKind"
import * as Predicate from "effect/Predicate"
import { inUsd, type PriceText, priceText } from "../../../exchange/listPrice.ts"

/** In USD per million tokens. */
export type RatesText = Readonly<Record<TokenKind, number>> & Readonly<Partial<Record<DetailKind, number>>>

export type ModelPriceText = RatesText & {
  readonly model: string
  /** For the whole call, if its prompt has more than `above` tokens, cached ones included. */
  readonly longPrompt?: RatesText & { readonly above: number }
  /** What else changes its price. Most models have none. */
  readonly dimensions?: {
    /** `tiers`, `speeds`, `regions`, `tools` and `periods`, as the configuration file has them. */
    readonly fields: Readonly<Record<string, unknown>>
    /** A clause each. */
    readonly words: ReadonlyArray<string>
  }
  readonly maxOutput?: number
  readonly contextWindow?: number
}

/** An amount that depends on fields of the request. `null` is a field that is left out. */
export interface VariantText {
  readonly usd: number
  readonly where: Readonly<Record<string, ReadonlyArray<string | number | boolean | null>>>
}

export interface PriceDetails extends PriceText {
  /** The fields of the request on which the price depends, such as `model` or `generationConfig.maxOutputTokens`. */
  readonly fields: ReadonlyArray<string>
  readonly models: ReadonlyArray<ModelPriceText>
  readonly variants: ReadonlyArray<VariantText>
}

const ratesText = (rates: Rates): RatesText => ({
  ...eachKind((kind) => inUsd(rates[kind])),
  ...Object.fromEntries(
    detailNames.flatMap((detail) => {
      const rate = rates[detail]
      return rate === undefined ? [] : [[detail, inUsd(rate)]]
    })
  )
})

/** Amounts and factors are text in the configuration file. */
const asNumbers = (value: unknown): unknown => {
  if (typeof value === "string") return /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  if (Array.isArray(value)) return value.map(asNumbers)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asNumbers(inner)]))
}

const dimensionNames: ReadonlySet<string> = new Set(["tiers", "speeds", "regions", "tools", "periods"])

const dimensionsOf = (price: ModelPrice): Pick<ModelPriceText, "dimensions"> => {
  const words = dimensionsInWords(price)
  if (words.length === 0) return {}
  const written = Object.entries(writtenModel(price)).filter(([name]) => dimensionNames.has(name))
  return { dimensions: { fields: Object.fromEntries(written.map(([name, value]) => [name, asNumbers(value)])), words } }
}

const modelText = ([model, price]: readonly [string, ModelPrice]): ModelPriceText => ({
  model,
  ...ratesText(price),
  ...(price.longPrompt === undefined
    ? {}
    : { longPrompt: { above: price.longPrompt.above, ...ratesText(price.longPrompt) } }),
  ...dimensionsOf(price),
  ...(price.maxOutput === undefined ? {} : { maxOutput: price.maxOutput }),
  ...(price.contextWindow === undefined ? {} : { contextWindow: price.contextWindow })
})

const variantsOf = (price: Price): ReadonlyArray<VariantText> =>
  "variants" in price && price.variants !== undefined
    ? price.variants.map(({ amount, where }) => ({
        usd: inUsd(amount),
        where: Object.fromEntries(where.map(({ field, values }) => [field.join("."), values]))
      }))
    : []

/** A list price in full. */
export const priceDetails = (price: Price): PriceDetails => {
  const text = priceText(price)
  const fields = contractOf(price).namedFields?.(price) ?? []
  return {
    ...text,
    words: text.state === "priced" && !isByModel(price) ? basis(price) : text.words,
    fields: [...new Set(fields.map((field) => field.join(".")))],
    models: Object.entries(modelsOf(price)).map(modelText),
    variants: variantsOf(price)
  }
}
