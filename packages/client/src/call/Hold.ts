import { fromMicros, type NanoUsd } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import type * as Effect from "effect/Effect"

export interface Budget {
  readonly amount: bigint
  /** What is neither spent nor reserved. */
  left: bigint
  spent: bigint
  /** Where calls wait for money that is reserved. Undefined if they do not. */
  readonly line: Line | undefined
}

export interface Line {
  /** Makes the call when it is its turn and its hold fits, or fails if that cannot be within this time. */
  readonly within: <A, E, X>(
    hold: Hold,
    millis: number,
    call: Effect.Effect<A, E>,
    exceeded: Effect.Effect<never, X>
  ) => Effect.Effect<A, E | X>
  /** The call has ended, and whatever it still holds stays taken. */
  readonly ended: (hold: Hold) => void
}

export const lineOf = (budgets: ReadonlyArray<Budget>): Line | undefined => budgets.find(({ line }) => line)?.line

const amountOf = (charge: Charge | undefined): bigint | undefined => {
  if (charge?.state === "none") return 0n
  const isKnown = charge?.state === "settled" || charge?.state === "estimated"
  return isKnown && charge.micros !== undefined ? fromMicros(charge.micros) : undefined
}

/** What one call takes from the budgets in force: at first its maximum price, and then what it cost. */
export interface Hold {
  readonly budgets: ReadonlyArray<Budget>
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
  let taken = 0n
  let spent = 0n
  const set = (amount: bigint, cost: bigint) => {
    for (const budget of budgets) {
      budget.left -= amount - taken
      budget.spent += cost - spent
    }
    taken = amount
    spent = cost
  }
  const hold: Hold = {
    budgets,
    most,
    left: () => budgets.map(({ left }) => left).reduce((least, left) => (left < least ? left : least)),
    isTaken: () => taken > 0n,
    take: () => set(most, 0n),
    settle: (charge) => {
      const amount = amountOf(charge)
      set(amount ?? most, amount ?? 0n)
      lineOf(budgets)?.ended(hold)
    }
  }
  return hold
}
