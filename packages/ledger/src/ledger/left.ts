import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Principal } from "../credential/Keys.ts"
import { amount, amountOrNull, type Row, type Rows } from "../store/rows.ts"
import { type Period, periodEnd, periodStart } from "./Period.ts"

interface Part {
  readonly limit: bigint
  readonly left: bigint
}

/** What a caller may still spend, in micro-USD. What is reserved for calls under way is taken off. */
export interface Left {
  /** What a call may cost now: the least of the others. */
  readonly spendable: bigint
  /** `undefined` for a credential with a budget or a quota of its own: it sees only what it may spend itself. */
  readonly balance: bigint | undefined
  readonly budget: Part | undefined
  readonly quota: (Part & { readonly period: Period; readonly endsAt: number }) | undefined
}

/** Never shown as negative: calls may have cost more than was left. */
const shown = (micros: bigint): bigint => (micros < 0n ? 0n : micros)

const least = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((one, other) => (other < one ? other : one))

const leftIn = (row: Row, now: number): Left => {
  const balance = shown(amount(row, "balance") - amount(row, "reserved"))
  if (row.root_key === null) return { spendable: balance, balance, budget: undefined, quota: undefined }
  const reserved = amount(row, "key_reserved")
  const inAll = amountOrNull(row, "budget")
  const inPeriod = amountOrNull(row, "quota")
  const period: Period = row.quota_period === "month" ? "month" : "day"
  const from = Number(row.quota_from)
  const spent = periodStart(period, now) > from ? 0n : amount(row, "quota_spent")
  const budget = inAll === null ? undefined : { limit: inAll, left: shown(inAll - amount(row, "spent") - reserved) }
  const quota =
    inPeriod === null
      ? undefined
      : {
          limit: inPeriod,
          left: shown(inPeriod - spent - reserved),
          period,
          endsAt: periodEnd(period, Math.max(now, from))
        }
  return {
    spendable: least([
      balance,
      ...(budget === undefined ? [] : [budget.left]),
      ...(quota === undefined ? [] : [quota.left])
    ]),
    balance: budget === undefined && quota === undefined ? balance : undefined,
    budget,
    quota
  }
}

/** Reads what a caller may still spend. It fails to nothing: no call depends on it. */
export const left = (rows: Rows, clock: Clock) => {
  const { mark } = rows
  const query =
    "SELECT a.balance, a.reserved, p.id AS root_key, p.budget, p.spent, p.reserved AS key_reserved, p.quota," +
    " p.quota_period, p.quota_from, p.quota_spent FROM accounts a" +
    ` LEFT JOIN keys k ON k.id = ${mark(1)} LEFT JOIN keys p ON p.id = COALESCE(k.root_key, k.id) WHERE a.id = ${mark(2)}`
  return ({ account, key = "" }: Principal): Effect.Effect<Left | undefined> =>
    rows.run(query, [key, account]).pipe(
      Effect.map(([row]) => (row === undefined ? undefined : leftIn(row, clock.currentTimeMillisUnsafe()))),
      Effect.orElseSucceed(() => undefined)
    )
}
