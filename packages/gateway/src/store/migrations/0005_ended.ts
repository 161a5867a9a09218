import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// A call is not in this index before it has ended: to put every one in twice costs a hundredth of a call.
export const ended = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`DROP INDEX calls_ended`
  yield* sql`CREATE INDEX calls_ended ON calls (account, ended_at) WHERE ended_at IS NOT NULL`
})
