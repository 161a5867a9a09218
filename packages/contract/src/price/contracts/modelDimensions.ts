import type { PriceFactors, RequestedModel } from "../PriceFactors.ts"
import type { Tokens } from "../content.ts"
import { perMillion } from "../exact.ts"
import type { Unpriced } from "../PriceContract.ts"
import { type DetailKind, detailNames, details, type TokenDetails, type Used } from "../TokenKind.ts"
import {
  costOfUses,
  highestInput,
  highestOutput,
  type ModelPrice,
  modifierOf,
  type Possible,
  possibleRates,
  type Served,
  servedRates,
  toolPriceOf
} from "./modelRates.ts"
import { findModel } from "../modelFamily.ts"
import { type ModelTokens, outputOf } from "./modelRequest.ts"

export const modelNamed = ({ models }: ModelTokens, name: unknown): ModelPrice | undefined =>
  typeof name === "string" ? findModel(models, name) : undefined

export const highest = (possible: ReadonlyArray<Possible>, cost: (served: Possible) => bigint): bigint => {
  let most = 0n
  for (const served of possible) {
    const amount = cost(served)
    if (amount > most) most = amount
  }
  return most
}

/** The speed and region that a request asks for, at this tier. */
export const servedAs = ({ region, speed }: PriceFactors, tier?: string): Served => ({
  tier,
  speed: speed?.name,
  region: region?.name
})

/** Every way in which the call may be served: an upstream may fall back from the tier that was asked for. */
export const possibleServed = (model: ModelPrice, asked: PriceFactors, longest: number): ReadonlyArray<Possible> => {
  const possible = possibleRates(model, longest)
  const tier = asked.tier === undefined || asked.tier.name === "auto" ? model.defaultTier : asked.tier.name
  if (tier === undefined && asked.speed === undefined && asked.region === undefined) return possible
  return possible.flatMap(({ prompt, rates }) => [
    { prompt, rates: servedRates(model, rates, servedAs(asked)) },
    ...(tier === undefined ? [] : [{ prompt, rates: servedRates(model, rates, servedAs(asked, tier)) }])
  ])
}

/** Uses of a tool that the request does not bound. */
export const assumedUses = 10

const mostOfModel = (
  price: ModelTokens,
  { limit, model: name, speed, uses = 1 }: RequestedModel,
  inputOf: (model: ModelPrice) => Tokens,
  keepsLong: boolean
): bigint => {
  const model = modelNamed(price, name)
  if (model === undefined) return 0n
  const { most } = outputOf(price, model, limit)
  const once = highest(possibleRates(model, inputOf(model).most), ({ prompt, rates }) => {
    const served = servedRates(model, rates, { speed })
    return perMillion(highestInput(served, keepsLong), prompt) + perMillion(highestOutput(served), most)
  })
  return once * BigInt(uses)
}

/** The most that the upstream's tools and other models cost. */
export const besides = (
  price: ModelTokens,
  model: ModelPrice,
  { keepsLong, models = [], tools = [] }: PriceFactors,
  inputOf: (model: ModelPrice) => Tokens
): bigint => {
  let total = 0n
  for (const { most = assumedUses, name } of tools) total += costOfUses(model, { [name]: most })
  for (const other of models) total += mostOfModel(price, other, inputOf, keepsLong !== undefined)
  return total
}

/** The expected cost of those uses that can be expected. */
export const expectedUses = (model: ModelPrice, { tools = [] }: PriceFactors): bigint => {
  let total = 0n
  for (const { likely, name } of tools) if (likely !== undefined) total += costOfUses(model, { [name]: likely })
  return total
}

/** What the request asks for and the model's entry has no price of. */
export const unpricedIn = (
  price: ModelTokens,
  { keepsLong, models, outputs, region, speed, tier, tools }: PriceFactors,
  name: string
): ReadonlyArray<Unpriced> => {
  const model = modelNamed(price, name)
  if (model === undefined) return []
  const found: Array<Unpriced> = []
  const needs = (what: "tiers" | "speeds" | "regions", value: PriceFactors["tier"]) => {
    if (value === undefined || modifierOf(model, what, value.name) !== undefined) return
    found.push({ at: value.at, add: `${what}.${value.name}` })
  }
  needs("tiers", tier)
  needs("speeds", speed)
  needs("regions", region)
  for (const tool of tools ?? []) {
    if (tool.likely === undefined && toolPriceOf(model, tool.name) === undefined)
      found.push({ at: tool.at, add: `tools.${tool.name}` })
  }
  for (const output of outputs ?? []) {
    if (model[output.detail] === undefined) found.push({ at: output.at, add: output.detail })
  }
  if (keepsLong !== undefined && model.cacheWriteLong === undefined) {
    found.push({ at: keepsLong.at, add: "cacheWriteLong" })
  }
  for (const other of models ?? []) {
    const own = modelNamed(price, other.model)
    if (own === undefined) found.push({ at: other.at, add: other.model, isModel: true })
    else if (other.speed !== undefined && modifierOf(own, "speeds", other.speed) === undefined) {
      found.push({ at: [...other.at.slice(0, -1), "speed"], add: `speeds.${other.speed}` })
    }
  }
  return found
}

const gapsOfDetails = (model: ModelPrice, used: TokenDetails): ReadonlyArray<DetailKind> =>
  detailNames.filter(
    (detail) => (used[detail] ?? 0) > 0 && model[detail] === undefined && !details[detail].isUsuallyAlike
  )

/** What was used and has no price of its own, in the words of the price's entry. */
export const gapsOf = (model: ModelPrice, used: Used): ReadonlyArray<string> => {
  const gaps: Array<string> = used.details === undefined ? [] : [...gapsOfDetails(model, used.details)]
  const needs = (what: "tiers" | "speeds" | "regions", name: string) => {
    if (modifierOf(model, what, name) === undefined) gaps.push(`${what}.${name}`)
  }
  if (used.tier !== undefined) needs("tiers", used.tier)
  if (used.speed !== undefined) needs("speeds", used.speed)
  if (used.region !== undefined) needs("regions", used.region)
  for (const tool in used.uses) {
    if ((used.uses[tool] ?? 0) > 0 && toolPriceOf(model, tool) === undefined) gaps.push(`tools.${tool}`)
  }
  return gaps
}
