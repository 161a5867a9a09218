import { type Input, isQuotable, type Operation } from "@tollgate/contract/Operation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { BudgetExceeded } from "../errors/errors.ts"
import type * as Hold from "./Hold.ts"
import type { Invocation } from "./Invocation.ts"
import { memoryFor, Resumed, type Terms } from "./memory.ts"
import type { QuoteErrorOf } from "./quote.ts"
import { callersTerms } from "./terms.ts"

/** A budget, with how a call gets a hold on it: `withBudget` brings that, so it is in no bundle that sets no budget. */
export interface Budget extends Hold.Budget {
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
export const withinBudgets = <O extends Operation, A, E extends Hold.Unsettled>(
  invocation: Invocation<O>,
  input: Input<O>,
  call: (terms: Terms) => Effect.Effect<A, E>
): Effect.Effect<Hold.Spent<A>, E | QuoteErrorOf<O> | BudgetExceeded> =>
  Effect.withFiber((fiber) => {
    const { leftMillis, operation, trace } = invocation
    const within = (terms: Terms): Effect.Effect<Hold.Spent<A>, E | BudgetExceeded> => {
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
