import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import { commitCommands } from "../commit/postgres/commitCommands.ts"
import { foldUsageFunction } from "../commit/postgres/foldUsageFunction.ts"
import { dialectOf } from "../store/statements.ts"
import { unusable } from "./needed.ts"
import { embeddedTables, sharedTables, tables } from "./tables.ts"

/** Statements in the words of SQLite, and what only a shared store has: tables, and functions in the words of PostgreSQL. */
export interface Schema {
  readonly tables: ReadonlyArray<string>
  readonly sharedTables: ReadonlyArray<string>
  readonly functions: ReadonlyArray<string>
}

/** What a program keeps beside the books, in the same store. */
export const Beside = Context.Reference<Schema>("@tollgate/ledger/Beside", {
  defaultValue: () => ({ tables: [], sharedTables: [], functions: [] })
})

/** All tables and functions of the first migration. */
const partsIn = (sql: SqlClient, beside: Schema) => {
  const { isShared } = dialectOf(sql)
  const all = [...tables, ...beside.tables]
  return {
    statements: isShared ? [...all, ...sharedTables, ...beside.sharedTables] : [...all, ...embeddedTables],
    functions: isShared ? [commitCommands, foldUsageFunction, ...beside.functions] : []
  }
}

const schema = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { functions, statements } = partsIn(sql, yield* Beside)
  const all = [...statements.map(dialectOf(sql).schema), ...functions]
  yield* Effect.forEach(all, (statement) => sql.unsafe(statement), { discard: true })
})

const first = "schema"

/**
 * The migrations that this version knows, by number and name. Imported, not read from a folder, so that a bundle contains them.
 * What one has done does not change: a later one is a file of its own that imports no constants, and `run` checks what it adds.
 */
export const Migrations = Context.Reference<Readonly<Record<string, Effect.Effect<void, unknown, SqlClient>>>>(
  "@tollgate/ledger/Migrations",
  { defaultValue: () => ({ [`0001_${first}`]: schema }) }
)

const newestOf = (known: object): number => Math.max(...Object.keys(known).map((name) => Number.parseInt(name, 10)))

const table = "tollgate_migrations"

/** The store is not as this version needs it: a later one made it, or one from before the first release, or it was changed. */
export class SchemaUnknown extends Data.TaggedError("SchemaUnknown")<{ readonly message: string }> {}

const run = Effect.gen(function* () {
  const sql = yield* SqlClient
  const known = yield* Migrations
  // Without migrations it only makes its table.
  yield* Migrator.make({})({ table, loader: Migrator.fromRecord({}) })
  const rows = yield* sql<{ readonly id: number; readonly name: string }>`
    SELECT migration_id AS id, name FROM ${sql(table)} ORDER BY migration_id`
  const found = rows.at(-1)?.id ?? 0
  if (rows[0] !== undefined && rows[0].name !== first) {
    return yield* new SchemaUnknown({
      message: `the store was made by an earlier development version (schema ${found}): start with an empty store`
    })
  }
  const newest = newestOf(known)
  if (found > newest) {
    return yield* new SchemaUnknown({ message: `the store has schema ${found}, this version knows ${newest}` })
  }
  yield* Migrator.make({})({ table, loader: Migrator.fromRecord({ ...known }) })
  const { functions, statements } = partsIn(sql, yield* Beside)
  const message = yield* unusable(sql, statements, functions)
  if (message !== undefined) return yield* new SchemaUnknown({ message })
})

/** Any number: it names the lock among those of the database. */
const lockId = "7405318264190"

/** Of several gateways that start together one migrates, and the others wait as long as it takes. */
const underLock = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`SET LOCAL statement_timeout = 0`
  yield* sql.unsafe(`SELECT pg_advisory_xact_lock(${lockId})`)
  yield* run
})

/** Runs the migrations that the store does not have yet. */
export const migrate = SqlClient.use((sql) => (dialectOf(sql).isShared ? sql.withTransaction(underLock(sql)) : run))
