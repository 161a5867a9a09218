import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// For the list of an owner's tasks, which also has those that ended.
export const taskOwner = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`CREATE INDEX tasks_owner ON tasks (purse, created_at)`
})
