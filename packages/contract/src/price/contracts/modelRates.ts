import { type NanoUsd, divideHalfUp, nano } from "../../Money.ts"
import { type Multiplier, one } from "../Amount.ts"
import { perMillion } from "../exact.ts"
import {
  type DetailKind,
  detailNames,
  details,
  eachKind,
  kindNames,
  promptKinds,
  type TokenKind,
  type TokenUsage,
  type Used
} from "../TokenKind.ts"

/** USD per million tokens of each kind, and of details that have a rate of their own. */
export type Rates = Readonly<Record<TokenKind, NanoUsd>> & Readonly<Partial<Record<DetailKind, NanoUsd>>>

/** The rates of a whole call whose prompt is long: above `above` tokens, those read from a cache and written to it included. */
export type LongPrompt = Rates & { readonly above: number }

/** Other rates: a factor on all of them, or some of them. */
export type Modifier = Multiplier | Readonly<Partial<Record<TokenKind | DetailKind, NanoUsd>>>

export type Modifiers = Readonly<Record<string, Modifier>>

/** What a use of an upstream's tool costs. `perCall`: once for a call that uses it, however often. */
export interface ToolPrice {
  readonly amount: NanoUsd
  readonly perCall?: true
}

/** Rates for a time. Days and times are UTC; a span that ends before it begins goes over midnight, and is of its first day. */
export interface Period {
  readonly from?: number
  readonly until?: number
  /** Minutes of the day. */
  readonly hours?: ReadonlyArray<readonly [from: number, until: number]>
  /** 0 is Sunday. */
  readonly days?: ReadonlyArray<number>
  readonly rates: Modifier
}

