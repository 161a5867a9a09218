import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

export const callDetails = Effect.gen(function* () {
  const sql = yield* SqlClient

  // The model that the call names, and the upstream that answered it.
  yield* sql`ALTER TABLE calls ADD COLUMN model TEXT`
  yield* sql`ALTER TABLE calls ADD COLUMN upstream TEXT`
  // The upstreams in the order they were tried, as JSON, unless the first one answered.
  yield* sql`ALTER TABLE calls ADD COLUMN tried TEXT`
})
