import * as Predicate from "effect/Predicate"
import type { NanoUsd } from "../Money.ts"
import { perMillion, perNano, read, times } from "../internal/exact.ts"
import { choicesOf, inputOf, modelNamed, outputOf, ownLimit } from "./modelTokens.ts"
import { type FieldPath, type Multiplier, one, type Price } from "./Price.ts"
import { highestInput, possibleRates } from "./promptLength.ts"

/**
 * The most tokens of each answer that the cap pays for after the highest price of the input, at most what the model can make.
 * 0: it pays for none. `undefined`: the price has no output to limit, or the request limits it itself.
 */
export const outputBound = (
  price: Price,
  request: unknown,
  cap: NanoUsd,
  multiplier: Multiplier = one,
  named?: string
): number | undefined => {
  if (price.contract !== "model_tokens" || price.outputLimit.length === 0) return undefined
  const model = modelNamed(price, named)
  if (model === undefined || ownLimit(price, request) !== undefined) return undefined
  const input = inputOf(request, model)
  // What an upstream would refuse helps nobody: input and output must fit into the context window.
  const room = Math.max(1, (model.contextWindow ?? Infinity) - input.likely)
  const longest = Math.min(outputOf(price, model, undefined).most, room)
  const choices = BigInt(choicesOf(price, request))
  const bounds = possibleRates(model, input.most).map(({ prompt, rates }) => {
    const left = cap * perNano - times(perMillion(highestInput(rates), prompt), multiplier)
    if (left < 0n) return 0
    const each = times(rates.output * choices, multiplier)
    return each === 0n || left / each > BigInt(longest) ? longest : Number(left / each)
  })
  return Math.min(...bounds)
}

/** The field for a bound: the protocol's first, or the one in an object that the request has already. */
export const boundField = (price: Price, request: unknown): FieldPath | undefined => {
  if (price.contract !== "model_tokens") return undefined
  const { outputLimit } = price
  return outputLimit.find((path) => Predicate.isObject(read(request, path.slice(0, -1)))) ?? outputLimit[0]
}
