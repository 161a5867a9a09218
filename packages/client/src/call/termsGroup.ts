import * as Context from "effect/Context"
import { Settings } from "../options/settings.ts"
import { Budgets } from "./budget.ts"

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
