import type { FieldPath } from "../Amount.ts"
import type { Asks } from "../PriceFactors.ts"
import { type Content, contentOf, type Tokens, tokensOf } from "../content.ts"
import { count, read } from "../exact.ts"
import type { ModelPrice } from "./modelRates.ts"

/** Bills tokens by kind, at the model's own price. */
export interface ModelTokens {
  readonly contract: "model_tokens"
  readonly models: Readonly<Record<string, ModelPrice>>
  /** The fields that limit the output. The gateway sets the first. */
  readonly outputLimit: ReadonlyArray<FieldPath>
  readonly defaultOutputLimit: number
  /** The paths of the fields that ask for several answers. */
  readonly choices: ReadonlyArray<FieldPath>
  /** How requests ask for tiers, tools and the like. Missing: they cannot. */
  readonly asks?: Asks
}

/** The tokens of an image, if the operator sets no figure for the model. */
export const defaultImageTokens = 2_000

/** What a model can read, if the operator sets no figure for it: as much as the largest of the price list. */
export const defaultContextWindow = 1_050_000

const numbersIn = (items: ReadonlyArray<unknown>): number => {
  let numbers = 0
  for (const item of items) if (typeof item === "number") numbers++
  return numbers
}

/** The tokens that an `input` gives as numbers, as that of embeddings may. */
const givenTokens = (input: ReadonlyArray<unknown>): number =>
  input.reduce<number>((sum, item) => sum + (Array.isArray(item) ? numbersIn(item) : 0), numbersIn(input))

/** How many inputs it is, as that of embeddings may be. The context window is that of each. */
const inputsIn = (input: unknown): number =>
  Array.isArray(input) && input.every((item) => typeof item === "string" || Array.isArray(item))
    ? Math.max(1, input.length)
    : 1

/** How many requests of Gemini are one. */
const requestsIn = (requests: unknown): number => (Array.isArray(requests) ? Math.max(1, requests.length) : 1)

/** What stands for one input or several: that of embeddings, or the prompt of a completion. */
const inputIn = (request: unknown): unknown => read(request, ["input"]) ?? read(request, ["prompt"])

/** How many prompts a request has. A completion answers each. */
export const promptsIn = (request: unknown): number => inputsIn(read(request, ["prompt"]))

/** The tokens of the input to a model. The most is all that it can read if it `readsMore` than the request holds. */
export const tokensIn = (
  request: unknown,
  { bytes, images, packed }: Content,
  { contextWindow, imageTokens = defaultImageTokens }: Partial<ModelPrice>,
  readsMore: boolean
): Tokens => {
  const input = inputIn(request)
  const known = (Array.isArray(input) ? givenTokens(input) : 0) + images * imageTokens
  const inputs = inputsIn(input) * requestsIn(read(request, ["requests"]))
  const window = (contextWindow ?? Infinity) * inputs
  const held = Math.min(window, bytes + packed + known)
  return {
    likely: Math.min(window, tokensOf(bytes) + known),
    most: readsMore ? Math.max((contextWindow ?? defaultContextWindow) * inputs, held) : held
  }
}

export const inputOf = (request: unknown, model: Partial<ModelPrice> = {}): Tokens =>
  tokensIn(request, contentOf(request), model, false)

const positive = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined

/** The request's own limit: the largest of several, because the upstream may obey any of them. */
export const ownLimit = ({ asks, outputLimit }: ModelTokens, request: unknown): number | undefined => {
  let largest: number | undefined
  for (const path of outputLimit) {
    const limit = asks === "anthropic" ? count(read(request, path)) : positive(read(request, path))
    if (limit !== undefined && (largest === undefined || limit > largest)) largest = limit
  }
  return largest
}

/** How many answers the request asks for, of all prompts together. */
export const choicesOf = ({ choices }: ModelTokens, request: unknown): number => {
  let largest = 1
  for (const path of choices) largest = Math.max(largest, positive(read(request, path)) ?? 1)
  return largest * promptsIn(request)
}

const noOutput: Tokens = { likely: 0, most: 0 }

/** The tokens of one answer, with this limit. Without one, an answer may be as long as the model can make it. */
export const outputOf = (
  { defaultOutputLimit }: ModelTokens,
  model: Partial<ModelPrice>,
  limit: number | undefined
): Tokens => {
  if (defaultOutputLimit === 0) return noOutput
  const { contextWindow = Infinity, maxOutput = limit ?? defaultOutputLimit } = model
  const longest = Math.min(maxOutput, contextWindow)
  return {
    likely: Math.min(limit ?? defaultOutputLimit, longest),
    most: Math.min(limit ?? longest, longest)
  }
}

export const sum = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER)

/**
 * The expected number of tokens, input and output together. The model is `named`, or else the one in the request. Clients pace
 * themselves by it, so it knows a model by its exact name only.
 */
export const expectedTokens = (price: ModelTokens, request: unknown, named?: string): number => {
  const model = read(price.models, [String(named ?? read(request, ["model"]))]) ?? {}
  const output = outputOf(price, model, ownLimit(price, request)).likely * choicesOf(price, request)
  return sum(inputOf(request, model).likely, output)
}
