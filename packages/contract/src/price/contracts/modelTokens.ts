import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { byProtocol, defaultOutputLimit } from "../modelPrices.ts"
import { countTo, isNothing } from "../Amount.ts"
import { nothingAsked, requestedFields, priceFactorsOf } from "../PriceFactors.ts"
import { contentOf } from "../content.ts"
import { perMillion, perNano, read } from "../exact.ts"
import type { PriceContract } from "../PriceContract.ts"
import { detailNames } from "../TokenKind.ts"
import { named, terms } from "../priceSchemas.ts"
import {
  besides,
  expectedUses,
  gapsOf,
  highest,
  modelNamed,
  possibleServed,
  servedAs,
  unpricedIn
} from "./modelDimensions.ts"
import {
  costOf,
  highestInput,
  highestOutput,
  type ModelPrice,
  modified,
  type Modifier,
  priceAt,
  type Rates,
  ratesFor,
  servedRates
} from "./modelRates.ts"
import { choicesOf, defaultImageTokens, type ModelTokens, outputOf, ownLimit, sum, tokensIn } from "./modelRequest.ts"
import { modelInWords, Models } from "./modelSection.ts"

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

const someModel = ({ models }: ModelTokens, is: (model: ModelPrice) => boolean): boolean =>
  Object.values(models).some(is)

/** All that can change the rates of a model. */
const modifiersOf = ({ periods = [], regions = {}, speeds = {}, tiers = {} }: ModelPrice): ReadonlyArray<Modifier> => [
  ...Object.values(tiers),
  ...Object.values(speeds),
  ...Object.values(regions),
  ...periods.map(({ rates }) => rates)
]

const isServedApart = ({ regions, speeds, tiers }: ModelPrice): boolean =>
  tiers !== undefined || speeds !== undefined || regions !== undefined

/** Whether a request can ask for something that changes the price. */
const hasDimensions = (model: ModelPrice): boolean =>
  isServedApart(model) || model.tools !== undefined || detailNames.some((detail) => model[detail] !== undefined)

/** The protocols that report tokens. */
const protocols = ["openai", "anthropic", "gemini"] as const

const isProtocol = (protocol: string): protocol is (typeof protocols)[number] =>
  protocols.some((name) => name === protocol)

/** What a request asks for, and the input that it gives to a model. `reads`: by what the upstream may read more than it holds. */
const readingOf = ({ asks }: ModelTokens, request: unknown) => {
  const asked = priceFactorsOf(asks, request)
  const content = contentOf(request)
  const reads = asked.reads?.at.join(".") ?? content.reference
  return { asked, reads, inputOf: (model: ModelPrice) => tokensIn(request, content, model, reads !== undefined) }
}

const section = () => Schema.Struct({ ...named("model_tokens"), models: Models })

