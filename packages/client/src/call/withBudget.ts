import { fromMicros, parseUsd } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type InputInvalid, inputInvalid } from "../errors/errors.ts"
import { type Budget, Budgets } from "./budget.ts"
import * as Hold from "./Hold.ts"
import type { Terms } from "./memory.ts"
import { ask } from "./quote.ts"

/** The caller's terms, with a hold on the budgets. */
const held: Budget["hold"] = (invocation, input, budgets, terms) =>
  Effect.map(ask({ ...invocation, trace: undefined }, input), ({ max_micros_usd }): Terms => {
    const most = fromMicros(max_micros_usd)
    // The quote is the cap as well: prices may change between the two requests, and the budget must hold.
    const cap = terms.cap !== undefined && terms.cap < most ? terms.cap : most
    return { ...terms, cap, hold: Hold.make(budgets, most) }
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
              hold: held,
              line: wait && (Hold.lineOf(budgets) ?? wait())
            }
          ])
    })
