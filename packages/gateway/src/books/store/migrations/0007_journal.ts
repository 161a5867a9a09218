import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// Committed commands that the next checkpoint moves into the tables. Only embedded stores have a journal.
export const journal = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql.onDialectOrElse({
    pg: () => Effect.void,
    orElse: () => sql`CREATE TABLE journal (seq INTEGER PRIMARY KEY, owner TEXT NOT NULL, commands TEXT NOT NULL)`
  })
})
