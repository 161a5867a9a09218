import { expect, it } from "@effect/vitest"
import { migrate } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import { hasPostgres, onEmptyDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as Effect from "effect/Effect"

/** Tables and columns, without those of the migrator. */
const schemaOf = (select: string) =>
  Effect.map(Effect.andThen(migrate, query(select)), (rows) => {
    const tables = new Map<string, Array<string>>()
    for (const { column, table } of rows) {
      if (table === "tollgate_migrations") continue
      const columns = tables.get(String(table)) ?? []
      tables.set(String(table), [...columns, String(column)])
    }
    return tables
  })

const ofSqlite = schemaOf(`
  SELECT t.name AS "table", c.name || ' ' || c.type || CASE c."notnull" OR c.pk WHEN 1 THEN ' NOT NULL' ELSE '' END AS "column"
  FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY 1, 2`).pipe(
  Effect.provide(NodeSqliteClient.layer({ filename: ":memory:" }))
)

const ofPostgres = schemaOf(`
  SELECT table_name AS "table", column_name || ' ' || CASE data_type WHEN 'bytea' THEN 'BLOB' ELSE UPPER(data_type) END
    || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END AS "column"
  FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`).pipe(Effect.provide(onEmptyDatabase()))

it.effect.runIf(hasPostgres)("SQLite and PostgreSQL have the same tables and columns, beside their own", () =>
  Effect.gen(function* () {
    const sqlite = yield* ofSqlite
    const postgres = yield* ofPostgres
    expect([...sqlite.keys()].filter((table) => !postgres.has(table))).toEqual(["journal"])
    expect([...postgres.keys()].filter((table) => !sqlite.has(table))).toEqual([
      "limit_groups",
      "limit_keys",
      "limit_leases",
      "usage_deltas"
    ])
    for (const [table, columns] of sqlite) {
      if (table !== "journal") expect([table, columns.toSorted()]).toEqual([table, postgres.get(table)?.toSorted()])
    }
  })
)

it.effect.runIf(hasPostgres)("PostgreSQL compares all texts by their bytes, as SQLite does", () =>
  Effect.gen(function* () {
    yield* migrate
    const others = yield* query(`SELECT table_name, column_name FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`)
    expect(others).toEqual([{ table_name: "tollgate_migrations", column_name: "name" }])
  }).pipe(Effect.provide(onEmptyDatabase()))
)
