import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { type NanoUsd, nano, zero } from "../Money.ts"
import { count, perMillion, perNano, read, times, whole } from "../internal/exact.ts"
import { type Amount, type Multiplier, one, type Price } from "./Price.ts"

/** What a call is expected to cost, and the most that it can. */
export interface Estimate {
  readonly likely: NanoUsd
  readonly most: NanoUsd
}

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\x00-\x7f]/

/** Up to this length a loop is faster than the engine's search. */
const short = 8

/** No tokenizer makes more tokens than the text has bytes. */
export const utf8Length = (text: string): number => {
  let bytes = text.length
  if (bytes > short && !beyondAscii.test(text)) return bytes
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    // A surrogate pair is four bytes over two units, a lone surrogate is replaced by three.
    bytes +=
      unit < 0x800 ? 1 : unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00 ? (i++, 2) : 2
  }
  return bytes
}

/** Of all texts in a value, names of fields included: a model reads those of a tool's schema too. */
const textBytes = (value: unknown): number => {
  let bytes = 0
  // A list of its own, not recursion: a body nested deep enough would exhaust the stack.
  const rest: Array<unknown> = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next === "string") bytes += utf8Length(next)
    else if (Array.isArray(next)) for (const item of next) rest.push(item)
    else if (Predicate.isObject(next)) for (const name in next) rest.push(name, next[name])
  }
  return bytes
}

const bytesPerToken = 4

/** The tokens that a text of so many bytes is expected to make. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

const billedBytes = ({ texts }: Extract<Price, { contract: "per_token" }>, request: unknown): number => {
  let bytes = 0
  for (const text of texts) {
    const items = text.timesItemsOf === undefined ? undefined : read(request, [text.timesItemsOf])
    bytes += textBytes(read(request, [text.field])) * (Array.isArray(items) ? items.length : 1)
  }
  return bytes
}

/** Of several limits the largest: which one the upstream obeys is not known here. */
const outputTokens = (price: Extract<Price, { contract: "model_tokens" }>, request: unknown): number => {
  const limits = price.outputLimit.map((path) => count(read(request, path))).filter((limit) => limit !== undefined)
  const choices = price.choices.map((path) => count(read(request, path)) ?? 1)
  return (limits.length === 0 ? price.defaultOutputLimit : Math.max(...limits)) * Math.max(1, ...choices)
}

/** The tokens that a model is expected to read of the request. */
export const inputTokens = (request: unknown): number => tokensOf(textBytes(request))

/** The tokens that the request as asked is expected to use, read and written together. */
export const estimateTokens = (price: Price, request: unknown): number =>
  price.contract === "per_token"
    ? tokensOf(billedBytes(price, request))
    : inputTokens(request) + (price.contract === "model_tokens" ? outputTokens(price, request) : 0)

const ceilNano = (exact: bigint): NanoUsd => nano((exact + perNano - 1n) / perNano)

const estimateOf = (likely: bigint, most: bigint, multiplier: Multiplier): Option.Option<Estimate> =>
  Option.some({ likely: ceilNano(times(likely, multiplier)), most: ceilNano(times(most, multiplier)) })

const fixed = (amount: Amount, multiplier: Multiplier, times = 1): Option.Option<Estimate> =>
  amount === "pending" ? Option.none() : estimateOf(whole(amount, 1), whole(amount, times), multiplier)

/**
 * What the request as asked will cost. `none`: no price is set, for the operation or for the model, which is the one that the
 * request names where none is given.
 */
export const estimate = (
  price: Price,
  request: unknown,
  multiplier: Multiplier = one,
  named?: string
): Option.Option<Estimate> => {
  switch (price.contract) {
    case "free":
      return Option.some({ likely: zero, most: zero })
    case "per_request":
    case "body_code":
    case "per_task":
      return fixed(price.amount, multiplier)
    case "response_count":
      return fixed(price.perItem, multiplier, price.most)
    case "per_token": {
      if (price.perMillion === "pending") return Option.none()
      const bytes = billedBytes(price, request)
      const amount = price.perMillion
      return estimateOf(perMillion(amount, tokensOf(bytes)), perMillion(amount, bytes), multiplier)
    }
    case "model_tokens": {
      const name = named ?? read(request, ["model"])
      const model = typeof name === "string" && Object.hasOwn(price.models, name) ? price.models[name] : undefined
      if (model === undefined) return Option.none()
      const bytes = textBytes(request)
      const output = outputTokens(price, request)
      // Whichever way the input is cached, it costs no more than at the dearest of the three.
      const dearest = [model.input, model.cacheRead, model.cacheWrite].reduce((a, b) => (a > b ? a : b))
      return estimateOf(
        perMillion(model.input, tokensOf(bytes)) + perMillion(model.output, output),
        perMillion(dearest, bytes) + perMillion(model.output, output),
        multiplier
      )
    }
  }
}
