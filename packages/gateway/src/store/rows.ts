import * as Effect from "effect/Effect"
import { SafeIntegers, type SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

export type Value = string | number | bigint | Uint8Array | null
export type Row = Readonly<Record<string, unknown>>

/** At most this many rows in one statement, well under what any driver takes in parameters. */
const most = 500

const chunks = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  if (items.length <= most) return items.length === 0 ? [] : [items]
  return Array.from({ length: Math.ceil(items.length / most) }, (_, i) => items.slice(i * most, (i + 1) * most))
}

/** Statements over many rows at once. Whole numbers are read as bigint, since amounts are among them. */
export const make = (sql: SqlClient) => {
  const mark: (index: number) => string = sql.onDialectOrElse({
    pg: () => (index: number) => `$${index}`,
    orElse: () => () => "?"
  })
  const lock: string = sql.onDialectOrElse({ pg: () => " FOR UPDATE", orElse: () => "" })

  const marks = (count: number, from: number): string =>
    Array.from({ length: count }, (_, i) => mark(from + i)).join(", ")

  const run = (text: string, values: ReadonlyArray<Value>): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
    Effect.provideService(sql.unsafe<Row>(text, values), SafeIntegers, true)

  /** The rows with these ids, locked until the transaction ends where the store has such locks. */
  const byIds = Effect.fnUntraced(function* (columns: string, table: string, ids: ReadonlyArray<string>) {
    const found: Array<Row> = []
    for (const some of chunks(ids)) {
      // In order, so that two transactions that want the same rows do not wait for each other.
      const text = `SELECT ${columns} FROM ${table} WHERE id IN (${marks(some.length, 1)}) ORDER BY id${lock}`
      found.push(...(yield* run(text, some)))
    }
    return found
  })

  /** Inserts the rows; `conflict` says what happens to those that are there already. */
  const insert = Effect.fnUntraced(function* (
    table: string,
    columns: ReadonlyArray<string>,
    rows: ReadonlyArray<ReadonlyArray<Value>>,
    conflict = ""
  ) {
    for (const some of chunks(rows)) {
      const tuples = some.map((_, i) => `(${marks(columns.length, 1 + i * columns.length)})`).join(", ")
      yield* run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES ${tuples} ${conflict}`, some.flat())
    }
  })

  return { run, byIds, insert, mark }
}

export const text = (row: Row, name: string): string => String(row[name])
export const amount = (row: Row, name: string): bigint => BigInt(row[name] as bigint | number | string)
export const amountOrNull = (row: Row, name: string): bigint | null => (row[name] === null ? null : amount(row, name))
export const number = (row: Row, name: string): number => Number(row[name])
export const numberOrNull = (row: Row, name: string): number | null => (row[name] === null ? null : number(row, name))
