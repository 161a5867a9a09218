import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Period, periodStart } from "../ledger/Period.ts"
import { spans } from "../ledger/UsageTotals.ts"
import type * as Rows from "../store/rows.ts"
import { amount, number } from "../store/rows.ts"
import type { Key } from "./Accounts.ts"

/** What a key and its rotations have spent in the current period, for when the kind of period changes. */
export const quotaSpent = Effect.fnUntraced(function* (
  { byIds, dialect, mark, run }: Rows.Rows,
  { account, rootKey }: Key,
  period: Period
) {
  const [key = { quota_from: 0 }] = yield* byIds("quota_from", "keys", [rootKey])
  // Periods never move backwards, even if the clock does.
  const from = periodStart(period, Math.max(yield* Clock.currentTimeMillis, number(key, "quota_from")))
  const ofKey = `k.account = ${mark(1)} AND COALESCE(k.root_key, k.id) = ${mark(2)}`
  const spentIn = (table: string, when: string): string =>
    `SELECT COALESCE(SUM(s.charged), 0) AS spent FROM keys k JOIN ${table} s ON s.account = k.account AND s.key = k.id` +
    ` WHERE ${ofKey} AND ${when} >= ${mark(3)}`
  const totals = spentIn("usage_sums", `s.span = ${spans[2]} AND s.start`)
  // One statement: a delta is in one snapshot either a delta or in the totals.
  const [row = { spent: 0n }] = yield* run(
    dialect.isShared
      ? `SELECT SUM(spent) AS spent FROM (${totals} UNION ALL ${spentIn("usage_deltas", "s.at")}) AS parts`
      : totals,
    [account, rootKey, from]
  )
  // These charges count at another time than the one under which the totals have them.
  const moved = yield* run(
    "SELECT c.charged, c.quota_at, c.ended_at FROM keys k JOIN calls c ON c.account = k.account AND c.key = k.id" +
      ` WHERE ${ofKey} AND c.quota_at IS NOT NULL`,
    [account, rootKey]
  )
  const part = (call: Rows.Row, time: string): bigint => (number(call, time) >= from ? amount(call, "charged") : 0n)
  const spent = moved.reduce((sum, call) => sum + part(call, "quota_at") - part(call, "ended_at"), amount(row, "spent"))
  return [["quota_from", from] as const, ["quota_spent", spent] as const]
})
