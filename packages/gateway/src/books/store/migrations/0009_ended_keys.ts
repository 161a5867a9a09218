import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// A state and not a comparison with the clock: a key that has ended stays ended if the clock goes back.
export const endedKeys = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE keys ADD COLUMN ended BIGINT NOT NULL DEFAULT 0`
  yield* sql`UPDATE keys SET ended = 1 WHERE ends_at <= ${yield* Clock.currentTimeMillis}`
})
