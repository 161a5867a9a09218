import { addOnConflict, type Statement, type Statements, type Value } from "../store/statements.ts"
import * as CostTotals from "./CostTotals.ts"
import { countedTags } from "./recorded.ts"

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

export const operationSpans = [spans[1], spans[2]] as const

/** The counts of one ended call, or of several in one bucket. */
export interface Usage extends Counts {
  readonly account: string
  readonly key: string
  readonly at: number
  readonly operation: string
  /** Empty: the call names none. */
  readonly model: string
  /** As recorded. */
  readonly tags?: string | undefined
  /** The upstream that answered, and what it charges in nano-USD, if that is known. */
  readonly upstream?: string | undefined
  readonly cost?: bigint | undefined
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

/** A table of totals: what one is of, and how it is added to. */
const totalsIn = (table: string, id: ReadonlyArray<string>) => ({
  table,
  columns: [...id, ...counters],
  conflict: addOnConflict(table, id, counters)
})

const ofKeys = totalsIn("usage_sums", ["account", "key", "span", "start"])
const ofAccounts = totalsIn("account_sums", ["account", "span", "start"])
const ofOperations = totalsIn("operation_sums", ["account", "key", "span", "start", "operation", "model"])
const ofTags = totalsIn("tag_sums", ["account", "key", "span", "start", "tag", "value_of_tag"])

type Bucket = Pick<Usage, "account" | "key" | "at" | "operation" | "model">

interface Total extends Bucket {
  counts: Counts
}

const isSame = (one: Bucket, other: Bucket): boolean =>
  one.at === other.at &&
  one.key === other.key &&
  one.account === other.account &&
  one.operation === other.operation &&
  one.model === other.model

/** The totals by bucket. `totals` may be those of smaller buckets. */
const totalsBy = (totals: ReadonlyArray<Total>, bucketOf: (total: Total) => Bucket): ReadonlyArray<Total> => {
  const found = new Map<string, Total>()
  let last: Total | undefined
  for (const total of totals) {
    const bucket = bucketOf(total)
    // Most calls of a group are in the bucket of the one before.
    if (last === undefined || !isSame(last, bucket)) {
      // Only a model can contain spaces.
      const id = `${bucket.account} ${bucket.key} ${bucket.at} ${bucket.operation} ${bucket.model}`
      last = found.get(id)
      if (last === undefined) {
        const { account, at, key, model, operation } = bucket
        found.set(id, (last = { account, key, at, operation, model, counts: total.counts }))
        continue
      }
    }
    last.counts = plus(last.counts, total.counts)
  }
  return [...found.values()]
}

const ofKey = ({ account, at, key }: Total): Bucket => ({ account, key, at, operation: "", model: "" })
const ofAccount = ({ account, at }: Total): Bucket => ({ account, key: "", at, operation: "", model: "" })

const values = (counts: Counts): ReadonlyArray<bigint> => counters.map((name) => counts[name])

/** The totals of each tag. A call counts for each of its tags, so those of different names are not to be added up. */
const tagRows = (usages: ReadonlyArray<Usage>): ReadonlyArray<ReadonlyArray<Value>> => {
  const totals = new Map<string, { readonly id: ReadonlyArray<Value>; counts: Counts }>()
  for (const usage of usages) {
    if (usage.tags === undefined) continue
    for (const [tag, value] of countedTags(usage.tags)) {
      for (const span of operationSpans) {
        const id = [usage.account, usage.key, span, Math.floor(usage.at / span) * span, tag, value]
        const name = id.join(",")
        const total = totals.get(name)
        if (total === undefined) totals.set(name, { id, counts: usage })
        else total.counts = plus(total.counts, usage)
      }
    }
  }
  return [...totals.values()].map(({ counts, id }) => [...id, ...values(counts)])
}

const deltaColumns = ["account", "key", "at", "operation", "model", "tags", ...counters, "upstream", "cost_nano"]

const costed = ({ cost, upstream = "", ...usage }: Usage): ReadonlyArray<CostTotals.CostedCall> =>
  cost === undefined ? [] : [{ ...usage, upstream, cost }]

/** Several gateways would wait for each other's totals: a commit appends, and `foldUsage` adds up later. */
const append = ({ insert }: Statements, usages: ReadonlyArray<Usage>): ReadonlyArray<Statement> =>
  insert(
    "usage_deltas",
    deltaColumns,
    usages.map((usage) => [
      usage.account,
      usage.key,
      usage.at,
      usage.operation,
      usage.model,
      usage.tags ?? null,
      ...values(usage),
      usage.cost === undefined ? null : (usage.upstream ?? ""),
      usage.cost ?? null
    ])
  )

/**
 * Adds ended calls to the totals of their minute, hour and day: by key, by account, by operation and model, and by tag. Calls
 * whose cost is known count by upstream too.
 */
export const add = (statements: Statements, usages: ReadonlyArray<Usage>): ReadonlyArray<Statement> => {
  if (statements.dialect.isShared) return append(statements, usages)
  const { insert } = statements
  const byKey: Array<ReadonlyArray<Value>> = []
  const byAccount: Array<ReadonlyArray<Value>> = []
  const byOperation: Array<ReadonlyArray<Value>> = []
  // Smallest span first: the calls of a group mostly fall into one minute, so the larger spans have few to add.
  let smaller: ReadonlyArray<Total> = usages.map((usage) => ({
    account: usage.account,
    key: usage.key,
    at: usage.at,
    operation: usage.operation,
    model: usage.model,
    counts: usage
  }))
  for (const span of spans) {
    smaller = totalsBy(smaller, (total) => ({ ...total, at: Math.floor(total.at / span) * span }))
    if (span !== spans[0]) {
      for (const { account, at, counts, key, model, operation } of smaller) {
        byOperation.push([account, key, span, at, operation, model, ...values(counts)])
      }
    }
    const keys = totalsBy(smaller, ofKey)
    for (const total of keys) byKey.push([total.account, total.key, span, total.at, ...values(total.counts)])
    for (const total of totalsBy(keys, ofAccount))
      byAccount.push([total.account, span, total.at, ...values(total.counts)])
  }
  return [
    ...insert(ofKeys.table, ofKeys.columns, byKey, ofKeys.conflict),
    ...insert(ofAccounts.table, ofAccounts.columns, byAccount, ofAccounts.conflict),
    ...insert(ofOperations.table, ofOperations.columns, byOperation, ofOperations.conflict),
    ...(usages.some(({ tags }) => tags !== undefined)
      ? insert(ofTags.table, ofTags.columns, tagRows(usages), ofTags.conflict)
      : []),
    ...(usages.some(({ cost }) => cost !== undefined) ? CostTotals.add(statements, usages.flatMap(costed)) : [])
  ]
}
