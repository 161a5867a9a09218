import type { Head } from "@tollgate/contract/carrier/Carrier"
import { isReplayed } from "@tollgate/contract/errors/decode"
import { type Amount, amountOf, fromMicros, nano, type NanoUsd, toMicros } from "@tollgate/contract/Money"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import { BudgetExceeded } from "../errors/errors.ts"
import { isOfKey } from "../retry/Policy.ts"

export interface Budget {
  readonly amount: bigint
  /** What is neither spent nor reserved. */
  left: bigint
  spent: bigint
  /** Where calls wait for money that is reserved. Undefined if they do not. */
  readonly line: Line | undefined
  /** Calls whose end nobody saw, by their idempotency keys. */
  readonly unsettled: Map<string, UnsettledCall>
}

interface UnsettledCall {
  readonly hold: BudgetReservation
  /** Asks for the charge, and settles it. */
  readonly learn: Effect.Effect<void>
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

const chargedBy = (charge: Charge | undefined): bigint | undefined => {
  if (charge?.state === "none") return 0n
  const isKnown = charge?.state === "settled" || charge?.state === "estimated"
  return isKnown && charge.micros !== undefined ? fromMicros(charge.micros) : undefined
}

/** Of a fraction of a micro-USD nothing can be paid. */
export const payable = (left: bigint): Amount => amountOf(toMicros(nano(left < 0n ? 0n : left - (left % 1_000n))))

/** The result of a call, and the function that settles its cost. Without a known charge the maximum is deducted. */
export interface Spent<A> {
  readonly value: A
  /** `head`: of the answer. That of an earlier call with the same key was paid by that one. */
  readonly settle: (charge: Charge | undefined, head: Pick<Head, "headers">) => void
  /** The caller left before it saw the charge. Returns the effect that learns it. */
  readonly leave: (ask: Effect.Effect<Charge | undefined>) => Effect.Effect<void>
}

export type Unsettled = { readonly outcome: Outcome; readonly charge?: Charge; readonly code?: string }

interface Spending {
  readonly operation: string
  readonly leftMillis: () => number
  /** Whether the call is resumed or sent again, and an earlier request may have run. */
  readonly isResumed: () => boolean
  readonly isUnsent: () => boolean
}

/** What one call takes from the budgets in force: at first its maximum price, and then what it cost. */
export interface BudgetReservation {
  readonly budgets: ReadonlyArray<Budget>
  readonly most: NanoUsd
  readonly ask: Effect.Effect<Charge | undefined>
  /** The least that any budget has left. */
  readonly left: () => bigint
  /** False again once the call has proven to cost nothing: if it is resumed, it may cost something after all. */
  readonly isTaken: () => boolean
  readonly take: () => void
  /** Without a known charge the maximum stays taken. */
  readonly settle: (charge: Charge | undefined) => void
  /** Its end was not seen: the maximum stays taken until the charge is learnt. Returns the effect that learns it. */
  readonly leave: (ask: Effect.Effect<Charge | undefined>) => Effect.Effect<void>
  /** Makes the call if its maximum price is left in every budget, and holds that amount until the cost is settled. */
  readonly spend: <A, E extends Unsettled>(
    call: Effect.Effect<A, E>,
    spending: Spending
  ) => Effect.Effect<Spent<A>, E | BudgetExceeded>
}

const free: Charge = { state: "none" }

const tightest = (budgets: ReadonlyArray<Budget>): Budget =>
  budgets.reduce((one, other) => (other.left < one.left ? other : one))

/** The gateway ends a call after a minute. Who asks later does so by reading the budget, or by a call that needs the money. */
const firstMillis = 500
const mostMillis = 60_000

declare const setTimeout: (work: () => void, millis: number) => number | { readonly unref?: () => void }

/** Keeps no program running. */
const pause = (millis: number) =>
  Effect.callback<void>((resume) => {
    // oxlint-disable-next-line tollgate/no-ambient -- a timer of the clock would keep the program running
    const timer = setTimeout(() => resume(Effect.void), millis)
    if (typeof timer === "object") timer.unref?.()
  })

const spend = <A, E extends Unsettled>(
  hold: BudgetReservation,
  call: Effect.Effect<A, E>,
  { isResumed, isUnsent, leftMillis, operation }: Spending
): Effect.Effect<Spent<A>, E | BudgetExceeded> =>
  Effect.suspend((): Effect.Effect<Spent<A>, E | BudgetExceeded> => {
    const { ask, budgets, leave, left, most, settle } = hold
    const line = lineOf(budgets)
    const exceeded = Effect.suspend(() => {
      const { amount, left, spent } = tightest(budgets)
      const amounts = { most: payable(most), left: payable(left) }
      const reserved = amount - spent - left
      const only =
        reserved > 0n ? `; ${payable(reserved).usd} USD are reserved by calls whose cost is not known yet` : ""
      const message = `The call can cost up to ${amounts.most.usd} USD, and ${amounts.left.usd} USD of the budget are left${only}`
      return Effect.fail(new BudgetExceeded({ operation, message, outcome: "not executed", ...amounts }))
    })
    const made = call.pipe(
      Effect.map((value): Spent<A> => {
        const isPaid = ({ headers }: Pick<Head, "headers">) => isReplayed(headers) && !isResumed()
        return { value, settle: (charge, head) => settle(isPaid(head) ? free : charge), leave }
      }),
      Effect.onInterrupt(() => (isUnsent() ? Effect.sync(() => settle(free)) : Effect.forkDetach(leave(ask)))),
      Effect.tapError((error) =>
        Effect.suspend(() => {
          const isFree = error.outcome === "not executed" || (isOfKey(error) && !isResumed())
          const charge = isFree ? free : error.charge
          // A resumed call that is refused says nothing of the first one.
          const known = isResumed() && charge?.state === "none" ? undefined : charge
          settle(known)
          return chargedBy(known) === undefined ? Effect.forkDetach(leave(ask)) : Effect.void
        })
      )
    )
    if (hold.isTaken()) return made
    const taken = Effect.suspend((): Effect.Effect<Spent<A>, E | BudgetExceeded> => {
      if (most > left()) return exceeded
      // Taken before the call, so that concurrent calls do not spend the same money. An interrupted call keeps it.
      hold.take()
      return made
    })
    const paid = line === undefined ? taken : Effect.suspend(() => line.within(hold, leftMillis(), made, exceeded))
    const unsettled = budgets.flatMap(({ unsettled }) => [...unsettled.values()])
    if (most <= left() || unsettled.length === 0) return paid
    // Calls that were left may have cost less than they hold.
    const learnt = Effect.forEach(new Set(unsettled), ({ learn }) => learn, { concurrency: "unbounded", discard: true })
    return Effect.andThen(Effect.timeoutOption(learnt, leftMillis()), paid)
  })

/** `ask` asks for the charge of the call of this key. */
export const make = (
  budgets: ReadonlyArray<Budget>,
  most: NanoUsd,
  key: string | undefined,
  ask: Effect.Effect<Charge | undefined>
): BudgetReservation => {
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
    ask,
    left: () => tightest(budgets).left,
    isTaken: () => taken > 0n,
    take: () => set(most, 0n),
    settle: (charge) => {
      const amount = chargedBy(charge)
      set(amount ?? most, amount ?? 0n)
      if (amount !== undefined && key !== undefined) for (const { unsettled } of budgets) unsettled.delete(key)
      // Its end will be asked for once the money is needed.
      else if (charge?.state === "pending") hold.leave(ask)
      lineOf(budgets)?.ended(hold)
    },
    leave: (ask) => {
      let millis = firstMillis
      let isPausing = false
      const learn: Effect.Effect<void> = Effect.flatMap(ask, (charge) => {
        // It is the last word on such a call.
        if (charge?.state === "unknown") hold.settle(free)
        else if (chargedBy(charge) !== undefined) hold.settle(charge)
        else if (charge?.state !== "pending" || millis > mostMillis) lineOf(budgets)?.ended(hold)
        else if (!isPausing) {
          isPausing = true
          const again = Effect.suspend(() => {
            isPausing = false
            return learn
          })
          const paused = pause(millis)
          millis *= 2
          return Effect.asVoid(Effect.forkDetach(Effect.andThen(paused, again)))
        }
        return Effect.void
      })
      const call = { hold, learn }
      if (key !== undefined) for (const { unsettled } of budgets) unsettled.set(key, call)
      return learn
    },
    spend: (call, spending) => spend(hold, call, spending)
  }
  return hold
}
