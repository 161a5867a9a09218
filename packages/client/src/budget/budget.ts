import { type Amount, amountOf, nano, toMicros } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import { Budgets } from "../call/budget.ts"
import { type AnyPromiseClient, isPromiseClient, onClient } from "../promises/runner.ts"
import * as Exit from "effect/Exit"
import { type Budget, type BudgetReservation, type Line, payable } from "../call/BudgetReservation.ts"

/** What has become of a budget, in USD. */
export interface BudgetReport {
  /** What calls have cost. */
  readonly spent: Amount
  /** The maximum of calls under way, and of those whose cost is not known. */
  readonly reserved: Amount
  /** What the next call may cost, under all budgets in force. */
  readonly left: Amount
}

/** The gateway is asked again what it did not tell: the first question may have overtaken its call. */
const askAgain = Effect.tap(Budgets, (budgets) =>
  Effect.forEach(budgets.at(-1)?.unsettled.values() ?? [], ({ learn }) => Effect.forkDetach(learn), { discard: true })
)

const report = Effect.map(askAgain, (budgets): BudgetReport | undefined => {
  const budget = budgets.at(-1)
  if (budget === undefined) return undefined
  const left = budgets.map(({ left }) => left).reduce((least, left) => (left < least ? left : least))
  return {
    spent: amountOf(toMicros(nano(budget.spent))),
    reserved: amountOf(toMicros(nano(budget.amount - budget.spent - budget.left))),
    left: payable(left)
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

interface Waiting {
  readonly hold: BudgetReservation
  readonly tell: (isTaken: boolean) => void
}

/**
 * Lets calls that do not fit while others are under way wait until these have ended: `withBudget("1.00", { wait })`. They wait
 * in the order in which they were made and within their `timeout`, and fail as soon as the budget can never pay them.
 */
export const wait = (): Line => {
  // One that does not fit yet holds nothing, and lets those pass that need none of the budgets that it waits for.
  let waiting: ReadonlyArray<Waiting> = []
  /** Of calls under way. */
  const active = new Set<BudgetReservation>()

  /** Even if all calls under way cost nothing, the call cannot be paid. */
  const isNever = (budget: Budget, most: bigint): boolean => {
    let possible = budget.left
    for (const hold of active) if (hold.budgets.includes(budget)) possible += hold.most
    return budget.line === undefined || possible < most
  }

  const serve = () => {
    const awaited = new Set<Budget>()
    const told: Array<() => void> = []
    waiting = waiting.filter(({ hold, tell }) => {
      const { budgets, most } = hold
      const short = budgets.filter(({ left }) => left < most)
      if (short.some((budget) => isNever(budget, most))) {
        told.push(() => tell(false))
        return false
      }
      if (short.length === 0 && !budgets.some((budget) => awaited.has(budget))) {
        hold.take()
        active.add(hold)
        told.push(() => tell(true))
        return false
      }
      for (const budget of short) awaited.add(budget)
      return true
    })
    for (const tell of told) tell()
  }

  const turnOf = (hold: BudgetReservation): Effect.Effect<boolean> =>
    Effect.callback((resume) => {
      const one: Waiting = { hold, tell: (isTaken) => resume(Exit.succeed(isTaken)) }
      waiting = [...waiting, one]
      serve()
      return Effect.sync(() => {
        waiting = waiting.filter((other) => other !== one)
        serve()
      })
    })

  const ended = (hold: BudgetReservation) => {
    active.delete(hold)
    serve()
  }

  return {
    ended,
    within: <A, E, X>(
      hold: BudgetReservation,
      millis: number,
      call: Effect.Effect<A, E>,
      exceeded: Effect.Effect<never, X>
    ) =>
      Effect.suspend(() => {
        let isMade = false
        const made = Effect.suspend(() => {
          isMade = true
          return call
        })
        /** Its turn may come at the moment at which it stops waiting. */
        const release = Effect.sync(() => {
          if (!isMade && hold.isTaken()) hold.settle({ state: "none" })
        })
        const turn = Effect.timeoutOrElse(turnOf(hold), { duration: millis, orElse: () => Effect.as(release, false) })
        return Effect.flatMap(turn, (isTaken): Effect.Effect<A, E | X> => (isTaken ? made : exceeded)).pipe(
          Effect.onInterrupt(() => release)
        )
      })
  }
}