export const modelTokens: PriceContract<ModelTokens> = {
  billsTokens: true,
  canBeFree: (price) =>
    someModel(price, (model) =>
      [model, model.longPrompt ?? model, ...modifiersOf(model).map((modifier) => modified(model, modifier))].some(
        ({ input, output }) => isNothing(input) && isNothing(output)
      )
    ),
  estimate: (price, request, named, limit) => {
    const model = modelNamed(price, named ?? read(request, ["model"]))
    if (model === undefined) return undefined
    const { asked, inputOf, reads } = readingOf(price, request)
    const input = inputOf(model)
    const output = outputOf(price, model, limit ?? ownLimit(price, request))
    const choices = choicesOf(price, request)
    const answers = (rate: bigint, tokens: number) => rate * BigInt(choices) * BigInt(tokens)
    const likely = servedRates(model, ratesFor(model, input.likely), servedAs(asked, asked.tier?.name))
    const most = highest(
      possibleServed(model, asked, input.most),
      ({ prompt, rates }) =>
        perMillion(highestInput(rates, asked.keepsLong !== undefined), prompt) +
        answers(highestOutput(rates), output.most)
    )
    return {
      likely:
        perMillion(likely.input, input.likely) + answers(likely.output, output.likely) + expectedUses(model, asked),
      most: (asked.compacts === true ? most * 2n : most) + besides(price, model, asked, inputOf),
      tokens: sum(input.likely, output.likely * choices),
      ...(reads === undefined ? {} : { reads })
    }
  },
  asked: ({ asks }, request) => {
    const asked = priceFactorsOf(asks, request)
    return asked === nothingAsked ? undefined : asked
  },
  unpriced: unpricedIn,
  at: (price, millis) => {
    let isDated = false
    for (const name in price.models) if (price.models[name]?.periods !== undefined) isDated = true
    if (!isDated) return price
    const models = Object.entries(price.models).map(([name, model]) => [name, priceAt(model, millis)] as const)
    return { ...price, models: Object.fromEntries(models) }
  },
  decidingFields: ({ asks, choices, outputLimit }) => [
    ...(asks === undefined ? [] : requestedFields[asks]),
    // Anthropic takes 0, to fill a cache.
    ...outputLimit.map((path) => [path, countTo(1_000_000_000, asks === "anthropic" ? 0 : 1)] as const),
    ...choices.map((path) => [path, countTo(10_000)] as const)
  ],
  needsBody: () => true,
  outputBound: (price, request, cap, multiplier, named) => {
    if (price.outputLimit.length === 0) return undefined
    const model = modelNamed(price, named)
    if (model === undefined || ownLimit(price, request) !== undefined) return undefined
    const { asked, inputOf } = readingOf(price, request)
    const input = inputOf(model)
    // What an upstream would refuse helps nobody: input and output must fit into the context window.
    const room = Math.max(1, (model.contextWindow ?? Infinity) - input.likely)
    const longest = Math.min(outputOf(price, model, undefined).most, room)
    const choices = BigInt(choicesOf(price, request))
    const runs = asked.compacts === true ? 2n : 1n
    const others = besides(price, model, asked, inputOf)
    const bounds = possibleServed(model, asked, input.most).map(({ prompt, rates }) => {
      const read = perMillion(highestInput(rates, asked.keepsLong !== undefined), prompt) * runs
      const left = cap * perNano - (read + others) * multiplier
      if (left < 0n) return 0
      const each = highestOutput(rates) * choices * runs * multiplier
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
    if (evidence.kind !== "model") return undefined
    const model = modelNamed(price, evidence.model)
    if (model === undefined) return undefined
    let total = costOf(model, evidence)
    // A model without a price costs what the call's own does, and is a gap.
    for (const part of evidence.parts ?? []) total += costOf(modelNamed(price, part.model) ?? model, part)
    return total
  },
  gaps: (price, evidence) => {
    const model = evidence.kind === "model" ? modelNamed(price, evidence.model) : undefined
    if (evidence.kind !== "model" || model === undefined) return []
    return [
      ...(evidence.gaps ?? []),
      ...gapsOf(model, evidence),
      ...(evidence.parts ?? []).flatMap((part) => {
        const own = modelNamed(price, part.model)
        return own === undefined ? [`models.${part.model}`] : gapsOf(own, part)
      })
    ]
  },
  basis: (price, times, named) => {
    const model = modelNamed(price, named)
    const amount = model === undefined ? "the model's price / 1M tokens" : modelInWords(model, hasOutput(price))
    return `${amount}${times}; ${assumptions(price, model)}`
  },
  units: (price) => [
    { per: "million input tokens", amounts: allRates(price).map(({ input }) => input) },
    { per: "million output tokens", amounts: allRates(price).map(({ output }) => output) }
  ],
  dependsOn: (price) => {
    const also = [
      ...(someModel(price, ({ longPrompt }) => longPrompt !== undefined) ? ["by the length of the prompt"] : []),
      ...(someModel(price, isServedApart) ? ["by how it is served"] : []),
      ...(someModel(price, ({ tools }) => tools !== undefined) ? ["by the tools that it uses"] : []),
      ...(someModel(price, ({ periods }) => periods !== undefined) ? ["by the time"] : [])
    ]
    const last = also.pop()
    return last === undefined ? ", by model" : `, ${["by model", ...also].join(", ")} and ${last}`
  },
  namedFields: (price) => [
    ["model"],
    ...price.outputLimit,
    ...price.choices,
    ...(price.asks !== undefined && someModel(price, hasDimensions)
      ? requestedFields[price.asks].flatMap(([path]) => (path.includes("*") ? [] : [path]))
      : [])
  ],
  pendingWords: "pending: no model is offered at a price, and calls are refused",
  section: (price) => terms(section(), ({ models }) => ({ ...price, models })),
  example: '{ "models": … }',
  own: {
    key: "models",
    example: '{ "models": … }',
    schema: (protocol) =>
      terms(section(), ({ models }) => ({
        contract: "model_tokens",
        ...(isProtocol(protocol) ? byProtocol[protocol] : { outputLimit: [], defaultOutputLimit, choices: [] }),
        models
      }))
  },
  problem: (protocol) =>
    isProtocol(protocol)
      ? undefined
      : `only an upstream of the protocol ${protocols.join(", ")} reports tokens by model`,
  // The file has the models' prices one by one.
  written: () => null
}
