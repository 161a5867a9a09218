import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// Secrets are stored hashed. `key` is the API key that somebody signed in with, or NULL after a one-time link.
export const signIn = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`CREATE TABLE sign_in_links (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    ends_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX sign_in_links_ends ON sign_in_links (ends_at)`
  yield* sql`CREATE TABLE page_sessions (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    key TEXT,
    ends_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX page_sessions_ends ON page_sessions (ends_at)`
})
