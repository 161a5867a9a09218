import { micro } from "@tollgate/contract/Money"
import type { Period } from "../ledger/Period.ts"
import type * as Rows from "../store/rows.ts"
import { amount, amountOrNull, number, numberOrNull, type Row, text } from "../store/rows.ts"
import type { Key, KeyTerms } from "./Accounts.ts"

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
