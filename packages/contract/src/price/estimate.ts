import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { type NanoUsd, zero } from "../Money.ts"
import { ceilNano, perMillion, read, times, whole } from "../internal/exact.ts"
import { textBytes, utf8Length } from "./content.ts"
import { choicesOf, inputOf, modelNamed, outputOf, ownLimit, type Tokens, tokensOf } from "./modelTokens.ts"
import { type Amount, type ModelPrice, type Multiplier, one, type Price, type PriceOf, type Rates } from "./Price.ts"
import { highestInput, possibleRates, ratesFor } from "./promptLength.ts"
import { resolve } from "./resolve.ts"
import { unitsOf } from "./units.ts"

export { tokensOf, utf8Length }

/** The expected cost of a call and its maximum. */
export interface Estimate {
  readonly likely: NanoUsd
  readonly most: NanoUsd
  /** The expected number of tokens, input and output together, where the price depends on it. */
  readonly tokens?: number
}

/**
 * The tokens of all texts. A field that is not among the billed ones counts once in the estimate and with each item in the
 * maximum, because the upstream may read it as part of each text.
 */
const billedTokens = ({ texts }: PriceOf<"per_token">, request: unknown): Tokens => {
  let known = 0
  let other = 0
  let mostItems = 1
  for (const text of texts) {
    const items = text.timesItemsOf === undefined ? undefined : read(request, [text.timesItemsOf])
    const repeated = Array.isArray(items) ? items.length : 1
    mostItems = Math.max(mostItems, repeated)
    known += textBytes(read(request, [text.field])) * repeated
  }
  if (Predicate.isObject(request)) {
    for (const name in request) if (!texts.some(({ field }) => field === name)) other += textBytes(request[name])
  }
  return { likely: tokensOf(known + other), most: known + other * mostItems }
}

const sum = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER)

/** The expected number of input tokens. */
export const inputTokens = (request: unknown, model?: ModelPrice): number => inputOf(request, model).likely

/** The expected number of tokens, input and output together. The model is `named`, or else the one in the request. */
export const estimateTokens = (price: Price, request: unknown, named?: string): number => {
  if (price.contract === "per_token") return billedTokens(price, request).likely
  if (price.contract !== "model_tokens") return inputTokens(request)
  const model = modelNamed(price, named ?? read(request, ["model"])) ?? {}
  const output = outputOf(price, model, ownLimit(price, request)).likely * choicesOf(price, request)
  return sum(inputOf(request, model).likely, output)
}

const costs = (likely: bigint, most: bigint, multiplier: Multiplier) => ({
  likely: ceilNano(times(likely, multiplier)),
  most: ceilNano(times(most, multiplier))
})

const fixed = (amount: Amount, multiplier: Multiplier, times = 1): Option.Option<Estimate> =>
  amount === "pending" ? Option.none() : Option.some(costs(whole(amount, 1), whole(amount, times), multiplier))

const units = (price: PriceOf<"answer_field">, request: unknown, multiplier: Multiplier): Option.Option<Estimate> => {
  const { perUnit } = price
  if (perUnit === "pending") return Option.none()
  const { likely, most } = unitsOf(price, request)
  return Option.some(costs(whole(perUnit, likely), whole(perUnit, most), multiplier))
}

const highest = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((a, b) => (a > b ? a : b))

/**
 * `none` if the operation or the model has no price. The model is `named`, or else the one in the request. `limit` replaces
 * the request's own limit of the output.
 */
export const estimate = (
  price: Price,
  request: unknown,
  multiplier: Multiplier = one,
  named?: string,
  limit?: number
): Option.Option<Estimate> => {
  switch (price.contract) {
    case "free":
      return Option.some({ likely: zero, most: zero })
    case "body_code":
      return fixed(price.amount, multiplier)
    case "per_request":
    case "per_task": {
      const resolved = resolve(price, request)
      return "amount" in resolved ? fixed(resolved.amount, multiplier) : Option.none()
    }
    case "response_count":
      return fixed(price.perItem, multiplier, price.most)
    case "answer_field":
      return units(price, request, multiplier)
    case "per_token": {
      if (price.perMillion === "pending") return Option.none()
      const { likely, most } = billedTokens(price, request)
      const { perMillion: amount } = price
      return Option.some({ ...costs(perMillion(amount, likely), perMillion(amount, most), multiplier), tokens: likely })
    }
    case "model_tokens": {
      const model = modelNamed(price, named ?? read(request, ["model"]))
      if (model === undefined) return Option.none()
      const input = inputOf(request, model)
      const output = outputOf(price, model, limit ?? ownLimit(price, request))
      const choices = choicesOf(price, request)
      const answers = (rates: Rates, tokens: number) => rates.output * BigInt(choices) * BigInt(tokens)
      const likely = ratesFor(model, input.likely)
      return Option.some({
        ...costs(
          perMillion(likely.input, input.likely) + answers(likely, output.likely),
          highest(
            possibleRates(model, input.most).map(
              ({ prompt, rates }) => perMillion(highestInput(rates), prompt) + answers(rates, output.most)
            )
          ),
          multiplier
        ),
        tokens: sum(input.likely, output.likely * choices)
      })
    }
  }
}
