import { attempt } from "@tollgate/contract/attempt"
import type { Unpriced } from "@tollgate/contract/price/PriceContract"
import type { PriceFactors, RequestedModel } from "@tollgate/contract/price/PriceFactors"
import * as Predicate from "effect/Predicate"
import type { Alternative, Decoded, Priced } from "../../exchange/Exchange.ts"
import { set, textStart, without } from "../../internal/jsonEdit.ts"
import { familyOf } from "@tollgate/contract/errors/families"
import * as Estimate from "@tollgate/contract/price/contracts"
import { contractOf } from "@tollgate/contract/price/contracts"
import { countOnce } from "@tollgate/contract/price/content"
import { findModel, longestName } from "@tollgate/contract/price/modelFamily"
import { isByModel, modelsOf, type Price } from "@tollgate/contract/price/Price"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isLarge, type Turns } from "../../internal/Turns.ts"
import type { PriceBook } from "../../exchange/Prices.ts"
import type { Upstreams } from "../../upstream/Upstreams.ts"
import { invalid, refuse, Refused } from "@tollgate/contract/errors/Refused"

type Body = Readonly<Record<string, unknown>>

const omit = (value: Body, name: string): Body =>
  Object.fromEntries(Object.entries(value).filter(([field]) => field !== name))

/** The tools without those at these places, or without fields of them. Each tool is read once, however many of its fields go. */
const withoutTools = (tools: ReadonlyArray<unknown>, gone: ReadonlyArray<Unpriced>): ReadonlyArray<unknown> => {
  const byPlace = new Map<number, Set<string | undefined>>()
  for (const { at } of gone) {
    const [, place, field] = at
    const fields = byPlace.get(Number(place)) ?? new Set()
    byPlace.set(Number(place), fields.add(field))
  }
  return tools.flatMap((tool, i) => {
    const fields = byPlace.get(i)
    if (fields === undefined) return [tool]
    if (fields.has(undefined) || !Predicate.isObject(tool)) return []
    const rest = Object.entries(tool).filter(([name]) => !fields.has(name))
    return rest.length === 0 ? [] : [Object.fromEntries(rest)]
  })
}

/** `undefined`: a tool is too deep. */
const writtenTools = (tools: ReadonlyArray<unknown>): string | undefined => attempt(() => JSON.stringify(tools))

const isTool = ({ at }: Unpriced): boolean => at[0] === "tools" && (at.length === 2 || at.length === 3)

/** The request without these fields. `undefined`: one of them cannot be taken out. */
export const withoutFields = (exchange: Decoded, fields: ReadonlyArray<Unpriced>): Decoded | undefined => {
  const { input } = exchange
  if (!Predicate.isObject(input.body)) return undefined
  let body = input.body as Body
  let bytes: Uint8Array = exchange.bytes
  for (const { at, isModel } of fields.filter((field) => !isTool(field))) {
    const [name] = at
    if (isModel === true || at.length !== 1 || name === undefined) return undefined
    const rest = without(name)(bytes, textStart(bytes), bytes.length)
    if (rest === undefined) return undefined
    bytes = rest
    body = omit(body, name)
  }
  const gone = fields.filter(isTool)
  const tools = body["tools"]
  if (gone.length > 0) {
    if (!Array.isArray(tools)) return undefined
    const some = withoutTools(tools, gone)
    body = some.length === 0 ? omit(body, "tools") : { ...body, tools: some }
    const text = writtenTools(some)
    if (text === undefined) return undefined
    const rest =
      some.length === 0 ? without("tools")(bytes, textStart(bytes), bytes.length) : set(bytes, ["tools"], text)
    if (rest === undefined) return undefined
    bytes = rest
  }
  return { ...exchange, bytes, input: { ...input, body } }
}

const quoted = (model: string): string => JSON.stringify(model.slice(0, 100))

/** A model without a price is not offered. If no model has one, the operator has not set the prices. */
const unpriced = (prices: PriceBook, { model, operation }: Decoded): Refused => {
  if (Object.keys(modelsOf(prices.all?.(operation) ?? prices.of(operation))).length === 0) {
    return refuse("billing_misconfigured", `No price is set for ${operation.id}; the operator has to set one.`)
  }
  const { modelsPath: list = "/v1/models" } = familyOf(operation)
  return model === undefined
    ? invalid("model", `A model name of up to ${longestName} characters is required; GET ${list} lists them.`)
    : refuse("model_not_found", `The model ${quoted(model)} is not offered; GET ${list} lists those that are.`, {
        param: "model"
      })
}

/** Longer ones are the caller's, not a provider's. */
const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** Names the field, and what the operator would add. */
const withoutPrice = ({ model = "" }: Decoded, { add, at, isModel }: Unpriced): Refused => {
  const param = at.join(".")
  const what =
    isModel === true
      ? `the model ${quoted(add)} has no price here`
      : `the price of ${quoted(model)} does not cover this; an operator would add ${JSON.stringify(shown(add))} to it`
  return invalid(param, `${what}.`)
}

