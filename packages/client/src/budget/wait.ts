import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Budget, type Hold, type Line } from "../call/Hold.ts"

interface Waiting {
  readonly hold: Hold
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
  const active = new Set<Hold>()

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

  const turnOf = (hold: Hold): Effect.Effect<boolean> =>
    Effect.callback((resume) => {
      const one: Waiting = { hold, tell: (isTaken) => resume(Exit.succeed(isTaken)) }
      waiting = [...waiting, one]
      serve()
      return Effect.sync(() => {
        waiting = waiting.filter((other) => other !== one)
        serve()
      })
    })

  const ended = (hold: Hold) => {
    active.delete(hold)
    serve()
  }

  return {
    ended,
    within: <A, E, X>(hold: Hold, millis: number, call: Effect.Effect<A, E>, exceeded: Effect.Effect<never, X>) =>
      Effect.suspend(() => {
        let isMade = false
        const made = Effect.suspend(() => {
          isMade = true
          return call
        })
        /** Its turn may come at the moment at which it stops waiting. */
        const release = Effect.sync(() => {
          if (!isMade && hold.isTaken()) hold.settle({ state: "none" })
          // It may have run, so its maximum stays taken, and nobody can hope for it.
          else if (isMade) ended(hold)
        })
        const turn = Effect.timeoutOrElse(turnOf(hold), { duration: millis, orElse: () => Effect.as(release, false) })
        return Effect.flatMap(turn, (isTaken): Effect.Effect<A, E | X> => (isTaken ? made : exceeded)).pipe(
          Effect.onInterrupt(() => release)
        )
      })
  }
}
