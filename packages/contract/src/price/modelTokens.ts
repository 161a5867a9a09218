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

export const inputOf = (request: unknown, model: Partial<ModelPrice> = {}): Tokens => {
  const { bytes, images } = contentOf(request)
  const pictures = images * (model.imageTokens ?? defaultImageTokens)
  return { likely: atMost(model, tokensOf(bytes) + pictures), most: atMost(model, bytes + pictures) }
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

/** The tokens of one answer, with this limit. Without one, an answer may be as long as the model can make it. */
export const outputOf = (
  { defaultOutputLimit }: ByModel,
  model: Partial<ModelPrice>,
  limit: number | undefined
): Tokens => {
  const { maxOutput = Infinity } = model
  const longest = atMost(model, maxOutput === Infinity ? (limit ?? defaultOutputLimit) : maxOutput)
  return {
    likely: Math.min(limit ?? defaultOutputLimit, longest),
    most: Math.min(limit ?? longest, longest)
  }
}
