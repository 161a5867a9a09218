import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

export const keys = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`CREATE TABLE accounts (id TEXT PRIMARY KEY, label TEXT NOT NULL, created_at BIGINT NOT NULL)`
  yield* sql`CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id),
    hash TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
  )`
})
