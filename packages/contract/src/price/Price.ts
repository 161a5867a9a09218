import * as Option from "effect/Option"
import type { NanoUsd } from "../Money.ts"

/** `pending`: no price is published, so an operator must set one before the operation can be billed. */
export type Amount = NanoUsd | "pending"

/** The names of a field and of the objects around it. */
export type FieldPath = ReadonlyArray<string>

/** USD per million tokens of each kind. */
export interface Rates {
  readonly input: NanoUsd
  readonly output: NanoUsd
  readonly cacheRead: NanoUsd
  readonly cacheWrite: NanoUsd
}

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

/** A billed text of the request: a field, counted once or once for each item of `timesItemsOf`. */
export interface BilledText {
  readonly field: string
  readonly timesItemsOf?: string
}

/** A fixed amount is due as often as a field of the request says. */
export interface Times {
  readonly field: FieldPath
  /** In the singular: `image`. */
  readonly unit: string
  /** If the request leaves the field out. */
  readonly otherwise: number
}

/** One unit for each `itemsPerUnit` items of a field of the request. A longer item than `bytesPerItem` may count as several. */
export interface RequestedUnits {
  readonly items: string
  readonly itemsPerUnit: number
  readonly bytesPerItem: number
}

/** The amount for requests whose fields have one of these values. `null` is a field that is left out. */
export interface Variant {
  readonly amount: NanoUsd
  readonly where: ReadonlyArray<{
    readonly field: FieldPath
    readonly values: ReadonlyArray<string | number | boolean | null>
  }>
}

/** An amount that does not depend on the answer. `resolve` replaces what depends on the request. */
export interface Fixed {
  readonly amount: Amount
  readonly times?: Times
  /** The first that fits applies; if none fits, the highest amount. */
  readonly variants?: ReadonlyArray<Variant>
  /** What the amount of a resolved price consists of. */
  readonly resolved?: { readonly each: NanoUsd; readonly count: number; readonly unit?: string }
}

/** How an operation is billed. `contract` is the `price_contract` of a quote. */
export type Price =
  | { readonly contract: "free" }
  | ({ readonly contract: "per_request" } & Fixed)
  /** Bills the answer's `usage.total_tokens`. */
  | { readonly contract: "per_token"; readonly perMillion: Amount; readonly texts: ReadonlyArray<BilledText> }
  /** Bills tokens by kind, at the model's own price. */
  | {
      readonly contract: "model_tokens"
      readonly models: Readonly<Record<string, ModelPrice>>
      /** The fields that limit the output. The gateway sets the first. */
      readonly outputLimit: ReadonlyArray<FieldPath>
      readonly defaultOutputLimit: number
      /** The paths of the fields that ask for several answers. */
      readonly choices: ReadonlyArray<FieldPath>
    }
  /** Bills each item in a field of the answer. `most` is the largest page that an estimate assumes. */
  | { readonly contract: "response_count"; readonly perItem: Amount; readonly items: string; readonly most: number }
  /**
   * Bills the whole units in a field of the answer. `most` is the largest number that an estimate assumes. With `requested`
   * the request says how many it asks for, and they are billed if the answer does not report any.
   */
  | {
      readonly contract: "answer_field"
      readonly perUnit: Amount
      readonly field: FieldPath
      /** In the singular: `credit`. */
      readonly unit?: string
      readonly most: number
      readonly requested?: RequestedUnits
    }
  /** Bills only if a field of the answer has this value. */
  | { readonly contract: "body_code"; readonly amount: Amount; readonly field: string; readonly equals: number }
  /** Bills only a task that succeeds. */
  | ({ readonly contract: "per_task" } & Fixed)

export type PriceOf<C extends Price["contract"]> = Extract<Price, { readonly contract: C }>

/** A factor with up to six decimals, as millionths: 1.45 is 1_450_000n. */
export type Multiplier = bigint
export const one: Multiplier = 1_000_000n

export const parseMultiplier = (text: string): Option.Option<Multiplier> => {
  const match = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text)
  return match === null ? Option.none() : Option.some(BigInt(match[1]! + (match[2] ?? "").padEnd(6, "0")))
}

export const isFree = (price: Price): boolean => price.contract === "free"

const isNothing = (amount: Amount): boolean => amount === 0n

/** Whether some call at this price may cost nothing. */
export const canBeFree = (price: Price): boolean => {
  switch (price.contract) {
    case "free":
      return true
    case "per_token":
      return isNothing(price.perMillion)
    case "response_count":
      return isNothing(price.perItem)
    case "answer_field":
      return isNothing(price.perUnit)
    case "model_tokens":
      return Object.values(price.models).some((model) =>
        [model, model.longPrompt ?? model].some(({ input, output }) => isNothing(input) && isNothing(output))
      )
    case "body_code":
      return isNothing(price.amount)
    default:
      return [price, ...(price.variants ?? [])].some(({ amount }) => isNothing(amount))
  }
}
