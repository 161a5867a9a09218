import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Principal } from "../credential/Keys.ts"
import { amount, amountOrNull, type Row, type Rows } from "../store/rows.ts"
import { AccountBalance, balanceColumns, KeyBalance, PeriodBudget, periods } from "./Balance.ts"
import { micro } from "@tollgate/contract/Money"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { doesNotTouchLedger } from "../store/EmbeddedStore.ts"
import { TimedCache } from "../store/TimedCache.ts"

interface Part {
  readonly limit: bigint
  readonly left: bigint
}

/** Never shown as negative: calls may have cost more than was left. */
const shown = (micros: bigint): bigint => (micros < 0n ? 0n : micros)

const least = <A extends Part>(parts: ReadonlyArray<A>): A | undefined =>
  parts.toSorted((one, other) => (one.left < other.left ? -1 : 1))[0]

const availableIn = (row: Row, now: number) => {
  const balance = shown(amount(row, "balance") - amount(row, "reserved"))
  if (row.root_key === null) return { spendable: balance, balance, budget: undefined, quota: undefined }
  const reserved = amount(row, "key_reserved")
  const inAll = amountOrNull(row, "budget")
  const budget = inAll === null ? undefined : { limit: inAll, left: shown(inAll - amount(row, "spent") - reserved) }
  const quota = least(
    periods.flatMap((period) => {
      const of = new PeriodBudget(row, period)
      const { budget: limit } = of
      return limit === null
        ? []
        : [{ limit, left: shown(limit - of.spentAt(now) - reserved), period, endsAt: of.endsAt(now) }]
    })
  )
  const parts = [budget, quota].filter((part) => part !== undefined)
  return {
    /** What a call may cost now: the least of the others. */
    spendable: least<Part>([{ limit: balance, left: balance }, ...parts])?.left ?? balance,
    /** `undefined` for a credential with a budget or a quota of its own: it sees only what it may spend itself. */
    balance: parts.length === 0 ? balance : undefined,
    budget,
    /** Of a day or a month. Of two, the one that has less left. */
    quota
  }
}

/** What a caller may still spend, in micro-USD. What is reserved for calls under way is taken off. */
export type Available = ReturnType<typeof availableIn>

/** Reads what a caller may still spend. It fails to nothing: no call depends on it. */
export const left = (rows: Rows, clock: Clock) => {
  const { mark } = rows
  const query =
    `SELECT a.balance, a.reserved, p.id AS root_key, p.reserved AS key_reserved, ${balanceColumns} FROM accounts a` +
    ` LEFT JOIN keys k ON k.id = ${mark(1)} LEFT JOIN keys p ON p.id = COALESCE(k.root_key, k.id) WHERE a.id = ${mark(2)}`
  return ({ account, key = "" }: Principal): Effect.Effect<Available | undefined> =>
    rows.run(query, [key, account]).pipe(
      Effect.map(([row]) => (row === undefined ? undefined : availableIn(row, clock.currentTimeMillisUnsafe()))),
      Effect.orElseSucceed(() => undefined)
    )
}

const nothing = micro(0n)

const nameOf = ({ account, key = "" }: Principal): string => (key === "" ? account : key)

const refusalOf = (row: Row, now: number): Refused | undefined =>
  (row.root_key === null ? undefined : new KeyBalance(row).refusal(nothing, now)) ??
  new AccountBalance(row).refusal(nothing)

/**
 * The refusal of any call that costs something, if the caller's balance, budget or quota is used up. Reservations are left
 * out and the tables may be a second old, so it never refuses who can pay. It fails to nothing: `reserve` decides.
 */
export const exhausted = (rows: Rows, clock: Clock, run: (effect: Effect.Effect<void>) => unknown) => {
  const { mark } = rows
  const query =
    `SELECT a.id, a.balance, 0 AS reserved, p.id AS root_key, ${balanceColumns} FROM accounts a` +
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
