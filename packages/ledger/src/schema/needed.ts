import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { dialectOf } from "../store/statements.ts"

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
export const unusable = Effect.fnUntraced(function* (
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
