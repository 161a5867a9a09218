import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// Kept answers. The id is a digest of account and request. `since` and `upto` count all bytes ever kept for the account:
// rows too far behind the newest are deleted. Times are milliseconds since the epoch,
// and the list price is in digits.
export const answerCache = Effect.gen(function* () {
  const sql = yield* SqlClient
  const bytes = sql.onDialectOrElse({ pg: () => sql.literal("BYTEA"), orElse: () => sql.literal("BLOB") })
  const key = sql.onDialectOrElse({ pg: () => sql.literal(`TEXT COLLATE "C"`), orElse: () => sql.literal("TEXT") })
  yield* sql`CREATE TABLE answer_cache (
    id ${key} PRIMARY KEY,
    account ${key} NOT NULL,
    call ${key} NOT NULL,
    status BIGINT NOT NULL,
    content_type TEXT,
    headers TEXT NOT NULL,
    body ${bytes} NOT NULL,
    list_nano TEXT NOT NULL,
    evidence TEXT NOT NULL,
    since BIGINT NOT NULL,
    upto BIGINT NOT NULL,
    stored_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX answer_cache_account ON answer_cache (account, since)`
  yield* sql`CREATE INDEX answer_cache_ends ON answer_cache (ends_at)`
})
