import { expect, it } from "@effect/vitest"
import { migrate } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/node"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

const store = NodeSqliteClient.layer({ filename: ":memory:" })

it.effect("a store is brought up to date once, and again changes nothing", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* migrate
    yield* sql`INSERT INTO accounts (id, label, created_at) VALUES ('a', 'kept', 0)`
    yield* migrate
    expect(yield* sql`SELECT label FROM accounts`).toMatchObject([{ label: "kept" }])
  }).pipe(Effect.provide(store))
)

it.effect("a store of a later version is refused, and says which", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* migrate
    yield* sql`INSERT INTO tollgate_migrations (migration_id, name) VALUES (99, 'later')`
    const error = yield* Effect.flip(migrate)
    expect(error).toMatchObject({ _tag: "SchemaTooNew", message: expect.stringMatching(/schema 99.*knows 1$/) })
  }).pipe(Effect.provide(store))
)
