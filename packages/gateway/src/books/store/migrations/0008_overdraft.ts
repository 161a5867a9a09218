import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

const spans = ["60000", "3600000", "86400000"]

const counted = "COUNT(*), COUNT(*), 0, 0, 0, 0, 0, 0"
const counters =
  "requests, failed_requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, value, charged"

// Amounts are micro-USD, except those named nano; times are milliseconds since the epoch.
export const overdraft = Effect.gen(function* () {
  const sql = yield* SqlClient

  // `cap`: the most that the caller pays. `loss`: what the call cost beyond it, which the operator bears.
  yield* sql`ALTER TABLE calls ADD COLUMN cap BIGINT`
  yield* sql`ALTER TABLE calls ADD COLUMN loss BIGINT NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE calls ADD COLUMN loss_nano BIGINT NOT NULL DEFAULT 0`
  // 1: counts among the failed requests.
  yield* sql`ALTER TABLE calls ADD COLUMN failed BIGINT NOT NULL DEFAULT 0`
  // The time in whose period the charge counts towards the quota, if that is not `ended_at`.
  yield* sql`ALTER TABLE calls ADD COLUMN quota_at BIGINT`
  yield* sql`CREATE INDEX calls_quota_at ON calls (account, quota_at) WHERE quota_at IS NOT NULL`

  // Until now no call was charged more than was reserved for it: its reservation was its cap.
  yield* sql`UPDATE calls SET cap = reserved, loss = (charged_nano + 500) / 1000 - charged,
      loss_nano = charged_nano - charged * 1000, charged_nano = charged * 1000
    WHERE state = 'settled' AND charged = reserved AND charged < (charged_nano + 499) / 1000`

  // Until now every call that was not settled counted as failed, and an unknown one was counted when it was written off.
  yield* sql`UPDATE calls SET failed = 1 WHERE state IN ('released', 'written_off', 'unknown')`
  const countUnknown = (table: string, owner: string) =>
    Effect.forEach(
      spans,
      (span) =>
        sql.unsafe(
          `INSERT INTO ${table} (${owner}, span, start, ${counters})` +
            ` SELECT ${owner}, ${span}, created_at / ${span} * ${span}, ${counted}` +
            ` FROM calls WHERE state = 'unknown' GROUP BY ${owner}, created_at / ${span}` +
            ` ON CONFLICT (${owner}, span, start) DO UPDATE SET requests = ${table}.requests + excluded.requests,` +
            ` failed_requests = ${table}.failed_requests + excluded.failed_requests`
        ),
      { discard: true }
    )
  yield* countUnknown("usage_sums", "account, key")
  yield* countUnknown("account_sums", "account")
  yield* sql`UPDATE calls SET ended_at = created_at WHERE state = 'unknown'`
})
