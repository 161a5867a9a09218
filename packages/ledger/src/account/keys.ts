import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import { type Period, periodStart } from "../ledger/Balance.ts"
import type * as Rows from "../store/rows.ts"
import { amount, amountOrNull, number, numberOrNull, type Row, text } from "../store/rows.ts"
import type * as Redacted from "effect/Redacted"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { spans } from "../ledger/UsageTotals.ts"

export interface Key {
  readonly id: string
  readonly account: string
  readonly label: string
  readonly createdAt: number
  /** When it stops working, or has stopped. */
  readonly endsAt: number | null
  /** Whether it was revoked, or was refused because its time was over. It never works again, whatever the clock says. */
  readonly ended: boolean
  /** Whether it belongs to a grant. Lists of keys leave it out. */
  readonly isGrant: boolean
  /** The first key of its rotations. The fields below are shared by all of them. */
  readonly rootKey: string
  readonly spent: BigMicroUsd
  readonly reserved: BigMicroUsd
  readonly budget: BigMicroUsd | null
  readonly quota: BigMicroUsd | null
  readonly quotaPeriod: Period | null
  /** The start of the period in which something was last reserved or charged, and what was spent in it. */
  readonly quotaFrom: number
  readonly quotaSpent: BigMicroUsd
}

export interface KeyTerms {
  readonly label?: string
  /** The most it may spend in total. */
  readonly budget?: BigMicroUsd | null
  /** The most it may spend in each period. */
  readonly quota?: { readonly amount: BigMicroUsd; readonly period: Period } | null
}

/** A key in plain text, shown once and stored nowhere. */
export interface NewKey {
  readonly id: string
  readonly value: Redacted.Redacted
}

/** Keys, each with the terms and the spend of its root key. */
export const keys =
  "(SELECT k.id, k.account, k.label, k.created_at, k.ends_at, k.ended, k.is_grant," +
  " p.id AS root_key, p.spent, p.reserved, p.budget, p.quota, p.quota_period, p.quota_from, p.quota_spent" +
  " FROM keys k JOIN keys p ON p.id = COALESCE(k.root_key, k.id)) AS shown"

const orNull = (value: bigint | null) => (value === null ? null : micro(value))

const periodOf = (row: Row): Period | null => {
  if (row.quota_period === null) return null
  return row.quota_period === "month" ? "month" : "day"
}

export const keyOf = (row: Row): Key => ({
  id: text(row, "id"),
  account: text(row, "account"),
  label: text(row, "label"),
  createdAt: number(row, "created_at"),
  endsAt: numberOrNull(row, "ends_at"),
  ended: number(row, "ended") === 1,
  isGrant: number(row, "is_grant") === 1,
  rootKey: text(row, "root_key"),
  spent: micro(amount(row, "spent")),
  reserved: micro(amount(row, "reserved")),
  budget: orNull(amountOrNull(row, "budget")),
  quota: orNull(amountOrNull(row, "quota")),
  quotaPeriod: periodOf(row),
  quotaFrom: number(row, "quota_from"),
  quotaSpent: micro(amount(row, "quota_spent"))
})

/** A planned end that has passed is an end, even if nobody has used the key since. */
export const hasEnded = ({ ended, endsAt }: Key, now: number): boolean => ended || (endsAt !== null && endsAt <= now)

type Column = readonly [name: string, value: Rows.Value]

/** The columns that all rotated keys share, in the row of the root key. */
export const sharedColumns = ({ budget, quota }: KeyTerms): ReadonlyArray<Column> => [
  ...(budget === undefined ? [] : [["budget", budget] as const]),
  ...(quota === undefined
    ? []
    : [["quota", quota?.amount ?? null] as const, ["quota_period", quota?.period ?? null] as const])
]

/** The columns that each key has for itself. */
export const ownColumns = ({ label }: KeyTerms): ReadonlyArray<Column> =>
  label === undefined ? [] : [["label", label]]

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
