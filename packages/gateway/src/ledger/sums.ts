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

const columns = ["account", "key", "span", "start", ...counters]

const conflict = `ON CONFLICT (account, span, start, key) DO UPDATE SET ${counters
  .map((name) => `${name} = usage_sums.${name} + excluded.${name}`)
  .join(", ")}`

/** Adds what ended to the sums of its minute, hour and day. */
export const add = (rows: ReturnType<typeof Rows.make>, ended: ReadonlyArray<Ended>): Effect.Effect<void, SqlError> => {
  const sums = new Map<string, Array<Rows.Value>>()
  for (const one of ended) {
    for (const span of spans) {
      const start = Math.floor(one.at / span) * span
      const id = `${one.account} ${one.key} ${span} ${start}`
      const sum = sums.get(id)
      if (sum === undefined) sums.set(id, [one.account, one.key, span, start, ...counters.map((name) => one[name])])
      else counters.forEach((name, i) => (sum[4 + i] = (sum[4 + i] as bigint) + one[name]))
    }
  }
  return rows.insert("usage_sums", columns, [...sums.values()], conflict)
}
