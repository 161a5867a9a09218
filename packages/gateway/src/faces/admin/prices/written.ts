import { formatUsd } from "@tollgate/contract/Money"
import type { Amount, Fixed, ModelPrice, Price, Rates, Variant } from "@tollgate/contract/price/Price"

type Written = Readonly<Record<string, unknown>>

const usd = (amount: Amount): string | undefined => (amount === "pending" ? undefined : formatUsd(amount))

const variantOf = ({ amount, where }: Variant): Written => ({
  where: Object.fromEntries(
    where.map(({ field, values }) => [field.join("."), values.length === 1 ? values[0] : values])
  ),
  amount: usd(amount)
})

const fixedFields = ({ times, variants }: Fixed): Written => ({
  ...(times === undefined ? {} : { times: { ...times, field: times.field.join(".") } }),
  ...(variants === undefined ? {} : { variants: variants.map(variantOf) })
})

/** A price of cached tokens that is left out is that of `shorter` prompts, or else that of input. */
const writtenRates = ({ cacheRead, cacheWrite, input, output }: Rates, shorter: Rates): Written => ({
  input: usd(input),
  output: usd(output),
  ...(cacheRead === input && shorter.cacheRead === shorter.input ? {} : { cacheRead: usd(cacheRead) }),
  ...(cacheWrite === input && shorter.cacheWrite === shorter.input ? {} : { cacheWrite: usd(cacheWrite) })
})

/** A model's price, as the configuration file has it. */
export const writtenModel = ({ cacheRead, cacheWrite, input, longPrompt, output, ...tokens }: ModelPrice): Written => {
  const rates = { input, output, cacheRead, cacheWrite }
  return {
    ...writtenRates(rates, { ...rates, cacheRead: input, cacheWrite: input }),
    ...(longPrompt === undefined
      ? {}
      : { longPrompt: { above: longPrompt.above, ...writtenRates(longPrompt, rates) } }),
    ...tokens
  }
}

const amountOf = (price: Exclude<Price, { contract: "free" | "model_tokens" }>): Written => {
  switch (price.contract) {
    case "per_token":
      return { perMillion: usd(price.perMillion) }
    case "response_count":
      return { perItem: usd(price.perItem), most: price.most }
    case "answer_field":
      return { perUnit: usd(price.perUnit), most: price.most }
    case "body_code":
      return { amount: usd(price.amount) }
    default:
      return { amount: usd(price.amount), ...fixedFields(price) }
  }
}

/** The price of an operation, as the configuration file has it. `null`: it has none yet. */
export const written = (price: Exclude<Price, { contract: "model_tokens" }>): unknown => {
  if (price.contract === "free") return "free"
  const amount = amountOf(price)
  return Object.values(amount).includes(undefined) ? null : { contract: price.contract, ...amount }
}
