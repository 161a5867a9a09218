import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { dialectOf } from "../store/statements.ts"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Migrator from "effect/sql/Migrator"
import { commitCommands } from "../commit/postgres/commitCommands.ts"
import { foldUsageFunction } from "../commit/postgres/foldUsage.ts"
import { trail, trailTables } from "./0002_trail.ts"
import { embeddedTables, sharedTables, tables } from "./tables.ts"

type Columns = ReadonlyMap<string, string>

/** The columns of the tables that statements of a schema create, each with its definition. */
const tablesIn = (statements: ReadonlyArray<string>): ReadonlyMap<string, Columns> =>
  new Map(
    statements.flatMap((statement) => {
      const [, table] = /^CREATE (?:UNLOGGED )?TABLE (\w+)/.exec(statement) ?? []
      const columns = statement.matchAll(/[(,]\s*(\w+) ((?:TEXT|BIGINT|INTEGER|BLOB)\b[^,\n()]*)/g)
      return table === undefined
        ? []
        : [[table, new Map([...columns].map(([, name = "", type = ""]) => [name, type.trim()]))]]
    })
  )

/** A row that is there already gets NULL or the default. */
const canBeAdded = (definition: string) => !/PRIMARY KEY|NOT NULL(?!.*DEFAULT)/.test(definition)

const restore = "restore a backup, or start with an empty store"

/** Says what keeps this version from using the store, and how to upgrade it. More columns do no harm if they may be empty. */
const unusable = Effect.fnUntraced(function* (
  sql: SqlClient,
  statements: ReadonlyArray<string>,
  functions: ReadonlyArray<string>
) {
  const { columns, functions: bodies, schema } = dialectOf(sql)
  const found = new Map<string, Map<string, boolean>>()
  for (const row of yield* sql.unsafe<{ table: string; column: string; required: number }>(columns)) {
    const known = found.get(row.table) ?? new Map<string, boolean>()
    found.set(row.table, known.set(row.column, Number(row.required) === 1))
  }
  for (const [table, needed] of tablesIn(statements)) {
    const has = found.get(table)
    if (has === undefined) return `the store has no table ${table}, which this version needs: ${restore}`
    const missing = [...needed].filter(([column]) => !has.has(column))
    if (missing.length > 0) {
      const names = missing.map(([column]) => column).join(", ")
      const add = missing
        .map(([column, type]) => schema(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`))
        .join("; ")
      const upgrade = missing.every(([, type]) => canBeAdded(type)) ? `make a backup, then run ${add}` : restore
      return `the table ${table} of the store has no column ${names}, which this version needs: ${upgrade}`
    }
    const [unfilled] = [...has].find(([column, isRequired]) => isRequired && !needed.has(column)) ?? []
    if (unfilled !== undefined) {
      return `the table ${table} of the store has a column ${unfilled} that this version cannot fill: use the version that made it`
    }
  }
  if (bodies === undefined) return undefined
  const stored = yield* sql.unsafe<{ name: string; body: string }>(bodies)
  for (const statement of functions) {
    const [, name, body] = /CREATE FUNCTION (\w+)[^]*?\$\$([^]*)\$\$/.exec(statement) ?? []
    if (!stored.some((one) => one.name === name && one.body === body)) {
      return `the function ${name} of the store is not that of this version: ${restore}`
    }
  }
  return undefined
})

/** Statements in the words of SQLite, and what only a shared store has: tables, and functions in the words of PostgreSQL. */
export interface Schema {
  readonly tables: ReadonlyArray<string>
  readonly sharedTables: ReadonlyArray<string>
  readonly functions: ReadonlyArray<string>
  readonly later: ReadonlyArray<string>
}

/** What a program keeps beside the books, in the same store. */
export const OtherSchemas = Context.Reference<Schema>("@tollgate/ledger/Beside", {
  defaultValue: () => ({ tables: [], sharedTables: [], functions: [], later: [] })
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
  const { functions, statements } = partsIn(sql, yield* OtherSchemas)
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
  { defaultValue: () => ({ [`0001_${first}`]: schema, "0002_trail": trail }) }
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
  const beside = yield* OtherSchemas
  const { functions, statements } = partsIn(sql, beside)
  const message = yield* unusable(sql, [...statements, ...trailTables, ...beside.later], functions)
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
