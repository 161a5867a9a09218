import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

export const purses = Effect.gen(function* () {
  const sql = yield* SqlClient

  // The key that this one came from by rotation, at first hand or further back: the terms and the spend of them all are
  // kept in its row. Missing for a key that came from none, whose own row they are in.
  yield* sql`ALTER TABLE keys ADD COLUMN purse TEXT REFERENCES keys (id)`

  // A key's report reads that key's sums alone.
  yield* sql`CREATE INDEX usage_sums_key ON usage_sums (account, key, span, start)`

  // What was spent in a period was forgotten when the kind of period changed.
  yield* sql`UPDATE keys SET quota_spent = COALESCE((
    SELECT SUM(s.charged) FROM usage_sums s
    WHERE s.account = keys.account AND s.key = keys.id AND s.span = 86400000 AND s.start >= keys.quota_from
  ), 0)`
})
