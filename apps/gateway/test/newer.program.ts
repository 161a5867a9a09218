import { Migrations } from "@tollgate/ledger/schema/migrations"
import { NodeRuntime } from "@tollgate/server"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { run } from "../src/commands/tollgate.ts"

/** What a later version may do to a store that an earlier one uses: add. */
const expand = Effect.gen(function* () {
  const sql = yield* SqlClient
  for (const table of ["calls", "accounts", "keys", "idempotency", "usage_sums"]) {
    yield* sql.unsafe(`ALTER TABLE ${table} ADD COLUMN added_later TEXT`)
  }
})

const migrations = Migrations.useSync((known) => ({ ...known, "9999_later": expand }))

NodeRuntime.runMain(
  Effect.flatMap(migrations, (all) => Effect.provideService(run(process.argv.slice(2)), Migrations, all))
)
