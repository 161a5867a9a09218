import { Settings } from "../options/settings.ts"
import { type Input, isQuotable, type Operation } from "@tollgate/contract/Operation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type BudgetExceeded, inputInvalid, type InputInvalid } from "../errors/errors.ts"
import * as BudgetReservation from "./BudgetReservation.ts"
import type { Invocation } from "./Invocation.ts"
import { memoryFor, Resumed, type Terms } from "./memory.ts"
import { ask, type QuoteErrorOf } from "./quote.ts"
import { callersTerms } from "./terms.ts"
import { fromMicros, parseUsd } from "@tollgate/contract/Money"
import * as Option from "effect/Option"

/** A budget, with how a call gets a hold on it: `withBudget` brings that, so it is in no bundle that sets no budget. */
interface Budget extends BudgetReservation.Budget {
  readonly hold: <O extends Operation>(
    invocation: Invocation<O>,
    input: Input<O>,
    budgets: ReadonlyArray<Budget>,
    terms: Terms
  ) => Effect.Effect<Terms, QuoteErrorOf<O>>
}

/** The budgets in force, the outermost first. */
export const Budgets = Context.Reference<ReadonlyArray<Budget>>("@tollgate/client/Budgets", {
  defaultValue: () => []
})

const unbudgeted = () => {}

/** Makes a billed call with the caller's idempotency key and cap, within the budgets in force. */
export const withinBudgets = <O extends Operation, A, E extends BudgetReservation.Unsettled>(
  invocation: Invocation<O>,
  input: Input<O>,
  call: (terms: Terms) => Effect.Effect<A, E>
): Effect.Effect<BudgetReservation.Spent<A>, E | QuoteErrorOf<O> | BudgetExceeded> =>
  Effect.withFiber((fiber) => {
    const { leftMillis, operation, trace } = invocation
    const within = (terms: Terms): Effect.Effect<BudgetReservation.Spent<A>, E | BudgetExceeded> => {
      if (trace !== undefined) Object.assign(trace, { idempotencyKey: terms.key, memory: memoryFor(invocation, terms) })
      return terms.hold === undefined
        ? Effect.map(call(terms), (value) => ({ value, settle: unbudgeted, end: undefined }))
        : terms.hold.spend(call(terms), { operation: operation.id, leftMillis, isResumed: terms.resumed !== undefined })
    }
    const resumed = fiber.getRef(Resumed)
    if (resumed !== undefined) return within(resumed)
    const budgets = fiber.getRef(Budgets)
    const [budget] = budgets
    const own = callersTerms(invocation)
    return budget === undefined || !isQuotable(operation)
      ? Effect.flatMap(own, within)
      : own.pipe(
          Effect.flatMap((terms) => budget.hold(invocation, input, budgets, terms)),
          Effect.flatMap(within)
        )
  })

/** The caller's terms, with a hold on the budgets. */
const held: Budget["hold"] = (invocation, input, budgets, terms) =>
  Effect.map(ask({ ...invocation, trace: undefined }, input), ({ max_micros_usd }): Terms => {
    const most = fromMicros(max_micros_usd)
    // The quote is the cap as well: prices may change between the two requests, and the budget must hold.
    const cap = terms.cap !== undefined && terms.cap < most ? terms.cap : most
    return { ...terms, cap, hold: BudgetReservation.make(budgets, most) }
  })

export interface BudgetOptions {
  /** `wait` of `@tollgate/client/budget`: calls wait for money that others have reserved. Default: they fail at once. */
  readonly wait?: () => BudgetReservation.Line
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
              hold: held,
              line: wait && (BudgetReservation.lineOf(budgets) ?? wait())
            }
          ])
    })

const groups = new WeakMap<object, WeakMap<object, symbol>>()

/**
 * The same value for callers whose calls have the same budgets and settings. A resolver that makes one call for several
 * callers groups them by it; otherwise the budget of one would pay for another.
 */
export const termsGroup = (context: Context.Context<never>): symbol => {
  const budgets = Context.get(context, Budgets)
  const settings = Context.get(context, Settings)
  const bySettings = groups.get(budgets) ?? new WeakMap<object, symbol>()
  const group = bySettings.get(settings) ?? Symbol("@tollgate/client/termsGroup")
  groups.set(budgets, bySettings.set(settings, group))
  return group
}
