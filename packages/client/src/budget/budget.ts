import { nano, toMicros } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import { Budgets } from "../call/budget.ts"
import { type AnyPromiseClient, isPromiseClient, onClient } from "../promises/onClient.ts"

/** What has become of a budget, in whole micro-USD. */
export interface BudgetReport {
  /** What calls have cost. */
  readonly spent: number
  /** The maximum of calls under way, and of those whose cost is not known. */
  readonly reserved: number
  /** What the next call may cost, under all budgets in force. */
  readonly left: number
}

const report = Effect.map(Budgets, (budgets): BudgetReport | undefined => {
  const budget = budgets.at(-1)
  if (budget === undefined) return undefined
  const left = budgets.map(({ left }) => left).reduce((least, left) => (left < least ? left : least))
  return {
    spent: toMicros(nano(budget.spent)),
    reserved: toMicros(nano(budget.amount - budget.spent - budget.left)),
    // Of a fraction of a micro-USD nothing can be paid.
    left: toMicros(nano(left < 0n ? 0n : left - (left % 1_000n)))
  }
})

/** What the innermost budget in force has spent, reserved and left: `yield* budget()`. Undefined without one. */
export function budget(): Effect.Effect<BudgetReport | undefined>
/** With promises: `await budget(tollgate.withBudget("1.00"))`. */
export function budget(client: AnyPromiseClient): Promise<BudgetReport | undefined>
export function budget(client?: AnyPromiseClient): unknown {
  if (client === undefined) return report
  if (!isPromiseClient(client)) throw new TypeError("Pass a client from createClient")
  return client[onClient](() => report)(undefined as never)
}
