import * as Effect from "effect/Effect"
import { SafeIntegers, SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly primaryKey: ReadonlyArray<string>
  /** How many rows are read at once: those with bytes can be large. */
  readonly batch: number
}

/** Read from the embedded store, so that a column that is added later is copied too. */
export const describeTable = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient
  const found = yield* sql<{ readonly name: string; readonly type: string; readonly pk: number }>`
    SELECT name, type, pk FROM pragma_table_info(${name}) ORDER BY cid`
  const hasBytes = found.some(({ type }) => type === "BLOB")
  return {
    name,
    columns: found.map(({ name }) => name),
    primaryKey: found
      .filter(({ pk }) => pk > 0)
      .toSorted((a, b) => a.pk - b.pk)
      .map(({ name }) => name),
    batch: hasBytes ? 50 : 500
  } satisfies Table
})

/** An integer is a bigint. */
export type Row = Readonly<Record<string, bigint | string | Uint8Array | null>>

/** A value of a primary key, for the next batch. JSON has no bigint. */
export type KeyValue = string | { readonly integer: string }

export const keyOf = ({ primaryKey }: Table, row: Row): ReadonlyArray<KeyValue> =>
  primaryKey.map((column) => {
    const value = row[column]
    return typeof value === "bigint" ? { integer: String(value) } : String(value)
  })

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `"${name}"`).join(", ")

export const selectAll = ({ columns, name }: Table): string => `SELECT ${quoted(columns)} FROM "${name}"`

/** The next rows of the embedded store after a primary key, or the first ones. */
export const readBatch = (
  table: Table,
  where: string | undefined,
  after: ReadonlyArray<KeyValue> | undefined
): Effect.Effect<ReadonlyArray<Row>, SqlError, SqlClient> =>
  SqlClient.use((sql) => {
    const key = quoted(table.primaryKey)
    const conditions = [
      ...(where === undefined ? [] : [where]),
      ...(after === undefined ? [] : [`(${key}) > (${table.primaryKey.map(() => "?").join(", ")})`])
    ]
    const filter = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`
    const values = (after ?? []).map((value) => (typeof value === "string" ? value : BigInt(value.integer)))
    return sql.unsafe<Row>(`${selectAll(table)}${filter} ORDER BY ${key} LIMIT ${table.batch}`, values)
  }).pipe(Effect.provideService(SafeIntegers, true))
