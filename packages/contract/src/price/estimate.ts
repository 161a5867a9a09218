import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { type NanoUsd, nano, zero } from "../Money.ts"
import { count, perMillion, perNano, read, times, whole } from "../internal/exact.ts"
import { type Amount, type Multiplier, one, type Price } from "./Price.ts"

/** The expected cost of a call and its maximum. */
export interface Estimate {
  readonly likely: NanoUsd
  readonly most: NanoUsd
}

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\x00-\x7f]/

/** Up to this length the loop is faster than the regular expression. */
const loopLength = 8

/** The upper bound of a text's tokens: no tokenizer makes more tokens than there are bytes. */
export const utf8Length = (text: string): number => {
  let bytes = text.length
  if (bytes > loopLength && !beyondAscii.test(text)) return bytes
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    // A surrogate pair takes four bytes for two units; a lone surrogate is replaced by three bytes.
    bytes +=
      unit < 0x800 ? 1 : unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00 ? (i++, 2) : 2
  }
  return bytes
}

/** The bytes of all strings in a value. Field names count, because a model reads those of a tool's schema. */
const textBytes = (value: unknown): number => {
  let bytes = 0
  // No recursion: a deeply nested body would overflow the stack.
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

/** The expected number of tokens of a text. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

const billedBytes = ({ texts }: Extract<Price, { contract: "per_token" }>, request: unknown): number => {
  let bytes = 0
  for (const text of texts) {
    const items = text.timesItemsOf === undefined ? undefined : read(request, [text.timesItemsOf])
    bytes += textBytes(read(request, [text.field])) * (Array.isArray(items) ? items.length : 1)
  }
  return bytes
}

/** Uses the largest of several limits, because the upstream may obey any of them. */
const outputTokens = (price: Extract<Price, { contract: "model_tokens" }>, request: unknown): number => {
  const limits = price.outputLimit.map((path) => count(read(request, path))).filter((limit) => limit !== undefined)
  const choices = price.choices.map((path) => count(read(request, path)) ?? 1)
  return (limits.length === 0 ? price.defaultOutputLimit : Math.max(...limits)) * Math.max(1, ...choices)
}

/** The expected number of input tokens. */
export const inputTokens = (request: unknown): number => tokensOf(textBytes(request))

/** The expected number of tokens, input and output together. */
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
 * `none` if the operation or the model has no price. The model is `named`, or else the one in the request.
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
      // It is unknown how much of the input is cached, so the maximum uses the highest of the three prices.
      const highest = [model.input, model.cacheRead, model.cacheWrite].reduce((a, b) => (a > b ? a : b))
      return estimateOf(
        perMillion(model.input, tokensOf(bytes)) + perMillion(model.output, output),
        perMillion(highest, bytes) + perMillion(model.output, output),
        multiplier
      )
    }
  }
}
