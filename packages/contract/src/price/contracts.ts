import { type Multiplier, one, type Price, type PriceOf } from "./Price.ts"
import type { PriceContract } from "./PriceContract.ts"
import { answerField } from "./contracts/answerField.ts"
import { bodyCode } from "./contracts/bodyCode.ts"
import { free } from "./contracts/free.ts"
import { modelTokens } from "./contracts/modelTokens.ts"
import { perRequest } from "./contracts/perRequest.ts"
import { perTask } from "./contracts/perTask.ts"
import { perToken } from "./contracts/perToken.ts"
import { reportedCost } from "./contracts/reportedCost.ts"
import { responseCount } from "./contracts/responseCount.ts"
import { type BigMicroUsd, formatUsd, nano, type NanoUsd } from "../Money.ts"
import * as Option from "effect/Option"
import { ceilNano, nearestMicro, nearestNano } from "./exact.ts"
import type { Evidence } from "./evidence.ts"

type Contracts = { readonly [C in Price["contract"]]: PriceContract<PriceOf<C>, Price> }

export const contracts: Contracts = {
  free,
  per_request: perRequest,
  per_task: perTask,
  response_count: responseCount,
  per_token: perToken,
  answer_field: answerField,
  body_code: bodyCode,
  model_tokens: modelTokens,
  reported_cost: reportedCost
}

/** The contract of a price, which answers everything about it. */
export const contractOf = <C extends Price["contract"]>(price: {
  readonly contract: C
}): PriceContract<PriceOf<C>, Price> => contracts[price.contract]

interface QuotedFor {
  readonly multiplier?: Multiplier
  readonly model?: string | undefined
}

/** Describes in words how a price is calculated, for anybody or for one account. */
export const basis = (price: Price, { model, multiplier }: QuotedFor = {}): string => {
  const times = multiplier === undefined ? "" : `, times ${formatUsd(nano(multiplier * 1000n))} for this account`
  return contractOf(price).basis(price, times, model)
}

export interface Estimate {
  readonly likely: NanoUsd
  readonly most: NanoUsd
  /** The expected number of tokens, input and output together, where the price depends on it. */
  readonly tokens?: number
  /** The field by which the upstream may read more than the request holds. The most is then all that the model can read. */
  readonly reads?: string
}

/**
 * `none` if the operation or the model has no price. The model is `named`, or else the one in the request. `limit` replaces
 * the request's own limit of the output.
 */
export const estimate = (
  price: Price,
  request: unknown,
  multiplier: Multiplier = one,
  named?: string,
  limit?: number
): Option.Option<Estimate> => {
  const costs = contractOf(price).estimate(price, request, named, limit)
  if (costs === undefined) return Option.none()
  const likely = ceilNano(costs.likely * multiplier)
  const most = ceilNano(costs.most * multiplier)
  return Option.some({ ...costs, likely, most })
}

export interface Settlement {
  /** The list price, before the multiplier. */
  readonly value: BigMicroUsd
  readonly charged: BigMicroUsd
  /** The charge in nano-USD, not rounded to micro-USD. */
  readonly chargedNano: NanoUsd
}

/**
 * Calculates the charge from the evidence and rounds it once. A price that depends on the request is resolved before. `none` if the
 * price is pending or the evidence is of another kind than the price needs.
 */
export const settle = (price: Price, evidence: Evidence, multiplier: Multiplier = one): Option.Option<Settlement> => {
  const amount = evidence.kind === "failed" ? 0n : contractOf(price).settle(price, evidence)
  if (amount === undefined) return Option.none()
  const exact = amount * multiplier
  const charged = nearestMicro(exact)
  return Option.some({
    value: multiplier === one ? charged : nearestMicro(amount * one),
    charged,
    chargedNano: nearestNano(exact)
  })
}

/** The operator's terms for answers that are kept. */
export interface CacheTerms {
  /** How long an answer may be used again. */
  readonly seconds: number
  /** The part of the first call's list price that a hit costs. Zero: nothing. */
  readonly share: Multiplier
}

/** The evidence of a call that got a kept answer. */
export interface CachedEvidence {
  readonly kind: "kept"
  /** The request id of the call whose answer it is. */
  readonly call: string
  /** In millionths, as digits. */
  readonly share: string
  /** Seconds since the answer was kept. */
  readonly age: number
  /** What the first call was charged by. */
  readonly of: Evidence
}

/** What a hit costs. `list` is the list price of the first call; the amount is rounded once. */
export const settleCached = (list: NanoUsd, share: Multiplier, multiplier: Multiplier = one): Settlement => {
  const charged = list * share * multiplier
  return {
    value: nearestMicro(list * share * one),
    charged: nearestMicro(charged),
    chargedNano: nearestNano(charged)
  }
}
