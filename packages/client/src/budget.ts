import { formatUsd, fromMicros, type NanoUsd, nano, parseUsd } from "@tollgate/contract/Money"
import { type Bound, type Failure, type Input, isQuotable, type Operation } from "@tollgate/contract/Operation"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Client } from "./Client.ts"
import { BudgetExceeded, type ClientError, InputInvalid } from "./errors.ts"
import { ask } from "./quote.ts"
import * as Terms from "./terms.ts"

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

/** What was made, and how to say what it cost. Where nobody can say, it is the most. */
export interface Spent<A> {
  readonly value: A
  readonly settle: (charge: Charge | undefined) => void
}

/** Makes the call if the most that it can cost is left; that much is taken until it is settled. */
const spend = <A, E extends { readonly outcome: Outcome; readonly charge?: Charge }>(
  purses: ReadonlyArray<Purse>,
  operation: string,
  most: NanoUsd,
  call: Effect.Effect<A, E>
): Effect.Effect<Spent<A>, E | BudgetExceeded> =>
  Effect.suspend((): Effect.Effect<Spent<A>, E | BudgetExceeded> => {
    const left = purses.reduce((least, purse) => (purse.left < least ? purse.left : least), purses[0]?.left ?? 0n)
    if (most > left) {
      const amounts = { most: formatUsd(most), left: formatUsd(nano(left)) }
      const message = `The call can cost up to ${amounts.most} USD, and ${amounts.left} USD of the budget are left`
      return Effect.fail(new BudgetExceeded({ operation, message, outcome: "not executed", ...amounts }))
    }
    let taken = 0n
    /** In all, whatever was taken before. */
    const take = (amount: bigint) => {
      for (const purse of purses) purse.left -= amount - taken
      taken = amount
    }
    // Taken before the call, so that calls at the same time do not count on the same money; an interrupted one keeps it.
    take(most)
    return call.pipe(
      Effect.map((value) => ({ value, settle: (charge: Charge | undefined) => take(spentOf(charge, most)) })),
      Effect.tapError((error) =>
        Effect.sync(() => take(error.outcome === "not executed" ? 0n : spentOf(error.charge, most)))
      )
    )
  })

const unbudgeted = () => {}

/** Makes a call that costs under the terms that its caller has set and, where there are budgets, within them. */
export const within = Effect.fnUntraced(function* <
  O extends Operation,
  A,
  E extends { readonly outcome: Outcome; readonly charge?: Charge }
>(
  client: Client["Service"],
  operation: Bound<O>,
  input: Input<O>,
  call: (terms: Terms.Terms) => Effect.Effect<A, E>
): Effect.fn.Return<Spent<A>, E | Failure<O> | ClientError | BudgetExceeded> {
  const terms = yield* Terms.of(client, operation)
  const purses = yield* Purses
  if (purses.length === 0 || !isQuotable(operation)) return { value: yield* call(terms), settle: unbudgeted }
  const most = fromMicros((yield* ask(client, operation, input)).max_micros_usd)
  // The quote is the cap as well: prices may change between the two requests, and the budget must hold.
  const cap = terms.cap !== undefined && terms.cap < most ? terms.cap : most
  return yield* spend(purses, operation.id, most, call({ ...terms, cap }))
})
