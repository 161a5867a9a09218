import { count, read } from "../internal/exact.ts"
import { contentOf } from "./content.ts"
import type { ModelPrice, PriceOf } from "./Price.ts"

type ByModel = PriceOf<"model_tokens">

/** The tokens of an image, if the operator sets no figure for the model. */
export const defaultImageTokens = 2_000

const bytesPerToken = 4

/** The expected number of tokens of a text. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

/** An expected number of tokens and the highest. */
export interface Tokens {
  readonly likely: number
  readonly most: number
}

const atMost = ({ contextWindow = Infinity }: Partial<ModelPrice>, tokens: number): number =>
  Math.min(tokens, contextWindow)

const numbersIn = (items: ReadonlyArray<unknown>): number => {
  let numbers = 0
  for (const item of items) if (typeof item === "number") numbers++
  return numbers
}

/** The tokens that a request gives as numbers, as the `input` of embeddings may be. */
const givenTokens = (request: unknown): number => {
  const input = read(request, ["input"])
  if (!Array.isArray(input)) return 0
  return input.reduce<number>((sum, item) => sum + (Array.isArray(item) ? numbersIn(item) : 0), numbersIn(input))
}

/** How many inputs a request has, as embeddings may. The context window is that of each. */
const inputsIn = (request: unknown): number => {
  const input = read(request, ["input"])
  if (!Array.isArray(input) || !input.every((item) => typeof item === "string" || Array.isArray(item))) return 1
  return Math.max(1, input.length)
}

export const inputOf = (request: unknown, model: Partial<ModelPrice> = {}): Tokens => {
  const { bytes, images } = contentOf(request)
  const known = givenTokens(request) + images * (model.imageTokens ?? defaultImageTokens)
  const window = (model.contextWindow ?? Infinity) * inputsIn(request)
  return { likely: Math.min(window, tokensOf(bytes) + known), most: Math.min(window, bytes + known) }
}

export const modelNamed = ({ models }: ByModel, name: unknown): ModelPrice | undefined =>
  typeof name === "string" && Object.hasOwn(models, name) ? models[name] : undefined

const positive = (value: unknown): number | undefined => {
  const number = count(value)
  return number === 0 ? undefined : number
}

/** The request's own limit: the largest of several, because the upstream may obey any of them. */
export const ownLimit = ({ outputLimit }: ByModel, request: unknown): number | undefined => {
  let largest: number | undefined
  for (const path of outputLimit) {
    const limit = positive(read(request, path))
    if (limit !== undefined && (largest === undefined || limit > largest)) largest = limit
  }
  return largest
}

/** How many answers the request asks for. */
export const choicesOf = ({ choices }: ByModel, request: unknown): number => {
  let largest = 1
  for (const path of choices) largest = Math.max(largest, positive(read(request, path)) ?? 1)
  return largest
}

const noOutput: Tokens = { likely: 0, most: 0 }

/** The tokens of one answer, with this limit. Without one, an answer may be as long as the model can make it. */
export const outputOf = (
  { defaultOutputLimit }: ByModel,
  model: Partial<ModelPrice>,
  limit: number | undefined
): Tokens => {
  if (defaultOutputLimit === 0) return noOutput
  const { maxOutput = Infinity } = model
  const longest = atMost(model, maxOutput === Infinity ? (limit ?? defaultOutputLimit) : maxOutput)
  return {
    likely: Math.min(limit ?? defaultOutputLimit, longest),
    most: Math.min(limit ?? longest, longest)
  }
}
