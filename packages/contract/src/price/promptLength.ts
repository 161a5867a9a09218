import type { NanoUsd } from "../Money.ts"
import type { TokenUsage } from "./evidence.ts"
import type { ModelPrice, Rates } from "./Price.ts"

/** The tokens of a prompt: also those that were read from a cache or written to it. */
export const promptTokens = ({ cacheRead, cacheWrite, input }: TokenUsage): number => input + cacheRead + cacheWrite

/** The rates of a call whose prompt has this many tokens. */
export const ratesFor = (model: ModelPrice, prompt: number): Rates =>
  model.longPrompt !== undefined && prompt > model.longPrompt.above ? model.longPrompt : model

/** The rates that a call may be charged at, each with the longest prompt that is charged at them. */
export interface Possible {
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

/** It is unknown how much of the prompt is cached, so the maximum uses the highest of the three prices. */
export const highestInput = ({ cacheRead, cacheWrite, input }: Rates): NanoUsd =>
  [input, cacheRead, cacheWrite].reduce((a, b) => (a > b ? a : b))
