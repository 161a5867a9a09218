import type { BigMicroUsd } from "@tollgate/contract/Money"
import { readRestrictions, writeRestrictions } from "../credential/Restrictions.ts"
import type { RestrictionChanges, Restrictions } from "../credential/Restrictions.ts"
import { balanceColumns, PeriodBudget } from "../ledger/Balance.ts"
import { spans } from "../ledger/UsageTotals.ts"
import { flag, micros, microsOrNull, number, numberOrNull, readerOf, text, textOrNull } from "../store/rows.ts"
import type { Row, Value } from "../store/rows.ts"
import type * as Redacted from "effect/Redacted"

const earlier = (one: number | null, other: number | undefined): number | null =>
  one === null || other === undefined ? (one ?? other ?? null) : Math.min(one, other)

const restrictionsIn = (row: Row): Restrictions => readRestrictions(textOrNull(row, "restrictions")) ?? {}

export const keyOf = readerOf({
  id: text,
  account: text,
  label: text,
  createdAt: number,
  /** When it stops working, or has stopped: by its restrictions, or because it was rotated or revoked. */
  endsAt: (row, name) => earlier(numberOrNull(row, name), restrictionsIn(row).endsAt),
  /** The minute of its last billed call. */
  lastUsedAt: numberOrNull,
  /** Whether it was revoked, or was refused because its time was over. It never works again, whatever the clock says. */
  ended: flag,
  /** Whether it belongs to a grant. Lists of keys leave it out. */
  isGrant: flag,
  /** The first key of its rotations. The fields below are shared by all of them. */
  rootKey: text,
  spent: micros,
  reserved: micros,
  budget: microsOrNull,
  dayBudget: microsOrNull,
  monthBudget: microsOrNull,
  day: (row): Readonly<PeriodBudget> => new PeriodBudget(row, "day"),
  month: (row): Readonly<PeriodBudget> => new PeriodBudget(row, "month"),
  restrictions: restrictionsIn
})

export type Key = ReturnType<typeof keyOf>

export interface KeyTerms {
  readonly label?: string
  readonly budget?: BigMicroUsd | null
  readonly dayBudget?: BigMicroUsd | null
  readonly monthBudget?: BigMicroUsd | null
  readonly restrictions?: RestrictionChanges
}

/** A key in plain text, shown once and stored nowhere. */
export interface NewKey {
  readonly id: string
  readonly value: Redacted.Redacted
}

export const keys =
  "(SELECT k.id, k.account, k.label, k.created_at, k.ends_at, k.ended, k.is_grant," +
  ` p.id AS root_key, p.reserved, p.restrictions, ${balanceColumns},` +
  ` (SELECT MAX(u.start) FROM usage_sums u WHERE u.account = k.account AND u.key = k.id AND u.span = ${spans[0]}) AS last_used_at` +
  " FROM keys k JOIN keys p ON p.id = COALESCE(k.root_key, k.id)) AS shown"

/** A limited key is held by somebody who does not speak for the account. */
export const isLimited = ({ budget, dayBudget, monthBudget, restrictions }: Key): boolean =>
  [budget, dayBudget, monthBudget].some((limit) => limit !== null) || Object.keys(restrictions).length > 0

/** The same of a row of a root key `p`. */
export const isUnlimitedRow =
  "(p.budget IS NULL AND p.day_budget IS NULL AND p.month_budget IS NULL AND p.restrictions IS NULL)"

/** A planned end that has passed is an end, even if nobody has used the key since. */
export const hasEnded = ({ ended, endsAt }: Key, now: number): boolean => ended || (endsAt !== null && endsAt <= now)

type Column = readonly [name: string, value: Value]

/** The columns that all rotated keys share, in the row of the root key. `before`: its restrictions so far. */
export const sharedColumns = (
  { budget, dayBudget, monthBudget, restrictions }: KeyTerms,
  before: Restrictions = {}
): ReadonlyArray<Column> =>
  Object.entries({
    budget,
    day_budget: dayBudget,
    month_budget: monthBudget,
    restrictions: restrictions && writeRestrictions(before, restrictions)
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))

export const ownColumns = ({ label }: KeyTerms): ReadonlyArray<Column> =>
  label === undefined ? [] : [["label", label]]
