import * as Option from "effect/Option"
import type { BigMicroUsd, NanoUsd } from "../Money.ts"
import { contractOf } from "./contracts.ts"
import type { Evidence } from "./evidence.ts"
import { nearestMicro, nearestNano, times } from "./exact.ts"
import { type Multiplier, one, type Price } from "./Price.ts"

export interface Settlement {
  /** The list price, before the multiplier. */
  readonly value: BigMicroUsd
  readonly charged: BigMicroUsd
  /** The charge in nano-USD, not rounded to micro-USD. */
  readonly chargedNano: NanoUsd
}

/** `none` if the price is pending or the evidence is of another kind than the price needs. */
const costOf = (price: Price, evidence: Evidence): Option.Option<bigint> =>
  evidence.kind === "failed" ? Option.some(0n) : Option.fromUndefinedOr(contractOf(price).settle(price, evidence))

/** Calculates the charge from the evidence and rounds it once. A price that depends on the request is resolved before. */
export const settle = (price: Price, evidence: Evidence, multiplier: Multiplier = one): Option.Option<Settlement> =>
  Option.map(costOf(price, evidence), (amount) => {
    const exact = times(amount, multiplier)
    const charged = nearestMicro(exact)
    return {
      value: multiplier === one ? charged : nearestMicro(times(amount, one)),
      charged,
      chargedNano: nearestNano(exact)
    }
  })
