import { basis } from "@tollgate/contract/price/basis"
import type { FieldPath, ModelPrice, Price, Rates } from "@tollgate/contract/price/Price"
import { inUsd, type PriceText, priceText } from "./price.ts"

/** In USD per million tokens. */
export interface RatesText {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

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

const ratesText = ({ cacheRead, cacheWrite, input, output }: Rates): RatesText => ({
  input: inUsd(input),
  output: inUsd(output),
  cacheRead: inUsd(cacheRead),
  cacheWrite: inUsd(cacheWrite)
})

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

const decidingFields = (price: Price): ReadonlyArray<FieldPath> => {
  switch (price.contract) {
    case "per_token":
      return price.texts.map(({ field }) => [field])
    case "model_tokens":
      return [["model"], ...price.outputLimit, ...price.choices]
    case "per_request":
    case "per_task":
      return [
        ...(price.times === undefined ? [] : [price.times.field]),
        ...(price.variants ?? []).flatMap(({ where }) => where.map(({ field }) => field))
      ]
    default:
      return []
  }
}

/** A list price in full. */
export const priceDetails = (price: Price): PriceDetails => {
  const text = priceText(price)
  return {
    ...text,
    words: text.state === "priced" && price.contract !== "model_tokens" ? basis(price) : text.words,
    fields: [...new Set(decidingFields(price).map((field) => field.join(".")))],
    models: price.contract === "model_tokens" ? Object.entries(price.models).map(modelText) : [],
    variants: variantsOf(price)
  }
}
