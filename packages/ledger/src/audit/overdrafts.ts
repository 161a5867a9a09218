import { micro, type BigMicroUsd } from "@tollgate/contract/Money"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { periodStart } from "../ledger/Period.ts"
import type * as Rows from "../store/rows.ts"
import { amount, text } from "../store/rows.ts"

/** A balance, budget or quota below zero, by what calls in flight cost beyond their reservations. */
export interface Overdraft {
  readonly of: "balance" | "budget" | "quota"
  /** The account, or the root key. */
  readonly id: string
  readonly amount: BigMicroUsd
}

export const overdrafts = Effect.fnUntraced(function* ({ mark, run }: ReturnType<typeof Rows.make>) {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* run(
    "SELECT 'balance' AS what, id, -balance AS amount FROM accounts WHERE balance < 0" +
      " UNION ALL SELECT 'budget', id, spent - budget FROM keys WHERE root_key IS NULL AND spent > budget" +
      " UNION ALL SELECT 'quota', id, quota_spent - quota FROM keys WHERE root_key IS NULL AND quota_spent > quota" +
      ` AND quota_from >= CASE WHEN quota_period = 'month' THEN CAST(${mark(1)} AS BIGINT)` +
      ` ELSE CAST(${mark(2)} AS BIGINT) END ORDER BY 1, 2`,
    [periodStart("month", now), periodStart("day", now)]
  )
  return rows.map((row): Overdraft => ({
    of: text(row, "what") as Overdraft["of"],
    id: text(row, "id"),
    amount: micro(amount(row, "amount"))
  }))
})
