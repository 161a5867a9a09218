import { formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Principal } from "../credential/Keys.ts"
import { refuse, type Refused } from "../Refused.ts"
import { doesNotTouchLedger } from "../store/EmbeddedStore.ts"
import { amount, amountOrNull, type Row, type Rows } from "../store/rows.ts"
import { periodEnd, periodStart } from "./Period.ts"

/** How long a caller who can pay is not looked at again. `reserve` decides in any case. */
const cacheMillis = 1_000
const maxCached = 10_000

const usd = (micros: bigint): string => `${formatUsd(fromMicros(micro(micros)))} USD`

const refusalOf = (row: Row, now: number): Refused | undefined => {
  const quota = amountOrNull(row, "quota")
  if (quota !== null) {
    const period = row.quota_period === "month" ? "month" : "day"
    const from = Number(row.quota_from)
    const spent = periodStart(period, now) > from ? 0n : amount(row, "quota_spent")
    if (spent >= quota) {
      return refuse(
        "quota_exceeded",
        `The key's quota of ${usd(quota)} per ${period} is used up; the operator can raise it.`,
        {
          retryAfter: periodEnd(period, Math.max(now, from)) - now
        }
      )
    }
  }
  const budget = amountOrNull(row, "budget")
  if (budget !== null && amount(row, "spent") >= budget) {
    return refuse("over_budget", `The key's budget of ${usd(budget)} is used up; the operator can raise it.`)
  }
  return amount(row, "balance") > 0n
    ? undefined
    : refuse("insufficient_balance", "The balance is used up; 0 USD are available. Top up the account.")
}

/**
 * The refusal of any call that costs something, if the caller's balance, budget or quota is used up. Reservations are left
 * out and the tables may be a second old, so it never refuses who can pay. It fails to nothing: `reserve` decides.
 */
export const usedUp = (rows: Rows, clock: Clock) => {
  const { mark } = rows
  const query =
    "SELECT a.balance, p.budget, p.spent, p.quota, p.quota_period, p.quota_from, p.quota_spent FROM accounts a" +
    ` LEFT JOIN keys k ON k.id = ${mark(1)} LEFT JOIN keys p ON p.id = COALESCE(k.purse, k.id) WHERE a.id = ${mark(2)}`
  const cached = new Map<string, number>()

  const look = (account: string, key: string, now: number): Effect.Effect<Refused | undefined> =>
    doesNotTouchLedger(rows.run(query, [key, account])).pipe(
      Effect.map(([row]) => {
        const refusal = row === undefined ? undefined : refusalOf(row, now)
        if (refusal !== undefined) return refusal
        if (cached.size >= maxCached) cached.clear()
        cached.set(key === "" ? account : key, now + cacheMillis)
        return undefined
      }),
      Effect.orElseSucceed(() => undefined)
    )

  return ({ account, key = "" }: Principal): Effect.Effect<Refused | undefined> => {
    const now = clock.currentTimeMillisUnsafe()
    const until = cached.get(key === "" ? account : key)
    return until !== undefined && until > now ? Effect.undefined : look(account, key, now)
  }
}

/** If the store fails it counts as claimed: `reserve` decides. */
export const isClaimed = (rows: Rows) => {
  const query = `SELECT 1 FROM idempotency WHERE id = ${rows.mark(1)}`
  return (id: string): Effect.Effect<boolean> =>
    doesNotTouchLedger(rows.run(query, [id])).pipe(
      Effect.map((found) => found.length > 0),
      Effect.orElseSucceed(() => true)
    )
}
