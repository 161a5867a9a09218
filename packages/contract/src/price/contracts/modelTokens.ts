import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { choices as choiceFields, defaultOutputLimit, outputLimit } from "../outputLimit.ts"
import { type FieldPath, isNothing } from "../Amount.ts"
import { contentOf, type Tokens, tokensOf } from "../content.ts"
import { countTo } from "../DecidingField.ts"
import { count, perMillion, perNano, read, times } from "../exact.ts"
import type { PriceContract } from "../PriceContract.ts"
import { named, terms } from "../written.ts"
import {
  costOf,
  highestInput,
  modelInWords,
  type ModelPrice,
  Models,
  possibleRates,
  type Rates,
  ratesFor
} from "./modelRates.ts"

/** Bills tokens by kind, at the model's own price. */
export interface ModelTokens {
  readonly contract: "model_tokens"
  readonly models: Readonly<Record<string, ModelPrice>>
  /** The fields that limit the output. The gateway sets the first. */
  readonly outputLimit: ReadonlyArray<FieldPath>
  readonly defaultOutputLimit: number
  /** The paths of the fields that ask for several answers. */
  readonly choices: ReadonlyArray<FieldPath>
}

/** The tokens of an image, if the operator sets no figure for the model. */
const defaultImageTokens = 2_000

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

export const modelNamed = ({ models }: ModelTokens, name: unknown): ModelPrice | undefined =>
  typeof name === "string" && Object.hasOwn(models, name) ? models[name] : undefined

const positive = (value: unknown): number | undefined => {
  const number = count(value)
  return number === 0 ? undefined : number
}

/** The request's own limit: the largest of several, because the upstream may obey any of them. */
export const ownLimit = ({ outputLimit }: ModelTokens, request: unknown): number | undefined => {
  let largest: number | undefined
  for (const path of outputLimit) {
    const limit = positive(read(request, path))
    if (limit !== undefined && (largest === undefined || limit > largest)) largest = limit
  }
  return largest
}

/** How many answers the request asks for. */
export const choicesOf = ({ choices }: ModelTokens, request: unknown): number => {
  let largest = 1
  for (const path of choices) largest = Math.max(largest, positive(read(request, path)) ?? 1)
  return largest
}

const noOutput: Tokens = { likely: 0, most: 0 }

/** The tokens of one answer, with this limit. Without one, an answer may be as long as the model can make it. */
const outputOf = (
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

const sum = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER)

/** The expected number of tokens, input and output together. The model is `named`, or else the one in the request. */
export const expectedTokens = (price: ModelTokens, request: unknown, named?: string): number => {
  const model = modelNamed(price, named ?? read(request, ["model"])) ?? {}
  const output = outputOf(price, model, ownLimit(price, request)).likely * choicesOf(price, request)
  return sum(inputOf(request, model).likely, output)
}

const highest = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((a, b) => (a > b ? a : b))

/** An operation without an output limit of its own, such as embeddings, has no output to pay for. */
const hasOutput = ({ defaultOutputLimit }: ModelTokens): boolean => defaultOutputLimit > 0

const assumptions = (price: ModelTokens, model: ModelPrice | undefined): string => {
  if (!hasOutput(price)) return "the estimate assumes 4 bytes of text per token, the maximum 1"
  const { likely, most } = outputOf(price, model ?? {}, undefined)
  const images = model === undefined ? "" : `, ${model.imageTokens ?? defaultImageTokens} tokens per image`
  const longest = model === undefined ? "the model's largest output" : `${most} tokens of output`
  return (
    `the estimate assumes 4 bytes of text per token${images} and ${likely} tokens of output, the maximum 1 byte and ` +
    `${longest}, unless the request limits its output`
  )
}

const allRates = ({ models }: ModelTokens): ReadonlyArray<Rates> =>
  Object.values(models).flatMap((model) => [model, model.longPrompt ?? model])

/** The protocols that report tokens. */
const protocols = ["openai", "anthropic", "gemini"] as const

const isProtocol = (protocol: string): protocol is (typeof protocols)[number] =>
  protocols.some((name) => name === protocol)

const section = () => Schema.Struct({ ...named("model_tokens"), models: Models })

export const modelTokens: PriceContract<ModelTokens> = {
  billsTokens: true,
  canBeFree: (price) => allRates(price).some(({ input, output }) => isNothing(input) && isNothing(output)),
  estimate: (price, request, named, limit) => {
    const model = modelNamed(price, named ?? read(request, ["model"]))
    if (model === undefined) return undefined
    const input = inputOf(request, model)
    const output = outputOf(price, model, limit ?? ownLimit(price, request))
    const choices = choicesOf(price, request)
    const answers = (rates: Rates, tokens: number) => rates.output * BigInt(choices) * BigInt(tokens)
    const likely = ratesFor(model, input.likely)
    return {
      likely: perMillion(likely.input, input.likely) + answers(likely, output.likely),
      most: highest(
        possibleRates(model, input.most).map(
          ({ prompt, rates }) => perMillion(highestInput(rates), prompt) + answers(rates, output.most)
        )
      ),
      tokens: sum(input.likely, output.likely * choices)
    }
  },
  decidingFields: ({ choices, outputLimit }) => [
    ...outputLimit.map((path) => [path, countTo(1_000_000_000)] as const),
    ...choices.map((path) => [path, countTo(10_000)] as const)
  ],
  needsBody: () => true,
  outputBound: (price, request, cap, multiplier, named) => {
    if (price.outputLimit.length === 0) return undefined
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
  },
  // The upstream's own field if the protocol has it, or the one in an object that the request has already.
  boundField: ({ outputLimit }, request, preferred) =>
    outputLimit.find(([name, ...inner]) => name === preferred && inner.length === 0) ??
    outputLimit.find((path) => Predicate.isObject(read(request, path.slice(0, -1)))) ??
    outputLimit[0],
  evidence: () => undefined,
  settle: (price, evidence) => {
    const model = evidence.kind === "model" ? modelNamed(price, evidence.model) : undefined
    return model === undefined || evidence.kind !== "model" ? undefined : costOf(model, evidence.usage)
  },
  basis: (price, times, named) => {
    const model = modelNamed(price, named)
    const amount = model === undefined ? "the model's price per million tokens" : modelInWords(model, hasOutput(price))
    return `${amount}${times}; ${assumptions(price, model)}`
  },
  units: (price) => [
    { per: "million input tokens", amounts: allRates(price).map(({ input }) => input) },
    { per: "million output tokens", amounts: allRates(price).map(({ output }) => output) }
  ],
  dependsOn: ({ models }) =>
    Object.values(models).some(({ longPrompt }) => longPrompt !== undefined)
      ? ", by model and by the length of the prompt"
      : ", by model",
  namedFields: ({ choices, outputLimit }) => [["model"], ...outputLimit, ...choices],
  pendingWords: "pending: no model has a listed price, and a call for a model without a price is refused",
  section: (price) => terms(section(), ({ models }) => ({ ...price, models })),
  example: '{ "models": … }',
  own: {
    key: "models",
    example: '{ "models": … }',
    schema: (protocol) =>
      terms(section(), ({ models }) => ({
        contract: "model_tokens",
        models,
        outputLimit: isProtocol(protocol) ? outputLimit[protocol] : [],
        defaultOutputLimit,
        choices: isProtocol(protocol) ? choiceFields[protocol] : []
      }))
  },
  problem: (protocol) =>
    isProtocol(protocol)
      ? undefined
      : `only an upstream of the protocol ${protocols.join(", ")} reports tokens by model`,
  // The file has the models' prices one by one.
  written: () => null
}
