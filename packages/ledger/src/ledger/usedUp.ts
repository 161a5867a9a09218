import { micro } from "@tollgate/contract/Money"
import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Principal } from "../credential/Keys.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { doesNotTouchLedger } from "../store/EmbeddedStore.ts"
import type { Row, Rows } from "../store/rows.ts"
import { TimedCache } from "../store/TimedCache.ts"
import { AccountBalance, KeyBalance } from "./Balance.ts"

const nothing = micro(0n)

const nameOf = ({ account, key = "" }: Principal): string => (key === "" ? account : key)

/** The refusal of a call that would reserve nothing. */
const refusalOf = (row: Row, now: number): Refused | undefined =>
  (row.root_key === null ? undefined : new KeyBalance(row).refusal(nothing, now)) ??
  new AccountBalance(row).refusal(nothing)

/**
 * The refusal of any call that costs something, if the caller's balance, budget or quota is used up. Reservations are left
 * out and the tables may be a second old, so it never refuses who can pay. It fails to nothing: `reserve` decides.
 */
export const usedUp = (rows: Rows, clock: Clock, run: (effect: Effect.Effect<void>) => unknown) => {
  const { mark } = rows
  const query =
    "SELECT a.id, a.balance, 0 AS reserved, p.id AS root_key, p.budget, p.spent, p.quota, p.quota_period," +
    " p.quota_from, p.quota_spent FROM accounts a" +
    ` LEFT JOIN keys k ON k.id = ${mark(1)} LEFT JOIN keys p ON p.id = COALESCE(k.root_key, k.id) WHERE a.id = ${mark(2)}`
  /** Those who can pay. */
  const cached = new TimedCache<Principal>(run, (_, now, principal) => readRefusal(principal, now))

  const readRefusal = (principal: Principal, now: number): Effect.Effect<Refused | undefined> => {
    const { account, key = "" } = principal
    return doesNotTouchLedger(rows.run(query, [key, account])).pipe(
      Effect.map(([row]) => {
        const refusal = row === undefined ? undefined : refusalOf(row, now)
        if (refusal === undefined) cached.set(nameOf(principal), principal, now)
        return refusal
      }),
      Effect.orElseSucceed(() => undefined)
    )
  }

  return (principal: Principal): Effect.Effect<Refused | undefined> => {
    const now = clock.currentTimeMillisUnsafe()
    return cached.get(nameOf(principal), now) === undefined ? readRefusal(principal, now) : Effect.undefined
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
