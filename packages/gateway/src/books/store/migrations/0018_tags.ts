import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

export const tags = Effect.gen(function* () {
  const sql = yield* SqlClient
  const withoutRowid = sql.onDialectOrElse({ pg: () => sql.literal(""), orElse: () => sql.literal("WITHOUT ROWID") })

  // As JSON: `RecordedTags`. NULL: the call has none.
  yield* sql`ALTER TABLE calls ADD COLUMN tags TEXT`

  // Totals by tag, by hour and day. The value is empty for all values beyond those that are counted by name.
  yield* sql`CREATE TABLE tag_sums (
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    span BIGINT NOT NULL,
    start BIGINT NOT NULL,
    tag TEXT NOT NULL,
    value_of_tag TEXT NOT NULL,
    requests BIGINT NOT NULL,
    failed_requests BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    value BIGINT NOT NULL,
    charged BIGINT NOT NULL,
    PRIMARY KEY (account, key, span, start, tag, value_of_tag)
  ) ${withoutRowid}`
  // For the totals of all accounts.
  yield* sql`CREATE INDEX tag_sums_start ON tag_sums (span, start)`
})
