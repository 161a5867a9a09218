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

    it.effect("refuse a store that lacks a table or column, name it, and say how to upgrade", () =>
      Effect.gen(function* () {
        yield* migrate
        const refusals: ReadonlyArray<readonly [what: string, message: RegExp]> = [
          ["calls RENAME COLUMN error", /^the table calls .* no column error, .* ADD COLUMN error TEXT/],
          ["calls RENAME COLUMN operation", /^the table calls .* no column operation, .*: restore a backup/],
          ["console_sessions RENAME COLUMN sealed", /^the table console_sessions .* no column sealed/],
          ["facts RENAME COLUMN value", /^the table facts .* no column value/],
          ["answers RENAME", /^the store has no table answers, .*: restore a backup/],
          ["operators RENAME", /^the store has no table operators/]
        ]
        for (const [what, message] of refusals) {
          const [table, column] = what.split(/ RENAME(?: COLUMN)? ?/)
          yield* query(`ALTER TABLE ${what} TO gone`)
          const error = yield* Effect.flip(migrate)
          expect(error).toMatchObject({ _tag: "SchemaUnknown", message: expect.stringMatching(message) })
          yield* query(
            column ? `ALTER TABLE ${table} RENAME COLUMN gone TO ${column}` : `ALTER TABLE gone RENAME TO ${table}`
          )
        }
        yield* query("ALTER TABLE keys DROP COLUMN is_grant")
        const { message } = yield* Effect.flip(migrate)
        const [, upgrade] = /no column is_grant, .* make a backup, then run (.*)$/.exec(message) ?? []
        yield* query(upgrade ?? message)
        yield* migrate
      }).pipe(Effect.provide(single()))
    )

    it.effect("take a store that has more, unless this version cannot fill it", () =>
      Effect.gen(function* () {
        yield* migrate
        yield* query("ALTER TABLE calls ADD COLUMN added_later TEXT")
        yield* query("ALTER TABLE calls ADD COLUMN filled BIGINT NOT NULL DEFAULT 0")
        yield* query("CREATE TABLE of_somebody (id TEXT PRIMARY KEY, name TEXT NOT NULL)")
        yield* migrate
        yield* query("DROP TABLE facts")
        yield* query("CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL, more TEXT NOT NULL)")
        expect(yield* Effect.flip(migrate)).toMatchObject({
          _tag: "SchemaUnknown",
          message: expect.stringContaining(
            "the table facts of the store has a column more that this version cannot fill"
          )
        })
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
