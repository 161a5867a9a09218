import type { Amount } from "@tollgate/contract/account/Amount"
import type { Margin, MarginGroup, MarginTotals } from "@tollgate/contract/admin/Margin"
import { nano, roundToMicros, safeMicros } from "@tollgate/contract/Money"
import { times } from "./report.ts"
import { days, type Window } from "./Window.ts"

/** Sums of calls. Cost is nano-USD, the other amounts are micro-USD. */
export interface MarginCounts {
  readonly charged: bigint
  /** Of the calls whose cost is known. */
  readonly requests: bigint
  readonly costed: bigint
  readonly cost: bigint
}

export const noCounts: MarginCounts = { charged: 0n, requests: 0n, costed: 0n, cost: 0n }

const combined = (one: MarginCounts, other: MarginCounts, sign: 1n | -1n): MarginCounts => ({
  charged: one.charged + sign * other.charged,
  requests: one.requests + sign * other.requests,
  costed: one.costed + sign * other.costed,
  cost: one.cost + sign * other.cost
})

export interface MarginFound {
  /** By the start of the day. */
  readonly days: ReadonlyMap<number, MarginCounts>
  readonly groups: Readonly<Record<GroupColumn, ReadonlyArray<readonly [id: string, counts: MarginCounts]>>>
  readonly accounts: ReadonlyMap<string, string>
}

export const groupColumns = ["account", "operation", "model", "upstream"] as const
export type GroupColumn = (typeof groupColumns)[number]

/** The most groups of a kind. The rest is one group more. */
export const maxGroups = 200

const amountOf = (micros: bigint): Amount => safeMicros(micros) ?? String(micros)

const totalsOf = ({ charged, cost, costed, requests }: MarginCounts): MarginTotals => {
  const rounded = roundToMicros(nano(cost))
  return {
    charged_micros_usd: amountOf(charged),
    without_cost_micros_usd: amountOf(charged - costed),
    costed_requests: Number(requests),
    costed_micros_usd: amountOf(costed),
    cost_micros_usd: amountOf(rounded),
    cost_nano_usd: String(cost),
    margin_micros_usd: amountOf(costed - rounded)
  }
}

const sum = (all: ReadonlyArray<MarginCounts>): MarginCounts =>
  all.reduce((one, other) => combined(one, other, 1n), noCounts)

/** The groups, and one for what they leave out of the total. */
const groupsOf = (
  groups: MarginFound["groups"][GroupColumn],
  total: MarginCounts,
  labels?: MarginFound["accounts"]
): ReadonlyArray<MarginGroup> => {
  const shown = groups.map(([id, counts]) => ({ id, label: labels?.get(id) ?? id, totals: totalsOf(counts) }))
  if (groups.length < maxGroups) return shown
  const rest = combined(total, sum(groups.map(([, counts]) => counts)), -1n)
  return rest.charged === 0n && rest.requests === 0n
    ? shown
    : [...shown, { id: "other", label: "other", totals: totalsOf(rest) }]
}

/** `window` is of whole days. */
export const margin = (window: Window, { accounts, days: byDay, groups }: MarginFound): Margin => {
  const total = sum([...byDay.values()])
  // Which upstream answered is counted only where the cost is known.
  const costed = { ...total, charged: total.costed }
  return {
    currency: "USD",
    ...times(window),
    totals: totalsOf(total),
    days: days(window).map((day) => ({ ...times(day), ...totalsOf(byDay.get(day.start) ?? noCounts) })),
    by_account: groupsOf(groups.account, total, accounts),
    by_operation: groupsOf(groups.operation, total),
    by_model: groupsOf(groups.model, total),
    by_upstream: groupsOf(groups.upstream, costed)
  }
}
