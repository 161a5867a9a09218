import { describe, expect, it } from "@effect/vitest"
import { migrate } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

/** The schema as development versions began it. */
const earlier = Migrator.make({})({
  table: "tollgate_migrations",
  loader: Migrator.fromRecord({ "0001_ledger": Effect.void, "0022_commit_function": Effect.void })
})

export const migrationSuite = ({ single }: Driver): void => {
  describe("migrations", () => {
    it.effect("run once: a second start keeps the data", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* migrate
        yield* sql`INSERT INTO accounts (id, label, created_at) VALUES ('a', 'kept', 0)`
        yield* migrate
        expect(yield* query("SELECT label FROM accounts")).toEqual([{ label: "kept" }])
      }).pipe(Effect.provide(single()))
    )

    it.effect("refuse a store of a later version, and name both versions", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* migrate
        yield* sql`INSERT INTO tollgate_migrations (migration_id, name) VALUES (99, 'later')`
        const error = yield* Effect.flip(migrate)
        expect(error).toMatchObject({ _tag: "SchemaUnknown", message: expect.stringMatching(/schema 99.*knows \d+$/) })
      }).pipe(Effect.provide(single()))
    )

    it.effect("refuse a store of a development version, and leave it as it is", () =>
      Effect.gen(function* () {
        yield* earlier
        expect(yield* Effect.flip(migrate)).toMatchObject({
          _tag: "SchemaUnknown",
          message: "the store was made by an earlier development version (schema 22): start with an empty store"
        })
        expect(yield* query("SELECT name FROM tollgate_migrations ORDER BY migration_id")).toEqual([
          { name: "ledger" },
          { name: "commit_function" }
        ])
      }).pipe(Effect.provide(single()))
    )
  })
}
