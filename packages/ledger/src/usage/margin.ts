import * as Effect from "effect/Effect"
import type { Amount } from "@tollgate/contract/account/Amount"
import type { Margin, MarginGroup, MarginTotals } from "@tollgate/contract/admin/Margin"
import { nano, roundToMicros, safeMicros } from "@tollgate/contract/Money"
import * as CostTotals from "../ledger/CostTotals.ts"
import type * as Rows from "../store/rows.ts"
import { amount, number, type Row, text } from "../store/rows.ts"
import { labelsOf, times } from "./report.ts"
import { days, type Window } from "./Query.ts"

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

const { day } = CostTotals

const summed = "SUM(charged) AS charged, SUM(requests) AS requests, SUM(costed) AS costed, SUM(cost) AS cost"

const countsOf = (row: Row): MarginCounts => ({
  charged: amount(row, "charged"),
  requests: amount(row, "requests"),
  costed: amount(row, "costed"),
  cost: amount(row, "cost")
})

/** Reads totals only, never single calls. */
export const make = (rows: Rows.Rows) => {
  /** One statement, so that all parts read the same snapshot. */
  const statementOf = (account: string | undefined, { end, start }: Window) => {
    const values: Array<Rows.Value> = []
    const bind = (value: Rows.Value) => rows.mark(values.push(value))
    const within = (table: string) => `${table}.start >= ${bind(start)} AND ${table}.start < ${bind(end)}`
    const whose = (table: string) =>
      account === undefined ? `${table}.account IN (SELECT id FROM accounts)` : `${table}.account = ${bind(account)}`

    // The totals by operation are found by account and key, so these come first.
    const used =
      `used AS (SELECT DISTINCT u.account, u.key FROM usage_sums u` +
      ` WHERE ${whose("u")} AND u.span = ${day} AND ${within("u")})`
    const all =
      "all_calls AS (SELECT o.start, o.account, o.operation, o.model, NULL AS upstream, o.charged, 0 AS requests, 0 AS costed," +
      " 0 AS cost FROM used JOIN operation_sums o ON o.account = used.account AND o.key = used.key" +
      ` WHERE o.span = ${day} AND ${within("o")}` +
      " UNION ALL SELECT c.start, c.account, c.operation, c.model, c.upstream, 0, c.requests, c.charged, c.cost_nano" +
      ` FROM ${CostTotals.table} c WHERE ${within("c")}` +
      `${account === undefined ? "" : ` AND c.account = ${bind(account)}`})`
    const groups = (column: GroupColumn) => {
      const [counts, where] =
        column === "upstream"
          ? [summed.replace("SUM(charged)", "SUM(costed)"), " WHERE upstream IS NOT NULL"]
          : [summed, ""]
      return (
        `SELECT * FROM (SELECT '${column}' AS part, ${column} AS id, 0 AS at, ${counts} FROM all_calls${where}` +
        ` GROUP BY ${column} ORDER BY charged DESC, cost DESC, id LIMIT ${maxGroups}) AS groups_of_${column}`
      )
    }
    const parts = [
      `SELECT 'day' AS part, '' AS id, start AS at, ${summed} FROM all_calls GROUP BY start`,
      ...groupColumns.map(groups)
    ]
    return { statement: `WITH ${used}, ${all} ${parts.join(" UNION ALL ")}`, values }
  }

  return Effect.fnUntraced(function* (account: string | undefined, window: Window) {
    const { statement, values } = statementOf(account, window)
    const days = new Map<number, MarginCounts>()
    const groups: Record<GroupColumn, Array<readonly [string, MarginCounts]>> = {
      account: [],
      operation: [],
      model: [],
      upstream: []
    }
    for (const row of yield* rows.run(statement, values)) {
      const part = text(row, "part") as "day" | GroupColumn
      if (part === "day") days.set(number(row, "at"), countsOf(row))
      else groups[part].push([text(row, "id"), countsOf(row)])
    }
    const found: MarginFound = {
      days,
      groups,
      accounts: yield* labelsOf(
        rows,
        "accounts",
        groups.account.map(([id]) => id)
      )
    }
    return found
  })
}