export type ModelPrice = Rates & {
  readonly longPrompt?: LongPrompt
  /** By the tier that served the call. Those that are not here have no price; `standardTiers` have the usual one. */
  readonly tiers?: Modifiers
  /** The tier of a request that asks for none, if the upstream's project sets one. */
  readonly defaultTier?: string
  readonly speeds?: Modifiers
  readonly regions?: Modifiers
  readonly tools?: Readonly<Record<string, ToolPrice>>
  /** The first that holds when the call is made. */
  readonly periods?: ReadonlyArray<Period>
  /** It thinks without showing it: who leaves a stream early has still used that. */
  readonly thinks?: boolean
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

/** Names of the tier, speed and region that every model has a price for. */
const standard: Readonly<Record<"tiers" | "speeds" | "regions", ReadonlySet<string>>> = {
  tiers: new Set(["auto", "default", "standard", "standard_only", "on_demand"]),
  speeds: new Set(["standard"]),
  regions: new Set(["global", "not_available"])
}

/** Two names of OpenAI for one tier: a request may ask for the one, and the answer report the other. */
const alike: Readonly<Record<string, string>> = { fast: "priority", priority: "fast" }

const own = <A>(record: Readonly<Record<string, A>> | undefined, name: string): A | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined

/** The modifier of a tier. `undefined`: it has no price. */
export const tierIn = <A>(tiers: Readonly<Record<string, A>> | undefined, name: string): A | Multiplier | undefined =>
  own(tiers, name) ?? own(tiers, alike[name] ?? name) ?? (standard.tiers.has(name) ? one : undefined)

/** `undefined`: it has no price. */
export const modifierOf = (
  model: ModelPrice,
  what: "tiers" | "speeds" | "regions",
  name: string
): Modifier | undefined =>
  what === "tiers"
    ? tierIn(model.tiers, name)
    : (own(model[what], name) ?? (standard[what].has(name) ? one : undefined))

const scaled = (rate: NanoUsd, factor: Multiplier): NanoUsd => nano(divideHalfUp(rate * factor, one))

/** The rates of prompts of another length, and those of usual ones. */
interface Lengths {
  readonly usual: Rates
  readonly other: Rates
}

/** A rate that a modifier names is that of usual prompts. For others it changes as much as the model's own rate does. */
const scaledTo = (rate: NanoUsd, kind: TokenKind | DetailKind, { other, usual }: Lengths): NanoUsd => {
  const of = (rates: Rates) => rates[kind] ?? (kind in details ? rates[details[kind as DetailKind].of] : undefined)
  const [from, to] = [of(usual), of(other)]
  return from === undefined || to === undefined || from === 0n ? rate : nano(divideHalfUp(rate * to, from))
}

const givenBy = (modifier: Modifier, lengths: Lengths | undefined): Exclude<Modifier, Multiplier> => {
  if (typeof modifier === "bigint") return {}
  if (lengths === undefined) return modifier
  const given: { -readonly [K in TokenKind | DetailKind]?: NanoUsd } = {}
  for (const kind of [...kindNames, ...detailNames]) {
    const rate = modifier[kind]
    if (rate !== undefined) given[kind] = scaledTo(rate, kind, lengths)
  }
  return given
}

/** The rates with this modifier. A rate is rounded to the nano-USD per million tokens. */
export const modified = (rates: Rates, modifier: Modifier, lengths?: Lengths): Rates => {
  if (modifier === one) return rates
  const factor = typeof modifier === "bigint" ? modifier : undefined
  const given = givenBy(modifier, lengths)
  const next: { -readonly [K in keyof Rates]: Rates[K] } = eachKind(
    (kind) => given[kind] ?? (factor === undefined ? rates[kind] : scaled(rates[kind], factor))
  )
  for (const detail of detailNames) {
    const rate = rates[detail]
    if (given[detail] !== undefined) next[detail] = given[detail]
    else if (rate !== undefined) next[detail] = factor === undefined ? rate : scaled(rate, factor)
  }
  return next
}

/** How a call was served, or would be. */
export type Served = { readonly [K in "tier" | "speed" | "region"]?: string | undefined }

/** The rates as served. What has no price leaves them as they are. */
export const servedRates = (model: ModelPrice, rates: Rates, served: Served): Rates => {
  const { region, speed, tier } = served
  if (tier === undefined && speed === undefined && region === undefined) return rates
  const lengths = rates === model ? undefined : { usual: model, other: rates }
  const by = (now: Rates, what: "tiers" | "speeds" | "regions", name: string | undefined) =>
    name === undefined ? now : modified(now, modifierOf(model, what, name) ?? one, lengths)
  return by(by(by(rates, "tiers", tier), "speeds", speed), "regions", region)
}

/** What uses of a tool cost. A preview is reported under the tool's own name. `undefined`: it has no price. */
export const toolPriceOf = (model: ModelPrice, tool: string): ToolPrice | undefined =>
  own(model.tools, tool) ?? own(model.tools, `${tool}_preview`)

/** The unit of `perMillion` is a millionth of that of an amount. */
const perUse = ({ amount, perCall }: ToolPrice, uses: number): bigint =>
  amount * BigInt(perCall === true ? Math.min(uses, 1) : uses) * 1_000_000n

export const costOfUses = (model: ModelPrice, uses: Readonly<Record<string, number>>): bigint => {
  let sum = 0n
  for (const tool in uses) {
    const price = toolPriceOf(model, tool)
    if (price !== undefined) sum += perUse(price, uses[tool] ?? 0)
  }
  return sum
}

/** What was used costs this, in the unit of `exact.ts`. A detail without a rate costs what its kind does. */
export const costOf = (model: ModelPrice, used: Used): bigint => {
  const { usage } = used
  const rates = servedRates(model, ratesFor(model, promptTokens(usage)), used)
  let sum = 0n
  for (const kind of kindNames) if (usage[kind] > 0) sum += perMillion(rates[kind], usage[kind])
  if (used.details !== undefined) {
    for (const detail of detailNames) {
      const rate = rates[detail]
      const count = used.details[detail] ?? 0
      // The kind's own count includes it.
      if (rate !== undefined && count > 0) sum += perMillion(nano(rate - rates[details[detail].of]), count)
    }
  }
  if (sum < 0n) sum = 0n
  return used.uses === undefined ? sum : sum + costOfUses(model, used.uses)
}

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

const promptDetails = detailNames.filter(
  (detail) => detail !== "cacheWriteLong" && promptKinds.some((kind) => kind === details[detail].of)
)

/** It is unknown how much of the prompt is cached, or of what it is made, so the maximum uses the highest rate of a prompt. */
export const highestInput = (rates: Rates, keepsLong = false): NanoUsd => {
  let highest = rates.input
  for (const kind of promptKinds) if (rates[kind] > highest) highest = rates[kind]
  for (const detail of promptDetails) {
    const rate = rates[detail]
    if (rate !== undefined && rate > highest) highest = rate
  }
  const long = keepsLong ? rates.cacheWriteLong : undefined
  return long !== undefined && long > highest ? long : highest
}

export const highestOutput = ({ audioOutput = nano(0n), imageOutput = nano(0n), output }: Rates): NanoUsd => {
  const other = audioOutput > imageOutput ? audioOutput : imageOutput
  return other > output ? other : output
}

const minuteOf = (time: Date): number => time.getUTCHours() * 60 + time.getUTCMinutes()

const holds = ({ days, from, hours, until }: Period, millis: number): boolean => {
  if (from !== undefined && millis < from) return false
  if (until !== undefined && millis >= until) return false
  if (days === undefined && hours === undefined) return true
  const time = new Date(millis)
  const minute = minuteOf(time)
  const isOn = (day: number) => days === undefined || days.includes(day)
  const today = time.getUTCDay()
  if (hours === undefined) return isOn(today)
  return hours.some(([start, end]) => {
    if (start < end) return minute >= start && minute < end && isOn(today)
    // After midnight it is still the span of the day before.
    return (minute >= start && isOn(today)) || (minute < end && isOn((today + 6) % 7))
  })
}

const inForce = new WeakMap<ModelPrice, Map<Period, ModelPrice>>()

export const priceAt = (model: ModelPrice, millis: number): ModelPrice => {
  const period = model.periods?.find((each) => holds(each, millis))
  if (period === undefined) return model
  const known = inForce.get(model) ?? new Map<Period, ModelPrice>()
  const found = known.get(period)
  if (found !== undefined) return found
  const { longPrompt, periods: _, ...rest } = model
  const next: ModelPrice = {
    ...rest,
    ...modified(model, period.rates),
    ...(longPrompt === undefined
      ? {}
      : {
          longPrompt: {
            ...longPrompt,
            ...modified(longPrompt, period.rates, { usual: model, other: longPrompt })
          }
        })
  }
  known.set(period, next)
  inForce.set(model, known)
  return next
}
