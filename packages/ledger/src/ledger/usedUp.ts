import { micro } from "@tollgate/contract/Money"
import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Principal } from "../credential/Keys.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { doesNotTouchLedger } from "../store/EmbeddedStore.ts"
import type { Row, Rows } from "../store/rows.ts"
import { AccountBalance, KeyBalance } from "./Balance.ts"

/** How long a caller who can pay is not looked at again. `reserve` decides in any case. */
const cacheMillis = 1_000
const maxCached = 10_000

const nothing = micro(0n)

/** The refusal of a call that would reserve nothing. */
const refusalOf = (row: Row, now: number): Refused | undefined =>
  (row.root_key === null ? undefined : new KeyBalance(row).refusal(nothing, now)) ??
  new AccountBalance(row).refusal(nothing)

/**
 * The refusal of any call that costs something, if the caller's balance, budget or quota is used up. Reservations are left
 * out and the tables may be a second old, so it never refuses who can pay. It fails to nothing: `reserve` decides.
 */
export const usedUp = (rows: Rows, clock: Clock) => {
  const { mark } = rows
  const query =
    "SELECT a.id, a.balance, 0 AS reserved, p.id AS root_key, p.budget, p.spent, p.quota, p.quota_period," +
    " p.quota_from, p.quota_spent FROM accounts a" +
    ` LEFT JOIN keys k ON k.id = ${mark(1)} LEFT JOIN keys p ON p.id = COALESCE(k.root_key, k.id) WHERE a.id = ${mark(2)}`
  const cached = new Map<string, number>()

  const readRefusal = (account: string, key: string, now: number): Effect.Effect<Refused | undefined> =>
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
    return until !== undefined && until > now ? Effect.undefined : readRefusal(account, key, now)
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
