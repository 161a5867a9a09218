import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

export const gateways = Effect.gen(function* () {
  const sql = yield* SqlClient

  // The gateways that use the store. Each writes the time of the store into its row while it lives; others delete the row
  // of one that does not. A gateway without a row cannot commit.
  yield* sql`CREATE TABLE gateways (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    config TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    beat_at BIGINT NOT NULL
  )`

  // What all of them must agree on, such as the fingerprint of the secret.
  yield* sql`CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)`
})
