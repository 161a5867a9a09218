import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

const spans = ["3600000", "86400000"]

const sums =
  "COUNT(*), SUM(failed), SUM(input_tokens), SUM(output_tokens), SUM(cache_read_tokens), SUM(cache_write_tokens)," +
  " SUM(value), SUM(charged)"

// Totals by operation and model, by hour and day. The model is empty for calls that name none.
export const operationSums = Effect.gen(function* () {
  const sql = yield* SqlClient
  // One tree instead of a table and its index: each checkpoint writes here.
  const withoutRowid = sql.onDialectOrElse({ pg: () => sql.literal(""), orElse: () => sql.literal("WITHOUT ROWID") })
  yield* sql`CREATE TABLE operation_sums (
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    span BIGINT NOT NULL,
    start BIGINT NOT NULL,
    operation TEXT NOT NULL,
    model TEXT NOT NULL,
    requests BIGINT NOT NULL,
    failed_requests BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    value BIGINT NOT NULL,
    charged BIGINT NOT NULL,
    PRIMARY KEY (account, key, span, start, operation, model)
  ) ${withoutRowid}`
  yield* Effect.forEach(
    spans,
    (span) =>
      sql.unsafe(
        `INSERT INTO operation_sums SELECT account, key, ${span}, ended_at / ${span} * ${span}, operation,` +
          ` COALESCE(model, ''), ${sums} FROM calls WHERE ended_at IS NOT NULL AND state <> 'refused'` +
          ` GROUP BY account, key, ended_at / ${span}, operation, COALESCE(model, '')`
      ),
    { discard: true }
  )
})
