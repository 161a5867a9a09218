import { fromMicros, type NanoUsd, nano, parseUsd, toMicros } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Option from "effect/Option"

/** What several calls have cost together, and what they may still cost. */
export interface Spending {
  /** Its state is that of the least certain charge; `micros` is the sum of those that are known. */
  readonly total: Charge
  /** Undefined without a limit. */
  readonly left: NanoUsd | undefined
}

const fromCertain = ["none", "settled", "estimated", "pending", "unknown"] as const

/** Undefined if the limit is not a decimal amount of USD. */
export const begin = (limit: string | undefined): Spending | undefined => {
  const left = limit === undefined ? undefined : Option.getOrUndefined(parseUsd(limit))
  return limit !== undefined && left === undefined ? undefined : { total: { state: "none" }, left }
}

/** The amount of a charge, if it is known. */
export const amountOf = ({ micros, state }: Charge): NanoUsd | undefined => {
  if (state === "none") return nano(0n)
  return (state === "settled" || state === "estimated") && micros !== undefined ? fromMicros(micros) : undefined
}

/** Adds a charge. `most` is taken from what is left if the amount is unknown. */
export const add = ({ left, total }: Spending, charge: Charge, most: NanoUsd = left ?? nano(0n)): Spending => {
  const amount = amountOf(charge)
  const known = amount ?? nano(0n)
  const sum = nano((total.micros === undefined ? 0n : fromMicros(total.micros)) + known)
  const taken = amount ?? most
  const states = fromCertain.filter((state) => state === total.state || state === charge.state)
  return {
    total: { state: states.at(-1) ?? "unknown", micros: toMicros(sum) },
    left: left === undefined ? undefined : nano(taken > left ? 0n : left - taken)
  }
}
