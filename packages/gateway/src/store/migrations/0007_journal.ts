import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// What the ledger has decided and not yet brought into the tables. Only where one process has the store to itself.
export const journal = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql.onDialectOrElse({
    pg: () => Effect.void,
    orElse: () => sql`CREATE TABLE journal (seq INTEGER PRIMARY KEY, owner TEXT NOT NULL, commands TEXT NOT NULL)`
  })
})
