import { basis } from "@tollgate/contract/price/basis"
import { contractOf } from "@tollgate/contract/price/contracts"
import type { Rates } from "@tollgate/contract/price/contracts/modelRates"
import { isByModel, type ModelPrice, modelsOf, type Price } from "@tollgate/contract/price/Price"
import { eachKind, type TokenKind } from "@tollgate/contract/price/TokenKind"
import { inUsd, type PriceText, priceText } from "./price.ts"

/** In USD per million tokens. */
export type RatesText = Readonly<Record<TokenKind, number>>

export interface ModelPriceText extends RatesText {
  readonly model: string
  /** For the whole call, if its prompt has more than `above` tokens, cached ones included. */
  readonly longPrompt?: RatesText & { readonly above: number }
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

const ratesText = (rates: Rates): RatesText => eachKind((kind) => inUsd(rates[kind]))

const modelText = ([model, price]: readonly [string, ModelPrice]): ModelPriceText => ({
  model,
  ...ratesText(price),
  ...(price.longPrompt === undefined
    ? {}
    : { longPrompt: { above: price.longPrompt.above, ...ratesText(price.longPrompt) } }),
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
