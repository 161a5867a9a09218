import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

export const rotation = Effect.gen(function* () {
  const sql = yield* SqlClient

  // The root key: the first key of a chain of rotations, whose row holds the terms and the spend of them all. NULL for a
  // key that is its own root.
  yield* sql`ALTER TABLE keys ADD COLUMN purse TEXT REFERENCES keys (id)`

  // For the report of a single key.
  yield* sql`CREATE INDEX usage_sums_key ON usage_sums (account, key, span, start)`

  // Repairs the spend of the current period, which was reset when the kind of period changed.
  yield* sql`UPDATE keys SET quota_spent = COALESCE((
    SELECT SUM(s.charged) FROM usage_sums s
    WHERE s.account = keys.account AND s.key = keys.id AND s.span = 86400000 AND s.start >= keys.quota_from
  ), 0)`
})
