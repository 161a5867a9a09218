import type { Account } from "@tollgate/contract/admin/Account"

export const sorts = ["newest", "label", "poorest", "richest"] as const
export type Sort = (typeof sorts)[number]

export const sortNames: Readonly<Record<Sort, string>> = {
  newest: "Newest first",
  label: "By label",
  poorest: "Lowest balance first",
  richest: "Highest balance first"
}

export const isSort = (text: string | undefined): text is Sort => sorts.some((name) => name === text)

const byBalance = (a: Account, b: Account): number => {
  const difference = BigInt(a.balance_micros_usd) - BigInt(b.balance_micros_usd)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

const orders: Readonly<Record<Sort, (a: Account, b: Account) => number>> = {
  newest: (a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0),
  label: (a, b) => a.label.localeCompare(b.label),
  poorest: byBalance,
  richest: (a, b) => byBalance(b, a)
}

export const sorted = (accounts: ReadonlyArray<Account>, by: Sort): ReadonlyArray<Account> =>
  accounts.toSorted(orders[by])
