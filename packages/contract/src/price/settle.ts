import * as Option from "effect/Option"
import { type BigMicroUsd, type NanoUsd, zero } from "../Money.ts"
import type { Evidence, TokenUsage } from "./evidence.ts"
import { nearestMicro, nearestNano, perMillion, times, whole } from "../internal/exact.ts"
import { type ModelPrice, type Multiplier, one, type Price } from "./Price.ts"
import { promptTokens, ratesFor } from "./promptLength.ts"

export interface Settlement {
  /** The list price, before the multiplier. */
  readonly value: BigMicroUsd
  readonly charged: BigMicroUsd
  /** The charge in nano-USD, not rounded to micro-USD. */
  readonly chargedNano: NanoUsd
}

const modelExact = (price: ModelPrice, usage: TokenUsage): bigint => {
  const rates = ratesFor(price, promptTokens(usage))
  return (
    perMillion(rates.input, usage.input) +
    perMillion(rates.output, usage.output) +
    perMillion(rates.cacheRead, usage.cacheRead) +
    perMillion(rates.cacheWrite, usage.cacheWrite)
  )
}

/** `none` if the price is pending or the evidence is of another kind than the price needs. */
const exact = (price: Price, evidence: Evidence): Option.Option<bigint> => {
  if (evidence.kind === "failed") return Option.some(0n)
  switch (price.contract) {
    case "free":
      return Option.some(0n)
    case "per_request":
      return price.amount === "pending" ? Option.none() : Option.some(whole(price.amount, 1))
    case "per_token":
      return price.perMillion === "pending" || evidence.kind !== "tokens"
        ? Option.none()
        : Option.some(perMillion(price.perMillion, evidence.total))
    case "model_tokens": {
      const model =
        evidence.kind === "model" && Object.hasOwn(price.models, evidence.model)
          ? price.models[evidence.model]
          : undefined
      return model === undefined || evidence.kind !== "model"
        ? Option.none()
        : Option.some(modelExact(model, evidence.usage))
    }
    case "response_count":
      return price.perItem === "pending" || evidence.kind !== "items"
        ? Option.none()
        : Option.some(whole(price.perItem, evidence.count))
    case "answer_field":
      return price.perUnit === "pending" || evidence.kind !== "units"
        ? Option.none()
        : Option.some(whole(price.perUnit, evidence.count))
    case "body_code":
      return price.amount === "pending" || evidence.kind !== "code"
        ? Option.none()
        : Option.some(evidence.value === price.equals ? whole(price.amount, 1) : 0n)
    case "per_task":
      if (price.amount === "pending" || evidence.kind !== "task") return Option.none()
      if (evidence.status === "SUCCEEDED") return Option.some(whole(price.amount, 1))
      return Option.some(evidence.status === "CANCELED" ? whole(evidence.reported ?? zero, 1) : 0n)
  }
}

/** Calculates the charge from the evidence and rounds it once. A price that depends on the request is resolved before. */
export const settle = (price: Price, evidence: Evidence, multiplier: Multiplier = one): Option.Option<Settlement> =>
  Option.map(exact(price, evidence), (amount) => {
    const charged = times(amount, multiplier)
    return {
      value: nearestMicro(times(amount, one)),
      charged: nearestMicro(charged),
      chargedNano: nearestNano(charged)
    }
  })
