import { formatUsd, nano, type NanoUsd } from "../Money.ts"
import { defaultImageTokens, modelNamed, outputOf } from "./modelTokens.ts"
import type { Amount, Fixed, ModelPrice, Multiplier, Price, PriceOf, Rates, Variant } from "./Price.ts"

const usd = (amount: Amount): string => (amount === "pending" ? "an operator-set amount" : `${formatUsd(amount)} USD`)

/** The account and the model that a quote is for. */
export interface QuotedFor {
  readonly multiplier?: Multiplier
  readonly model?: string | undefined
}

const timesOf = (multiplier: Multiplier | undefined): string =>
  multiplier === undefined ? "" : `, times ${formatUsd(nano(multiplier * 1000n))} for this account`

const range = (amount: Amount, variants: ReadonlyArray<Variant>): string => {
  const amounts = variants.map((variant) => variant.amount).concat(amount === "pending" ? [] : amount)
  const lowest = amounts.reduce((a, b) => (a < b ? a : b))
  const highest = amounts.reduce((a, b) => (a > b ? a : b))
  return lowest === highest ? usd(lowest) : `${formatUsd(lowest)} to ${usd(highest)}`
}

const fixed = ({ amount, resolved, times, variants = [] }: Fixed, call: string): string => {
  if (resolved !== undefined) {
    const { count, each, unit = call } = resolved
    return `${usd(each)} per ${unit}${count === 1 ? "" : `, for ${count} ${unit}s`}`
  }
  const unit = times?.unit ?? call
  return variants.length === 0
    ? `${usd(amount)} per ${unit}`
    : `${range(amount, variants)} per ${unit}, by what is asked for`
}

const ratesInWords = ({ cacheRead, cacheWrite, input, output }: Rates, hasOutput: boolean): string => {
  const perMillion = (amount: NanoUsd, what: string) => `${usd(amount)} per million ${what}`
  const cached = [
    ...(cacheRead === input ? [] : [perMillion(cacheRead, "tokens read from a cache")]),
    ...(cacheWrite === input ? [] : [perMillion(cacheWrite, "tokens written to a cache")])
  ]
  if (!hasOutput) return perMillion(input, "input tokens")
  const both = `${perMillion(input, "input tokens")} and ${perMillion(output, "output tokens")}`
  return cached.length === 0 ? both : `${both}, with ${cached.join(" and ")}`
}

/** The prices of a model's tokens, in words. */
export const byKind = (model: ModelPrice, hasOutput = true): string => {
  const { longPrompt } = model
  const words = ratesInWords(model, hasOutput)
  return longPrompt === undefined
    ? words
    : `${words}; if the prompt has more than ${longPrompt.above} tokens, ${ratesInWords(longPrompt, hasOutput)} for the whole call`
}

/** An operation without an output limit of its own, such as embeddings, has no output to pay for. */
const hasOutput = ({ defaultOutputLimit }: PriceOf<"model_tokens">): boolean => defaultOutputLimit > 0

const assumptions = (price: PriceOf<"model_tokens">, model: ModelPrice | undefined): string => {
  if (!hasOutput(price)) return "the estimate assumes 4 bytes of text per token, the maximum 1"
  const { likely, most } = outputOf(price, model ?? {}, undefined)
  const images = model === undefined ? "" : `, ${model.imageTokens ?? defaultImageTokens} tokens per image`
  const longest = model === undefined ? "the model's largest output" : `${most} tokens of output`
  return (
    `the estimate assumes 4 bytes of text per token${images} and ${likely} tokens of output, the maximum 1 byte and ` +
    `${longest}, unless the request limits its output`
  )
}

/** Describes in words how a price is calculated, for anybody or for one account. */
export const basis = (price: Price, quoted: QuotedFor = {}): string => {
  const times = timesOf(quoted.multiplier)
  switch (price.contract) {
    case "free":
      return "free"
    case "per_request":
      return `${fixed(price, "call")}${times}`
    case "per_token":
      return `${usd(price.perMillion)} per million tokens${times}; the estimate assumes 4 bytes of text per token, the maximum 1`
    case "model_tokens": {
      const model = modelNamed(price, quoted.model)
      const amount = model === undefined ? "the model's price per million tokens" : byKind(model, hasOutput(price))
      return `${amount}${times}; ${assumptions(price, model)}`
    }
    case "response_count":
      return `${usd(price.perItem)} per item in ${price.items}${times}; the estimate assumes 1 item, the maximum ${price.most}`
    case "answer_field": {
      const { field, most, perUnit, requested, unit = "unit" } = price
      const asked =
        requested === undefined
          ? `the estimate assumes 1 ${unit}, the maximum ${most}`
          : `the estimate assumes 1 ${unit} for each ${requested.itemsPerUnit} items of ${requested.items}, more if they are long`
      return `${usd(perUnit)} per ${unit} in ${field.join(".")}${times}; ${asked}`
    }
    case "body_code":
      return `${usd(price.amount)} per answer whose ${price.field} is ${price.equals}${times}`
    case "per_task":
      return price.resolved?.unit === undefined && price.times === undefined
        ? `${fixed(price, "task that succeeds")}${times}`
        : `${fixed(price, "task")}, if the task succeeds${times}`
  }
}
