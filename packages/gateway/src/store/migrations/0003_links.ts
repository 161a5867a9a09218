import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// Times are milliseconds since the epoch. An owner is a key, by the first of those it came from by rotation, or an
// account where the credential is no key.
export const links = Effect.gen(function* () {
  const sql = yield* SqlClient
  const bytes = sql.onDialectOrElse({ pg: () => sql.literal("BYTEA"), orElse: () => sql.literal("BLOB") })

  // The state is stored as a digest; the verifier and the tokens below are sealed.
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

  // Where its bytes lie in all that was ever kept for the account: what begins too far back makes room.
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
