import type { Statement, Statements, Value } from "../store/statements.ts"

/** The lengths of a bucket in milliseconds: a minute, an hour, a day. */
export const spans = [60_000, 3_600_000, 86_400_000] as const

export const counters = [
  "requests",
  "failed_requests",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "value",
  "charged"
] as const

export type Counts = Readonly<Record<(typeof counters)[number], bigint>>

/** The counts of one ended call, or of several in one bucket. */
export interface Usage extends Counts {
  readonly account: string
  readonly key: string
  readonly at: number
}

export const plus = (one: Counts, other: Counts): Counts => ({
  requests: one.requests + other.requests,
  failed_requests: one.failed_requests + other.failed_requests,
  input_tokens: one.input_tokens + other.input_tokens,
  output_tokens: one.output_tokens + other.output_tokens,
  cache_read_tokens: one.cache_read_tokens + other.cache_read_tokens,
  cache_write_tokens: one.cache_write_tokens + other.cache_write_tokens,
  value: one.value + other.value,
  charged: one.charged + other.charged
})

const addOnConflict = (table: string, id: string): string =>
  `ON CONFLICT (${id}) DO UPDATE SET ${counters.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ")}`

const ofKeys = {
  table: "usage_sums",
  columns: ["account", "key", "span", "start", ...counters],
  conflict: addOnConflict("usage_sums", "account, span, start, key")
}

const ofAccounts = {
  table: "account_sums",
  columns: ["account", "span", "start", ...counters],
  conflict: addOnConflict("account_sums", "account, span, start")
}

const totalsBy = (
  usages: ReadonlyArray<Usage>,
  bucketOf: (usage: Usage) => Pick<Usage, "account" | "key" | "at">
): ReadonlyArray<Usage> => {
  const totals = new Map<string, Usage>()
  for (const usage of usages) {
    const { account, at, key } = bucketOf(usage)
    const id = `${account} ${key} ${at}`
    const total = totals.get(id)
    totals.set(id, total === undefined ? { ...usage, key, at } : { ...plus(total, usage), account, key, at })
  }
  return [...totals.values()]
}

const values = (counts: Counts): ReadonlyArray<bigint> => counters.map((name) => counts[name])

/** Adds ended calls to the totals of their minute, hour and day, by key and by account. */
export const add = ({ insert }: Statements, usages: ReadonlyArray<Usage>): ReadonlyArray<Statement> => {
  const byKey: Array<ReadonlyArray<Value>> = []
  const byAccount: Array<ReadonlyArray<Value>> = []
  // Smallest span first: the calls of a group mostly fall into one minute, so the larger spans have few to add.
  let smaller = usages
  for (const span of spans) {
    smaller = totalsBy(smaller, ({ account, at, key }) => ({ account, key, at: Math.floor(at / span) * span }))
    for (const total of smaller) byKey.push([total.account, total.key, span, total.at, ...values(total)])
    const ofAccount = totalsBy(smaller, ({ account, at }) => ({ account, key: "", at }))
    for (const total of ofAccount) byAccount.push([total.account, span, total.at, ...values(total)])
  }
  return [
    ...insert(ofKeys.table, ofKeys.columns, byKey, ofKeys.conflict),
    ...insert(ofAccounts.table, ofAccounts.columns, byAccount, ofAccounts.conflict)
  ]
}
