import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type * as Rows from "../store/rows.ts"

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

const columns = ["account", "key", "span", "start", ...counters]

const conflict = `ON CONFLICT (account, span, start, key) DO UPDATE SET ${counters
  .map((name) => `${name} = usage_sums.${name} + excluded.${name}`)
  .join(", ")}`

/** Added up by the smallest span first: a group mostly falls into one minute, and so into one hour and one day. */
const addUp = (ended: ReadonlyArray<Ended>, span: number): ReadonlyArray<Ended> => {
  const sums = new Map<string, Ended>()
  for (const one of ended) {
    const at = Math.floor(one.at / span) * span
    const id = `${one.account} ${one.key} ${at}`
    const sum = sums.get(id)
    sums.set(id, sum === undefined ? { ...one, at } : { ...plus(sum, one), account: one.account, key: one.key, at })
  }
  return [...sums.values()]
}

/** Adds what ended to the sums of its minute, hour and day. */
export const add = (rows: ReturnType<typeof Rows.make>, ended: ReadonlyArray<Ended>): Effect.Effect<void, SqlError> => {
  const sums: Array<ReadonlyArray<Rows.Value>> = []
  let smaller = ended
  for (const span of spans) {
    smaller = addUp(smaller, span)
    for (const { account, at, key, ...counts } of smaller) {
      sums.push([account, key, span, at, ...counters.map((name) => counts[name])])
    }
  }
  return rows.insert("usage_sums", columns, sums, conflict)
}
