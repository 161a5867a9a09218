import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

const hour = "3600000"
const day = "86400000"

const sums = (requests: string, failed: string): string =>
  `${requests}, SUM(${failed}), SUM(input_tokens), SUM(output_tokens), SUM(cache_read_tokens), SUM(cache_write_tokens),` +
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
  yield* sql.unsafe(
    `INSERT INTO operation_sums SELECT account, key, ${hour}, ended_at / ${hour} * ${hour}, operation,` +
      ` COALESCE(model, ''), ${sums("COUNT(*)", "failed")} FROM calls WHERE ended_at IS NOT NULL AND state <> 'refused'` +
      ` GROUP BY account, key, ended_at / ${hour}, operation, COALESCE(model, '')`
  )
  yield* sql.unsafe(
    `INSERT INTO operation_sums SELECT account, key, ${day}, start / ${day} * ${day}, operation, model,` +
      ` ${sums("SUM(requests)", "failed_requests")} FROM operation_sums` +
      ` GROUP BY account, key, start / ${day}, operation, model`
  )
})
