import * as Effect from "effect/Effect"
import { amountOf } from "@tollgate/contract/account/Amount"
import type { Margin, MarginTotals } from "@tollgate/contract/admin/Margin"
import { nano, roundToMicros } from "@tollgate/contract/Money"
import * as CostTotals from "../ledger/CostTotals.ts"
import type * as Rows from "../store/rows.ts"
import { days, type Window } from "./Query.ts"
import { conditions, labelsOf, sumsOf, times } from "./sums.ts"

/** Cost is nano-USD, the other amounts are micro-USD. `requests`, `costed` and `cost` are of the calls whose cost is known. */
const counters = ["charged", "requests", "costed", "cost"] as const

const totalsOf = ({ charged, cost, costed, requests }: Readonly<Record<(typeof counters)[number], bigint>>) => {
  const rounded = roundToMicros(nano(cost))
  const totals: MarginTotals = {
    charged_micros_usd: amountOf(charged),
    without_cost_micros_usd: amountOf(charged - costed),
    costed_requests: Number(requests),
    costed_micros_usd: amountOf(costed),
    cost_micros_usd: amountOf(rounded),
    cost_nano_usd: String(cost),
    margin_micros_usd: amountOf(costed - rounded)
  }
  return totals
}

const margins = sumsOf(counters, totalsOf)

const { day } = CostTotals

/** Reads totals only, never single calls. The window is of whole days. */
export const make = (rows: Rows.Rows) => {
  const select = (account: string | undefined, window: Window) => {
    const { bind, values, within } = conditions(rows)
    const whose = account === undefined ? "u.account IN (SELECT id FROM accounts)" : `u.account = ${bind(account)}`

    // The totals by operation are found by account and key, so these come first.
    const used =
      `used AS (SELECT DISTINCT u.account, u.key FROM usage_sums u` +
      ` WHERE ${whose} AND u.span = ${day} AND ${within(window, "u.")})`
    const all =
      "all_calls AS (SELECT o.start, o.account, o.operation, o.model, NULL AS upstream, o.charged, 0 AS requests, 0 AS costed," +
      " 0 AS cost FROM used JOIN operation_sums o ON o.account = used.account AND o.key = used.key" +
      ` WHERE o.span = ${day} AND ${within(window, "o.")}` +
      " UNION ALL SELECT c.start, c.account, c.operation, c.model, c.upstream, 0, c.requests, c.charged, c.cost_nano" +
      ` FROM ${CostTotals.table} c WHERE ${within(window, "c.")}` +
      `${account === undefined ? "" : ` AND c.account = ${bind(account)}`})`
    const groups = (column: string) =>
      margins.selectGroups(column, `SELECT ${column} AS id, ${margins.names} FROM all_calls`, "cost")
    const parts = [
      `SELECT 'bucket' AS part, '' AS id, start AS at, ${margins.summed} FROM all_calls GROUP BY start`,
      groups("account"),
      groups("operation"),
      groups("model"),
      // Which upstream answered is counted only where the cost is known.
      margins.selectGroups(
        "upstream",
        "SELECT upstream AS id, costed AS charged, requests, costed, cost FROM all_calls WHERE upstream IS NOT NULL",
        "cost"
      )
    ]
    return { text: `WITH ${used}, ${all} ${parts.join(" UNION ALL ")}`, values }
  }

  return Effect.fnUntraced(function* (account: string | undefined, window: Window) {
    const { buckets, groupsOf } = yield* margins.read(rows, select(account, window))
    const accounts = groupsOf("account")
    const labels = yield* labelsOf(rows, "accounts", accounts)
    const total = margins.sum(buckets.values())
    const margin: Margin = {
      currency: "USD",
      ...times(window),
      totals: totalsOf(total),
      days: days(window).map((day) => ({ ...times(day), ...totalsOf(buckets.get(day.start) ?? margins.zeros) })),
      by_account: margins.shown(accounts, total, (id) => labels.get(id) ?? id),
      by_operation: margins.shown(groupsOf("operation"), total),
      by_model: margins.shown(groupsOf("model"), total),
      by_upstream: margins.shown(groupsOf("upstream"), { ...total, charged: total.costed })
    }
    return margin
  })
}
