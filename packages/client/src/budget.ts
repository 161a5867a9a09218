import { formatUsd, fromMicros, type NanoUsd, nano, parseUsd } from "@tollgate/contract/Money"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Answered } from "./attempt.ts"
import { BudgetExceeded, InputInvalid } from "./errors.ts"

interface Purse {
  left: bigint
}

/** The budgets that calls are held against, the outermost first. */
export const Purses = Context.Reference<ReadonlyArray<Purse>>("@tollgate/client/Purses", { defaultValue: () => [] })

/**
 * Lets a program spend this many USD in all, whatever it calls and however much of it at once: `withBudget("1.00")`.
 *
 * Each call that costs is quoted first, which is one more request, free of charge. Where the most it can cost is not left,
 * it fails with `BudgetExceeded` and is not made. What the answer says was charged is taken; where it does not say, or the
 * outcome is unknown, the most is. Budgets may be nested: a call must fit into all of them.
 */
export const withBudget =
  (usd: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | InputInvalid, R> =>
    Effect.suspend((): Effect.Effect<A, E | InputInvalid, R> => {
      const amount = parseUsd(usd)
      return Option.isNone(amount)
        ? Effect.fail(
            new InputInvalid({
              operation: "withBudget",
              message: "A budget is a decimal amount of USD with up to nine decimals",
              outcome: "not executed"
            })
          )
        : Effect.updateService(effect, Purses, (purses) => [...purses, { left: amount.value }])
    })

const spentOf = (charge: Charge | undefined, most: NanoUsd): bigint => {
  if (charge?.state === "none") return 0n
  const isKnown = charge?.state === "settled" || charge?.state === "estimated"
  return isKnown && charge.micros !== undefined ? fromMicros(charge.micros) : most
}

/** Makes the call if the most that it can cost is left, and takes what it did cost. */
export const spend = <A, E extends { readonly outcome: Outcome; readonly charge?: Charge }>(
  purses: ReadonlyArray<Purse>,
  operation: string,
  most: NanoUsd,
  call: Effect.Effect<Answered<A>, E>
): Effect.Effect<Answered<A>, E | BudgetExceeded> =>
  Effect.suspend((): Effect.Effect<Answered<A>, E | BudgetExceeded> => {
    const left = purses.reduce((least, purse) => (purse.left < least ? purse.left : least), purses[0]?.left ?? 0n)
    if (most > left) {
      const amounts = { most: formatUsd(most), left: formatUsd(nano(left)) }
      const message = `The call can cost up to ${amounts.most} USD, and ${amounts.left} USD of the budget are left`
      return Effect.fail(new BudgetExceeded({ operation, message, outcome: "not executed", ...amounts }))
    }
    const take = (amount: bigint) => {
      for (const purse of purses) purse.left -= amount
    }
    // Taken before the call, so that calls at the same time do not count on the same money; an interrupted one keeps it.
    take(most)
    const settle = (spent: bigint) => Effect.sync(() => take(spent - most))
    return call.pipe(
      // A stored answer was charged for when it was made, by a call whose own answer may not have been seen.
      Effect.tap(({ charge, replayed }) => settle(replayed ? most : spentOf(charge, most))),
      Effect.tapError((error) => settle(error.outcome === "not executed" ? 0n : spentOf(error.charge, most)))
    )
  })
