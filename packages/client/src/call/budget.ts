import { Settings } from "../options/settings.ts"
import { type Input, isQuotable, type Operation } from "@tollgate/contract/Operation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type BudgetExceeded, inputInvalid, type InputInvalid } from "../errors/errors.ts"
import * as BudgetReservation from "./BudgetReservation.ts"
import { askCharge } from "./chargeOfKey.ts"
import type { Invocation } from "./Invocation.ts"
import { memoryFor, Resumed, type Terms } from "./memory.ts"
import { ask, type QuoteErrorOf } from "./quote.ts"
import { callersTerms } from "./terms.ts"
import { fromMicros, type NanoUsd, parseAmount, type Usd } from "@tollgate/contract/Money"
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

const unbudgeted = {
  settle: () => {},
  leave: (ask: Effect.Effect<unknown>): Effect.Effect<void> => Effect.asVoid(ask)
}

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
      const { hold } = terms
      if (hold === undefined) return Effect.map(call(terms), (value) => ({ value, ...unbudgeted }))
      const isSecond = terms.resumed !== undefined || hold.isTaken()
      const isResumed = () => isSecond || invocation.mayHaveRun === true
      const isUnsent = () => invocation.isSent !== true && !isResumed()
      return hold.spend(call(terms), { operation: operation.id, leftMillis, isResumed, isUnsent })
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

const least = (cap: NanoUsd | undefined, most: NanoUsd) => (cap !== undefined && cap < most ? cap : most)

/** The caller's terms, with a hold on the budgets. A call that goes on with one that was left has the hold of that one. */
const held: Budget["hold"] = (invocation, input, budgets, terms) => {
  const { cap, key } = terms
  // What is held is the cap as well: prices may change between the two requests, and the budget must hold.
  const capped = (hold: BudgetReservation.BudgetReservation): Terms => ({
    ...terms,
    hold,
    cap: least(cap, hold.most)
  })
  const left = key === undefined ? undefined : budgets.at(-1)?.unsettled.get(key)
  return left === undefined
    ? Effect.map(ask({ ...invocation, trace: undefined }, input), ({ max }) =>
        capped(
          BudgetReservation.make(budgets, least(cap, fromMicros(max.micros)), key, askCharge(invocation, input, key)())
        )
      )
    : Effect.succeed(capped(left.hold))
}

export interface BudgetOptions {
  /** `wait` of `@tollgate/client/budget`: calls wait for money that others have reserved. Default: they fail at once. */
  readonly wait?: (() => BudgetReservation.Line) | undefined
}

/**
 * Limits what a program may spend in total, in USD: `withBudget("1.00")`. Concurrent calls share it.
 *
 * Each billed call is quoted first, with one more request that is free. If its maximum price exceeds what is left, the call
 * is not sent and fails with `BudgetExceeded`. The charge in the answer is deducted. Of a call that was left the client asks for the
 * charge, and the maximum is deducted until it knows it. Budgets may be nested: a call must fit into all of them. With the option `wait` calls wait for
 * money that others have reserved.
 */
export const withBudget =
  (usd: Usd, { wait }: BudgetOptions = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | InputInvalid, R> =>
    Effect.suspend((): Effect.Effect<A, E | InputInvalid, R> => {
      const amount = parseAmount(usd)
      return Option.isNone(amount)
        ? Effect.fail(inputInvalid("withBudget", 'A budget is decimal USD, such as "0.50", or { micros }'))
        : Effect.updateService(effect, Budgets, (budgets) => [
            ...budgets,
            {
              amount: amount.value,
              left: amount.value,
              spent: 0n,
              unsettled: new Map(),
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
