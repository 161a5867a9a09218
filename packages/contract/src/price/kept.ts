import type { NanoUsd } from "../Money.ts"
import { nearestMicro, nearestNano } from "./exact.ts"
import type { Evidence } from "./evidence.ts"
import { type Multiplier, one } from "./Amount.ts"
import type { Settlement } from "./contracts.ts"

/** The operator's terms for answers that are kept. */
export interface KeptTerms {
  /** How long an answer may be used again. */
  readonly seconds: number
  /** The part of the first call's list price that a hit costs. Zero: nothing. */
  readonly share: Multiplier
}

/** The evidence of a call that got a kept answer. */
export interface KeptEvidence {
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
export const settleKept = (list: NanoUsd, share: Multiplier, multiplier: Multiplier = one): Settlement => {
  const charged = list * share * multiplier
  return {
    value: nearestMicro(list * share * one),
    charged: nearestMicro(charged),
    chargedNano: nearestNano(charged)
  }
}
