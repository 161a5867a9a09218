import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Period, periodStart } from "../ledger/Period.ts"
import { spans } from "../ledger/UsageTotals.ts"
import type * as Rows from "../store/rows.ts"
import { amount } from "../store/rows.ts"
import type { Key } from "./Accounts.ts"

/** What a key and its rotations have spent in the current period, for when the kind of period changes. */
export const quotaSpent = Effect.fnUntraced(function* (
  rows: ReturnType<typeof Rows.make>,
  { account, rootKey }: Key,
  period: Period
) {
  const { mark } = rows
  const from = periodStart(period, yield* Clock.currentTimeMillis)
  const [row = { spent: 0n }] = yield* rows.run(
    "SELECT COALESCE(SUM(s.charged), 0) AS spent FROM keys k JOIN usage_sums s ON s.account = k.account AND s.key = k.id" +
      ` WHERE k.account = ${mark(1)} AND COALESCE(k.purse, k.id) = ${mark(2)}` +
      ` AND s.span = ${spans[2]} AND s.start >= ${mark(3)}`,
    [account, rootKey, from]
  )
  return [["quota_from", from] as const, ["quota_spent", amount(row, "spent")] as const]
})
