import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// Totals of all calls of an account, so that its report does not read the totals of every key.
export const accountSums = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`CREATE TABLE account_sums (
    account TEXT NOT NULL,
    span BIGINT NOT NULL,
    start BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    failed_requests BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    value BIGINT NOT NULL,
    charged BIGINT NOT NULL,
    PRIMARY KEY (account, span, start)
  )`
  yield* sql`INSERT INTO account_sums
    SELECT account, span, start, SUM(requests), SUM(failed_requests), SUM(input_tokens), SUM(output_tokens),
      SUM(cache_read_tokens), SUM(cache_write_tokens), SUM(value), SUM(charged)
    FROM usage_sums GROUP BY account, span, start`
})
