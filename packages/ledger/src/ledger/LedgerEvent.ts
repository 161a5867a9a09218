import type { Balances } from "./Balances.ts"
import type { Command } from "./Command.ts"
import { type Applied, chargedBy } from "./Transition.ts"

/** What to tell of. Without a `Watch` the ledger looks for nothing. */
export interface Watch {
  /** In micro-USD. A balance is told of when it falls below one of them. */
  readonly balancesBelow: ReadonlyArray<bigint>
  readonly budgets: boolean
  readonly unknownCalls: boolean
}

/** In percent. Each is told of when what was spent reaches it. */
export const budgetLevels = [80, 100] as const

/** `cause`: the call or the entry that changed the amount. */
export type LedgerEvent = { readonly at: number; readonly account: string } & (
  | { readonly type: "balance.low"; readonly balance: bigint; readonly threshold: bigint; readonly cause: string }
  | {
      readonly type: "budget.reached"
      /** The root key, which has the budget. */
      readonly key: string
      readonly percent: (typeof budgetLevels)[number]
      readonly spent: bigint
      readonly budget: bigint
      readonly cause: string
    }
  | {
      readonly type: "call.unknown"
      readonly key: string
      readonly call: string
      readonly operation: string
      readonly reserved: bigint
      readonly upstream: string | undefined
    }
)

/** Whether a command can give something to tell. The function in PostgreSQL leaves it to the rules here. */
export const mayTell = (watch: Watch | undefined, { kind }: Pick<Command, "kind">): boolean => {
  if (watch === undefined) return false
  return kind === "settle"
    ? watch.budgets || watch.balancesBelow.length > 0
    : kind === "mark_unknown" && watch.unknownCalls
}

interface Cause {
  readonly at: number
  readonly account: string
  readonly cause: string
}

/** The thresholds that a balance fell below. What was below before is not told again, so no record of it is needed. */
export const balanceEvents = (
  { balancesBelow }: Watch,
  of: Cause,
  before: bigint,
  after: bigint
): ReadonlyArray<LedgerEvent> =>
  balancesBelow.flatMap((threshold) =>
    before >= threshold && after < threshold ? [{ type: "balance.low", ...of, balance: after, threshold }] : []
  )

export interface Budget {
  readonly spent: bigint
  readonly budget: bigint | null
}

const hasReached = ({ budget, spent }: Budget, percent: number): boolean =>
  budget !== null && spent * 100n >= budget * BigInt(percent)

/** The levels that were not reached before. A budget that is raised can be reached again. */
export const budgetEvents = (
  { budgets }: Watch,
  of: Cause & { readonly key: string },
  before: Budget,
  after: Budget
): ReadonlyArray<LedgerEvent> => {
  const { budget, spent } = after
  if (!budgets || budget === null) return []
  return budgetLevels.flatMap((percent) =>
    hasReached(after, percent) && !hasReached(before, percent)
      ? [{ type: "budget.reached", ...of, percent, spent, budget }]
      : []
  )
}

const unknownEvent = ({ after, before, transition }: Applied): ReadonlyArray<LedgerEvent> => {
  if (transition.kind !== "mark_unknown") return []
  const { now: at, reservation } = transition
  const { account, amount, call, key } = reservation
  const { operation } = before
  return [{ type: "call.unknown", at, account, key, call, operation, reserved: amount, upstream: after.upstream }]
}

/** What a group of transitions gives to tell. `balances` are those after the group: it goes back from them, call by call. */
export const eventsOf = (
  watch: Watch,
  applied: ReadonlyArray<Applied>,
  balances: Pick<Balances, "account" | "key">
): ReadonlyArray<LedgerEvent> => {
  const events: Array<LedgerEvent> = []
  const balanceBefore = new Map<string, bigint>()
  const spentBefore = new Map<string, bigint>()
  for (const one of applied.toReversed()) {
    if (watch.unknownCalls) events.push(...unknownEvent(one))
    const charged = chargedBy(one.transition)
    if (charged === 0n) continue
    const { now: at, reservation } = one.transition
    const of = { at, account: reservation.account, cause: reservation.call }
    const account = balances.account(reservation.account)
    if (account !== undefined) {
      const after = balanceBefore.get(account.id) ?? account.balance
      balanceBefore.set(account.id, after + charged)
      events.push(...balanceEvents(watch, of, after + charged, after))
    }
    const key = balances.key(reservation.key)
    if (key !== undefined) {
      const { budget, rootKey } = key
      const spent = spentBefore.get(rootKey) ?? key.spent
      spentBefore.set(rootKey, spent - charged)
      const before = { spent: spent - charged, budget }
      events.push(...budgetEvents(watch, { ...of, key: rootKey }, before, { spent, budget }))
    }
  }
  return events.toReversed()
}
