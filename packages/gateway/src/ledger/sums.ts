import type { Statement, Statements, Value } from "../store/statements.ts"

/** A minute, an hour, a day. */
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

interface Ended extends Counts {
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

const whenThere = (table: string, id: string): string =>
  `ON CONFLICT (${id}) DO UPDATE SET ${counters.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ")}`

const ofKeys = {
  table: "usage_sums",
  columns: ["account", "key", "span", "start", ...counters],
  conflict: whenThere("usage_sums", "account, span, start, key")
}

const ofAccounts = {
  table: "account_sums",
  columns: ["account", "span", "start", ...counters],
  conflict: whenThere("account_sums", "account, span, start")
}

const addUp = (
  ended: ReadonlyArray<Ended>,
  place: (one: Ended) => Pick<Ended, "account" | "key" | "at">
): ReadonlyArray<Ended> => {
  const sums = new Map<string, Ended>()
  for (const one of ended) {
    const { account, at, key } = place(one)
    const id = `${account} ${key} ${at}`
    const sum = sums.get(id)
    sums.set(id, sum === undefined ? { ...one, key, at } : { ...plus(sum, one), account, key, at })
  }
  return [...sums.values()]
}

const values = (counts: Counts): ReadonlyArray<bigint> => counters.map((name) => counts[name])

/** Adds what ended to the sums of its minute, hour and day, of its key and of its account. */
export const add = ({ insert }: Statements, ended: ReadonlyArray<Ended>): ReadonlyArray<Statement> => {
  const byKey: Array<ReadonlyArray<Value>> = []
  const byAccount: Array<ReadonlyArray<Value>> = []
  // By the smallest span first: a group mostly falls into one minute, and so into one hour and one day.
  let smaller = ended
  for (const span of spans) {
    smaller = addUp(smaller, ({ account, at, key }) => ({ account, key, at: Math.floor(at / span) * span }))
    for (const sum of smaller) byKey.push([sum.account, sum.key, span, sum.at, ...values(sum)])
    const whole = addUp(smaller, ({ account, at }) => ({ account, key: "", at }))
    for (const sum of whole) byAccount.push([sum.account, span, sum.at, ...values(sum)])
  }
  return [
    ...insert(ofKeys.table, ofKeys.columns, byKey, ofKeys.conflict),
    ...insert(ofAccounts.table, ofAccounts.columns, byAccount, ofAccounts.conflict)
  ]
}
