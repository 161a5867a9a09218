import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// Times are milliseconds since the epoch. An owner is the root key of the credential, or the account of an OAuth token.
export const links = Effect.gen(function* () {
  const sql = yield* SqlClient
  const bytes = sql.onDialectOrElse({ pg: () => sql.literal("BYTEA"), orElse: () => sql.literal("BLOB") })

  // The state is stored as a digest. The verifier and the tokens below are encrypted.
  yield* sql`CREATE TABLE link_attempts (
    state TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    scopes TEXT NOT NULL,
    verifier ${bytes} NOT NULL,
    ends_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX link_attempts_ends ON link_attempts (ends_at)`
  yield* sql`CREATE INDEX link_attempts_owner ON link_attempts (owner, ends_at)`

  yield* sql`CREATE TABLE link_sessions (
    owner TEXT PRIMARY KEY,
    scopes TEXT NOT NULL,
    access ${bytes} NOT NULL,
    refresh ${bytes},
    ends_at BIGINT,
    linked_at BIGINT NOT NULL
  )`

  // `since` and `upto` count all bytes ever kept for the account: rows too far behind the newest are deleted.
  yield* sql`CREATE TABLE kept_answers (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    body ${bytes} NOT NULL,
    since BIGINT NOT NULL,
    upto BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX kept_answers_account ON kept_answers (account, since)`
  yield* sql`CREATE INDEX kept_answers_ends ON kept_answers (ends_at)`
})