/** No caller names more, and each is looked up. */
const mostOthers = 100

const tooManyOthers = refuse("invalid_request", `The request names more than ${mostOthers} other models.`)

const withOthers = (
  prices: PriceBook,
  price: Price,
  others: ReadonlyArray<RequestedModel>,
  { operation }: Decoded
): Price | Refused => {
  if (!isByModel(price)) return price
  if (others.length > mostOthers) return tooManyOthers
  const models = { ...price.models }
  for (const { model } of others) Object.assign(models, modelsOf(prices.of(operation, model)))
  return { ...price, models }
}

/** The price of a model in force now, for what the request asks. */
const priceOf = (prices: PriceBook, exchange: Decoded, model: string | undefined, now: number) => {
  const { input, operation } = exchange
  const listed = prices.of(operation, model)
  const contract = contractOf(listed)
  const asked = contract.asked?.(listed, input.body)
  const resolved = contract.resolve?.(listed, input.body) ?? listed
  const all = asked?.models === undefined ? resolved : withOthers(prices, resolved, asked.models, exchange)
  return all instanceof Refused ? all : { asked, price: contract.at?.(all, now) ?? all }
}

/** Another model that may serve the call, at its own price. `undefined`: it has none, and costs what the caller's does. */
const alternative = (
  prices: PriceBook,
  exchange: Decoded,
  model: string,
  now: number
): Alternative | "unfit" | undefined => {
  if (findModel(modelsOf(prices.of(exchange.operation, model)), model) === undefined) return undefined
  const found = priceOf(prices, exchange, model, now)
  if (found instanceof Refused) return "unfit"
  const { asked, price } = found
  const isCovered =
    asked === undefined ||
    prices.unpriced === "pass" ||
    (contractOf(price).unpriced?.(price, asked, model) ?? []).length === 0
  const { input, principal } = exchange
  const estimate = Estimate.estimate(price, input.body, principal?.multiplier, model)
  return isCovered && Option.isSome(estimate) ? { model, price, estimate: estimate.value } : "unfit"
}

/** The estimate that covers both. */
export const dearer = (one: Estimate.Estimate, other: Estimate.Estimate): Estimate.Estimate => {
  const [more, less] = other.most > one.most ? [other, one] : [one, other]
  return {
    ...more,
    likely: less.likely > more.likely ? less.likely : more.likely,
    ...(more.tokens === undefined ? {} : { tokens: Math.max(more.tokens, less.tokens ?? 0) })
  }
}

/** With the prices of the models of its fallbacks, and an estimate that covers the dearest. */
const withAlternatives = (prices: PriceBook, exchange: Priced, models: ReadonlyArray<string>, now: number): Priced => {
  const alternatives = new Map<string, Alternative | "unfit">()
  let { estimate } = exchange
  for (const model of models) {
    const found = model === exchange.model ? undefined : alternative(prices, exchange, model, now)
    if (found === undefined) continue
    alternatives.set(model, found)
    if (found !== "unfit") estimate = dearer(estimate, found.estimate)
  }
  return alternatives.size === 0 ? exchange : { ...exchange, alternatives, estimate }
}

/** Without what has no price, if the operator chose that. */
const covered = (prices: PriceBook, price: Price, asked: PriceFactors, exchange: Decoded): Decoded | Refused => {
  const { model } = exchange
  const missing = model === undefined ? undefined : contractOf(price).unpriced?.(price, asked, model)
  const first = missing?.[0]
  if (missing === undefined || first === undefined) return exchange
  const edited = prices.unpriced === "remove" ? withoutFields(exchange, missing) : undefined
  return edited ?? withoutPrice(exchange, first)
}

/** Finds the price for this request and estimates what the call costs. A call without a price is refused. */
export const price =
  (
    prices: PriceBook,
    turns: Turns,
    clock: Clock.Clock,
    { fallbackModels }: Pick<Upstreams["Service"], "fallbackModels">
  ) =>
  (decoded: Decoded): Effect.Effect<Priced, Refused> => {
    const { bytes, input, model, operation, principal } = decoded
    const now = clock.currentTimeMillisUnsafe()
    const isLong = isLarge(bytes)
    if (isLong && isByModel(prices.of(operation, model))) countOnce(input.body)
    const found = priceOf(prices, decoded, model, now)
    if (found instanceof Refused) return Effect.fail(found)
    const { asked, price } = found
    const exchange =
      asked === undefined || prices.unpriced === "pass" ? decoded : covered(prices, price, asked, decoded)
    if (exchange instanceof Refused) return Effect.fail(exchange)
    const estimate = Estimate.estimate(price, exchange.input.body, principal?.multiplier, model)
    if (Option.isNone(estimate)) return Effect.fail(unpriced(prices, exchange))
    const only = { ...exchange, price, pricedAt: now, estimate: estimate.value }
    const models = fallbackModels(exchange)
    const priced = models.length === 0 ? only : withAlternatives(prices, only, models, now)
    return isLong ? Effect.as(turns.next, priced) : Effect.succeed(priced)
  }
