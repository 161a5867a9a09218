import { formatUsd, fromMicros, nano, parseUsd } from "@tollgate/contract/Money"
import { type Input, isQuotable, type Operation } from "@tollgate/contract/Operation"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { BudgetExceeded, type InputInvalid, inputInvalid } from "../errors/errors.ts"
import * as Hold from "./Hold.ts"
import type { Invocation } from "./Invocation.ts"
import { memoryFor, Resumed, type Terms } from "./memory.ts"
import { ask, type QuoteErrorOf } from "./quote.ts"
import { callersTerms } from "./terms.ts"

/** The budgets in force, the outermost first. */
export const Budgets = Context.Reference<ReadonlyArray<Hold.Budget>>("@tollgate/client/Budgets", {
  defaultValue: () => []
})

export interface BudgetOptions {
  /** `wait` of `@tollgate/client/budget`: calls wait for money that others have reserved. Default: they fail at once. */
  readonly wait?: () => Hold.Line
}

/**
 * Limits what a program may spend in total, in USD: `withBudget("1.00")`. Concurrent calls share it.
 *
 * Each billed call is quoted first, with one more request that is free. If its maximum price exceeds what is left, the call
 * is not sent and fails with `BudgetExceeded`. The charge in the answer is deducted, or the maximum if the charge or the
 * outcome is unknown. Budgets may be nested: a call must fit into all of them. With the option `wait` calls wait for
 * money that others have reserved.
 */
export const withBudget =
  (usd: string, { wait }: BudgetOptions = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | InputInvalid, R> =>
    Effect.suspend((): Effect.Effect<A, E | InputInvalid, R> => {
      const amount = parseUsd(usd)
      return Option.isNone(amount)
        ? Effect.fail(inputInvalid("withBudget", "A budget is a decimal amount of USD with up to nine decimals"))
        : Effect.updateService(effect, Budgets, (budgets) => [
            ...budgets,
            {
              amount: amount.value,
              left: amount.value,
              spent: 0n,
              line: wait && (Hold.lineOf(budgets) ?? wait())
            }
          ])
    })

/** The result of a call, and the function that settles its cost. Without a known charge the maximum is deducted. */
export interface Spent<A> {
  readonly value: A
  readonly settle: (charge: Charge | undefined) => void
  /** Tells calls that wait that a stream has ended, settled or not. Undefined if none can wait. */
  readonly end: (() => void) | undefined
}

type Unsettled = { readonly outcome: Outcome; readonly charge?: Charge }

const free: Charge = { state: "none" }

/** Makes the call if its maximum price is left in every budget, and holds that amount until the cost is settled. */
const spend = <A, E extends Unsettled>(
  hold: Hold.Hold,
  { leftMillis, operation }: Invocation,
  resumed: Terms["resumed"],
  call: Effect.Effect<A, E>
): Effect.Effect<Spent<A>, E | BudgetExceeded> =>
  Effect.suspend((): Effect.Effect<Spent<A>, E | BudgetExceeded> => {
    const { budgets, left, most, settle } = hold
    const line = Hold.lineOf(budgets)
    const exceeded = () => {
      const amounts = { most: formatUsd(most), left: formatUsd(nano(left())) }
      const message = `The call can cost up to ${amounts.most} USD, and ${amounts.left} USD of the budget are left`
      return Effect.fail(new BudgetExceeded({ operation: operation.id, message, outcome: "not executed", ...amounts }))
    }
    const made = call.pipe(
      Effect.map((value) => ({ value, settle, end: line && (() => line.ended(hold)) })),
      // A resumed call that is refused says nothing of the first one.
      Effect.tapError((error) =>
        Effect.sync(() => settle(error.outcome === "not executed" && resumed === undefined ? free : error.charge))
      )
    )
    if (hold.isTaken()) return made
    if (line !== undefined) return line.within(hold, leftMillis(), made, Effect.suspend(exceeded))
    if (most > left()) return exceeded()
    // Taken before the call, so that concurrent calls do not spend the same money. An interrupted call keeps it.
    hold.take()
    return made
  })

const unbudgeted = () => {}

/** The caller's terms, with a hold on the budgets. */
const held = <O extends Operation>(
  invocation: Invocation<O>,
  input: Input<O>,
  budgets: ReadonlyArray<Hold.Budget>,
  terms: Terms
) =>
  Effect.map(ask({ ...invocation, trace: undefined }, input), ({ max_micros_usd }): Terms => {
    const most = fromMicros(max_micros_usd)
    // The quote is the cap as well: prices may change between the two requests, and the budget must hold.
    const cap = terms.cap !== undefined && terms.cap < most ? terms.cap : most
    return { ...terms, cap, hold: Hold.make(budgets, most) }
  })

/** Makes a billed call with the caller's idempotency key and cap, within the budgets in force. */
export const withinBudgets = <O extends Operation, A, E extends Unsettled>(
  invocation: Invocation<O>,
  input: Input<O>,
  call: (terms: Terms) => Effect.Effect<A, E>
): Effect.Effect<Spent<A>, E | QuoteErrorOf<O> | BudgetExceeded> =>
  Effect.withFiber((fiber) => {
    const { operation, trace } = invocation
    const within = (terms: Terms): Effect.Effect<Spent<A>, E | BudgetExceeded> => {
      if (trace !== undefined) Object.assign(trace, { idempotencyKey: terms.key, memory: memoryFor(invocation, terms) })
      return terms.hold === undefined
        ? Effect.map(call(terms), (value) => ({ value, settle: unbudgeted, end: undefined }))
        : spend(terms.hold, invocation, terms.resumed, call(terms))
    }
    const resumed = fiber.getRef(Resumed)
    if (resumed !== undefined) return within(resumed)
    const budgets = fiber.getRef(Budgets)
    const own = callersTerms(invocation)
    return budgets.length === 0 || !isQuotable(operation)
      ? Effect.flatMap(own, within)
      : own.pipe(
          Effect.flatMap((terms) => held(invocation, input, budgets, terms)),
          Effect.flatMap(within)
        )
  })
