import { formatUsd, fromMicros, nano, type NanoUsd } from "@tollgate/contract/Money"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import { BudgetExceeded } from "../errors/errors.ts"

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
    hold: BudgetReservation,
    millis: number,
    call: Effect.Effect<A, E>,
    exceeded: Effect.Effect<never, X>
  ) => Effect.Effect<A, E | X>
  /** The call has ended, and whatever it still holds stays taken. */
  readonly ended: (hold: BudgetReservation) => void
}

export const lineOf = (budgets: ReadonlyArray<Budget>): Line | undefined => budgets.find(({ line }) => line)?.line

const amountOf = (charge: Charge | undefined): bigint | undefined => {
  if (charge?.state === "none") return 0n
  const isKnown = charge?.state === "settled" || charge?.state === "estimated"
  return isKnown && charge.micros !== undefined ? fromMicros(charge.micros) : undefined
}

/** The result of a call, and the function that settles its cost. Without a known charge the maximum is deducted. */
export interface Spent<A> {
  readonly value: A
  readonly settle: (charge: Charge | undefined) => void
  /** Tells calls that wait that a stream has ended, settled or not. Undefined if none can wait. */
  readonly end: (() => void) | undefined
}

export type Unsettled = { readonly outcome: Outcome; readonly charge?: Charge }

interface Spending {
  readonly operation: string
  readonly leftMillis: () => number
  /** Of a resumed call the first one may have run. */
  readonly isResumed: boolean
}

/** What one call takes from the budgets in force: at first its maximum price, and then what it cost. */
export interface BudgetReservation {
  readonly budgets: ReadonlyArray<Budget>
  readonly most: NanoUsd
  /** The least that any budget has left. */
  readonly left: () => bigint
  /** False again once the call has proven to cost nothing: if it is resumed, it may cost something after all. */
  readonly isTaken: () => boolean
  readonly take: () => void
  /** Without a known charge the maximum stays taken. */
  readonly settle: (charge: Charge | undefined) => void
  /** Makes the call if its maximum price is left in every budget, and holds that amount until the cost is settled. */
  readonly spend: <A, E extends Unsettled>(
    call: Effect.Effect<A, E>,
    spending: Spending
  ) => Effect.Effect<Spent<A>, E | BudgetExceeded>
}

const free: Charge = { state: "none" }

const spend = <A, E extends Unsettled>(
  hold: BudgetReservation,
  call: Effect.Effect<A, E>,
  { isResumed, leftMillis, operation }: Spending
): Effect.Effect<Spent<A>, E | BudgetExceeded> =>
  Effect.suspend((): Effect.Effect<Spent<A>, E | BudgetExceeded> => {
    const { budgets, left, most, settle } = hold
    const line = lineOf(budgets)
    const exceeded = () => {
      const amounts = { most: formatUsd(most), left: formatUsd(nano(left())) }
      const message = `The call can cost up to ${amounts.most} USD, and ${amounts.left} USD of the budget are left`
      return Effect.fail(new BudgetExceeded({ operation, message, outcome: "not executed", ...amounts }))
    }
    const made = call.pipe(
      Effect.map((value) => ({ value, settle, end: line && (() => line.ended(hold)) })),
      // A resumed call that is refused says nothing of the first one.
      Effect.tapError((error) =>
        Effect.sync(() => settle(error.outcome === "not executed" && !isResumed ? free : error.charge))
      )
    )
    if (hold.isTaken()) return made
    if (line !== undefined) return line.within(hold, leftMillis(), made, Effect.suspend(exceeded))
    if (most > left()) return exceeded()
    // Taken before the call, so that concurrent calls do not spend the same money. An interrupted call keeps it.
    hold.take()
    return made
  })

export const make = (budgets: ReadonlyArray<Budget>, most: NanoUsd): BudgetReservation => {
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
  const hold: BudgetReservation = {
    budgets,
    most,
    left: () => budgets.map(({ left }) => left).reduce((least, left) => (left < least ? left : least)),
    isTaken: () => taken > 0n,
    take: () => set(most, 0n),
    settle: (charge) => {
      const amount = amountOf(charge)
      set(amount ?? most, amount ?? 0n)
      lineOf(budgets)?.ended(hold)
    },
    spend: (call, spending) => spend(hold, call, spending)
  }
  return hold
}
