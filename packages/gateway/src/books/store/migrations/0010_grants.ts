import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

export const grants = Effect.gen(function* () {
  const sql = yield* SqlClient

  // A grant has a row in `keys` with the same id, which holds its limit and its spend. Nobody can present that key.
  yield* sql`ALTER TABLE keys ADD COLUMN is_grant BIGINT NOT NULL DEFAULT 0`
  yield* sql`CREATE TABLE grants (
    id TEXT PRIMARY KEY REFERENCES keys (id),
    client_id TEXT NOT NULL,
    client_name TEXT NOT NULL,
    scopes TEXT NOT NULL
  )`

  // What the authorization server keeps. Ids are keyed hashes, payloads are encrypted.
  const bytes = sql.onDialectOrElse({ pg: () => sql.literal("BYTEA"), orElse: () => sql.literal("BLOB") })
  yield* sql`CREATE TABLE oauth (
    model TEXT NOT NULL,
    id TEXT NOT NULL,
    payload ${bytes} NOT NULL,
    grant_id TEXT,
    uid TEXT,
    scopes TEXT,
    resource TEXT,
    consumed_at BIGINT,
    expires_at BIGINT,
    PRIMARY KEY (model, id)
  )`
  yield* sql`CREATE INDEX oauth_grant ON oauth (grant_id) WHERE grant_id IS NOT NULL`
  yield* sql`CREATE INDEX oauth_uid ON oauth (uid) WHERE uid IS NOT NULL`
  yield* sql`CREATE INDEX oauth_expires ON oauth (expires_at) WHERE expires_at IS NOT NULL`
})
