import * as Schema from "effect/Schema"
import * as Getter from "effect/SchemaGetter"
import type { NanoUsd } from "../../Money.ts"
import { inWords } from "../Amount.ts"
import { perMillion } from "../exact.ts"
import { eachKind, kindNames, kinds, promptKinds, type TokenKind, type TokenUsage } from "../TokenKind.ts"
import { ModelName, Usd, usdText, wholeNumber } from "../written.ts"

const likeInput = kindNames.filter((kind) => kinds[kind].isLikeInput)

/** USD per million tokens of each kind. */
export type Rates = Readonly<Record<TokenKind, NanoUsd>>

/** The rates of a whole call whose prompt has more than `above` tokens, those read from a cache and written to it included. */
export interface LongPrompt extends Rates {
  readonly above: number
}

export interface ModelPrice extends Rates {
  readonly longPrompt?: LongPrompt
  /** The most tokens of one answer. */
  readonly maxOutput?: number
  /** The most tokens of input and output together. */
  readonly contextWindow?: number
  /** The most tokens of one image. */
  readonly imageTokens?: number
}

const promptTokens = (usage: TokenUsage): number => {
  let sum = 0
  for (const kind of promptKinds) sum += usage[kind]
  return sum
}

/** The rates of a call whose prompt has this many tokens. */
export const ratesFor = (model: ModelPrice, prompt: number): Rates =>
  model.longPrompt !== undefined && prompt > model.longPrompt.above ? model.longPrompt : model

/** What these tokens cost, in the unit of `exact.ts`. */
export const costOf = (model: ModelPrice, usage: TokenUsage): bigint => {
  const rates = ratesFor(model, promptTokens(usage))
  let sum = 0n
  for (const kind of kindNames) sum += perMillion(rates[kind], usage[kind])
  return sum
}

/** The rates that a call may be charged at, each with the longest prompt that is charged at them. */
interface Possible {
  readonly rates: Rates
  readonly prompt: number
}

/** All of them are needed, because the rates of long prompts may be lower. */
export const possibleRates = (model: ModelPrice, longest: number): ReadonlyArray<Possible> => {
  const { longPrompt } = model
  if (longPrompt === undefined || longest <= longPrompt.above) return [{ rates: model, prompt: longest }]
  return [
    { rates: model, prompt: longPrompt.above },
    { rates: longPrompt, prompt: longest }
  ]
}

/** It is unknown how much of the prompt is cached, so the maximum uses the highest rate of a prompt. */
export const highestInput = (rates: Rates): NanoUsd => {
  let highest = rates.input
  for (const kind of promptKinds) if (rates[kind] > highest) highest = rates[kind]
  return highest
}

const ratesInWords = (rates: Rates, hasOutput: boolean): string => {
  const words = (kind: TokenKind) => `${inWords(rates[kind])} per million ${kinds[kind].words}`
  if (!hasOutput) return words("input")
  const both = `${words("input")} and ${words("output")}`
  const others = likeInput.filter((kind) => rates[kind] !== rates.input).map(words)
  return others.length === 0 ? both : `${both}, with ${others.join(" and ")}`
}

/** The prices of a model's tokens, in words. */
export const modelInWords = (model: ModelPrice, hasOutput = true): string => {
  const { longPrompt } = model
  const words = ratesInWords(model, hasOutput)
  return longPrompt === undefined
    ? words
    : `${words}; if the prompt has more than ${longPrompt.above} tokens, ${ratesInWords(longPrompt, hasOutput)} for the whole call`
}

const count = (description: string) => wholeNumber(100_000_000).annotate({ description })
const tokens = (description: string) => Schema.optionalKey(count(description))
const optionalRates = eachKind(() => Schema.optionalKey(Usd))

const LongPromptSection = Schema.Struct({
  above: count("A prompt with more tokens than this is long; those read from a cache and written to it count too"),
  ...optionalRates
}).annotate({ description: "The prices of the whole call if its prompt is long; one that is left out stays the same" })

const ModelSection = Schema.Struct({
  ...optionalRates,
  input: Usd,
  output: Usd,
  longPrompt: Schema.optionalKey(LongPromptSection),
  maxOutput: tokens("The most tokens of an answer; 4096 is assumed if it is not set"),
  contextWindow: tokens("The most tokens of input and output together; no bound if it is not set"),
  imageTokens: tokens("The most tokens of an image; 2000 if it is not set")
}).annotate({ description: "USD per million tokens; cacheRead and cacheWrite default to the price of input" })

/** What is not written is as for other prompts: there, a rate that is not written is that of input. */
const longPromptOf = (model: typeof ModelSection.Type, long: typeof LongPromptSection.Type): LongPrompt => {
  const input = long.input ?? model.input
  return { above: long.above, ...eachKind((kind) => long[kind] ?? model[kind] ?? input) }
}

const modelOf = (written: typeof ModelSection.Type): ModelPrice => {
  const { longPrompt, ...model } = written
  return {
    ...model,
    ...eachKind((kind) => model[kind] ?? model.input),
    ...(longPrompt === undefined ? {} : { longPrompt: longPromptOf(written, longPrompt) })
  }
}

const isModelPrice = (u: unknown): u is ModelPrice => typeof u === "object" && u !== null && "input" in u

/** The prices of models, by name. */
export const Models = Schema.Record(
  ModelName,
  ModelSection.pipe(
    Schema.decodeTo(Schema.declare(isModelPrice), {
      decode: Getter.transform(modelOf),
      encode: Getter.forbiddenEncoding
    })
  )
)

/** A rate that is left out is that of `shorter` prompts, or else that of input. */
const writtenRates = (rates: Rates, shorter: Rates) =>
  Object.fromEntries(
    kindNames
      .filter((kind) => {
        const isImplied = rates[kind] === rates.input && shorter[kind] === shorter.input
        return !kinds[kind].isLikeInput || !isImplied
      })
      .map((kind) => [kind, usdText(rates[kind])])
  )

/** A model's price, as the configuration file has it. */
export const writtenModel = (model: ModelPrice): Readonly<Record<string, unknown>> => {
  const { longPrompt, ...rest } = model
  return {
    ...writtenRates(
      model,
      eachKind((kind) => (kinds[kind].isLikeInput ? model.input : model[kind]))
    ),
    ...(longPrompt === undefined
      ? {}
      : { longPrompt: { above: longPrompt.above, ...writtenRates(longPrompt, model) } }),
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !Object.hasOwn(kinds, name)))
  }
}
