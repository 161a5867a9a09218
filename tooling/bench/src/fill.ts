import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

export const day = 86_400_000

interface Filled {
  readonly account: string
  readonly key: string
  readonly count: number
  /** Rounded down to a whole day. */
  readonly from: number
  readonly days: number
}

/** A statement of a gateway may not take long. */
const daysAtOnce = 7

const spans = [60_000, 3_600_000, day]

/** Inserts calls of one account, spread evenly over days and 20 keys, and the totals that the ledger keeps of them. */
export const fill = Effect.fnUntraced(function* ({ account, count, days, key, ...filled }: Filled) {
  const sql = yield* SqlClient
  const from = Math.floor(filled.from / day) * day
  const step = (days * day) / count
  for (let first = 0; first < days; first += daysAtOnce) {
    const last = Math.min(first + daysAtOnce, days)
    const [start, end] = [Math.ceil((first * day) / step), Math.ceil((last * day) / step)]
    const within = `ended_at >= ${from + first * day} AND ended_at < ${from + last * day}`
    yield* sql.unsafe(
      `INSERT INTO calls (id, account, key, operation, state, reserved, created_at, owner, ended_at, status, value, charged,
         charged_nano, cost_state, evidence, input_tokens)
       WITH RECURSIVE n (i) AS (SELECT ${start} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${end})
       SELECT 'req_' || i, '${account}', CASE WHEN i % 20 = 3 THEN '${key}' ELSE 'key' || (i % 20) END, 'rerank', 'settled', 20,
         at, 'o', at, 200, 13, 13, 12500, 'settled', '{"kind":"tokens","total":250}', 250
       FROM (SELECT i, ${from} + CAST(CAST(i AS BIGINT) * ${step} AS BIGINT) AS at FROM n) AS t`
    )
    for (const span of spans) {
      for (const [table, owner] of [
        ["usage_sums", "account, key"],
        ["account_sums", "account"]
      ]) {
        yield* sql.unsafe(
          `INSERT INTO ${table} SELECT ${owner}, ${span}, ended_at / ${span} * ${span}, COUNT(*), 0, SUM(input_tokens), 0, 0, 0,
             SUM(value), SUM(charged) FROM calls WHERE ${within} AND account = '${account}' GROUP BY ${owner}, ended_at / ${span}`
        )
      }
    }
  }
})
