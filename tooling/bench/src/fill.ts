import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

export const day = 86_400_000
const [minute, hour] = [60_000, 3_600_000]

interface Filled {
  readonly account: string
  readonly key: string
  readonly count: number
  /** Rounded down to a whole day. */
  readonly from: number
  readonly days: number
  /** The minutes at the start of each hour in which calls come. All by default. The fewer, the faster. */
  readonly busyMinutes?: number
}

/** Calls of one statement: the driver gives up one that takes too long. */
const atOnce = 100_000

/** The sum of each counter under its own name. */
const summed = [
  "requests",
  "failed_requests",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "value",
  "charged"
]
  .map((name) => `SUM(${name})`)
  .join(", ")

/**
 * Inserts calls of one account, spread evenly over days and 20 keys, and the totals that the ledger keeps of them. In one
 * transaction, and each total from the next smaller one, or a million calls take minutes.
 */
export const fill = Effect.fnUntraced(function* ({ account, busyMinutes = 60, count, days, key, ...filled }: Filled) {
  const sql = yield* SqlClient
  const from = Math.floor(filled.from / day) * day
  const step = (days * day) / count
  const totals = (span: number, of: number) =>
    `INSERT INTO usage_sums SELECT account, key, ${span}, start / ${span} * ${span}, ${summed} FROM usage_sums
       WHERE account = '${account}' AND span = ${of} GROUP BY account, key, start / ${span}`
  const calls = (first: number) =>
    `INSERT INTO calls (id, account, key, operation, state, reserved, created_at, owner, ended_at, status, value, charged,
       charged_nano, cost_state, evidence, input_tokens)
     WITH RECURSIVE n (i) AS
       (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${Math.min(first + atOnce, count)})
     SELECT 'req_' || (1000000000 + i), '${account}', CASE WHEN i % 20 = 3 THEN '${key}' ELSE 'key' || (i % 20) END, 'rerank',
       'settled', 20, at, 'o', at, 200, 13, 13, 12500, 'settled', '{"kind":"tokens","total":250}', 250
     FROM (SELECT i, ${from} + late / ${hour} * ${hour} + late % ${hour} * ${busyMinutes} / 60 AS at
       FROM (SELECT i, CAST(CAST(i AS BIGINT) * ${step} AS BIGINT) AS late FROM n) AS times) AS calls_at`
  const statements = [
    ...Array.from({ length: Math.ceil(count / atOnce) }, (_, i) => calls(i * atOnce)),
    `INSERT INTO usage_sums SELECT account, key, ${minute}, ended_at / ${minute} * ${minute}, COUNT(*), 0, SUM(input_tokens), 0, 0, 0,
       SUM(value), SUM(charged) FROM calls WHERE account = '${account}' GROUP BY account, key, ended_at / ${minute}`,
    totals(hour, minute),
    totals(day, hour),
    `INSERT INTO account_sums SELECT account, span, start, ${summed} FROM usage_sums
       WHERE account = '${account}' GROUP BY account, span, start`,
    ...["operation_sums", "tag_sums"].map(
      (table) =>
        `INSERT INTO ${table} SELECT account, key, span, start, ${table === "tag_sums" ? "'team', key" : "'rerank', ''"}, ${summed}
           FROM usage_sums WHERE account = '${account}' AND span IN (${hour}, ${day}) GROUP BY account, key, span, start`
    ),
    `INSERT INTO cost_sums SELECT start, account, 'rerank', '', 'bench', requests, charged, charged * 500 FROM account_sums
       WHERE account = '${account}' AND span = ${day}`
  ]
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // A statement of a gateway may not take long. These may.
      yield* sql.onDialectOrElse({
        pg: () => sql.unsafe("SET LOCAL statement_timeout = 0; SET LOCAL work_mem = '256MB'"),
        orElse: () => Effect.void
      })
      for (const statement of statements) yield* sql.unsafe(statement)
    })
  )
  // Or the server does it by itself while the bench measures.
  for (const table of ["calls", "usage_sums", "account_sums", "operation_sums", "tag_sums"]) {
    yield* sql.onDialectOrElse({ pg: () => sql.unsafe(`VACUUM ANALYZE ${table}`), orElse: () => Effect.void })
  }
})
