import { fromMicros, type NanoUsd } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"

export interface Budget {
  left: bigint
}

const spentOf = (charge: Charge | undefined, most: NanoUsd): bigint => {
  if (charge?.state === "none") return 0n
  const isKnown = charge?.state === "settled" || charge?.state === "estimated"
  return isKnown && charge.micros !== undefined ? fromMicros(charge.micros) : most
}

/** What one call takes from the budgets in force: at first its maximum price, and then what it cost. */
export interface Hold {
  readonly most: NanoUsd
  /** The least that any budget has left. */
  readonly left: () => bigint
  /** False again once the call has proven to cost nothing: if it is resumed, it may cost something after all. */
  readonly isTaken: () => boolean
  readonly take: () => void
  /** Without a known charge the maximum stays taken. */
  readonly settle: (charge: Charge | undefined) => void
}

export const make = (budgets: ReadonlyArray<Budget>, most: NanoUsd): Hold => {
  let taken: bigint | undefined
  const set = (amount: bigint) => {
    for (const budget of budgets) budget.left -= amount - (taken ?? 0n)
    taken = amount
  }
  return {
    most,
    left: () => budgets.reduce((least, budget) => (budget.left < least ? budget.left : least), budgets[0]?.left ?? 0n),
    isTaken: () => (taken ?? 0n) > 0n,
    take: () => set(most),
    settle: (charge) => set(spentOf(charge, most))
  }
}
