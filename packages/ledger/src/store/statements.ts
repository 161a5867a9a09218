import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Dialect, postgres, sqlite } from "./Dialect.ts"

export type Value = string | number | bigint | Uint8Array | null

export interface Statement {
  readonly text: string
  readonly values: ReadonlyArray<Value>
}

/** The most rows in one statement. Each row count is a statement of its own in the driver's cache. */
const maxRows = 64

const chunks = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length <= maxRows
    ? [items]
    : Array.from({ length: Math.ceil(items.length / maxRows) }, (_, i) => items.slice(i * maxRows, (i + 1) * maxRows))

/** Repeats the last id up to the next power of two: ten texts cover any count up to a thousand. */
const padded = (ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const wanted = 2 ** Math.ceil(Math.log2(ids.length))
  return wanted === ids.length ? ids : [...ids, ...Array<string>(wanted - ids.length).fill(ids[ids.length - 1]!)]
}

/** Caches SQL texts by row count: they are long, and the driver finds a statement faster by the same string. */
class TextCache {
  readonly #known = new Map<string, Array<string>>()

  of(statement: string, rows: number, make: () => string): string {
    let texts = this.#known.get(statement)
    if (texts === undefined) this.#known.set(statement, (texts = []))
    return (texts[rows] ??= make())
  }
}

type Tuples = ReadonlyArray<ReadonlyArray<Value>>

/** `Array.flat` is several times slower. */
const flat = (rows: Tuples): ReadonlyArray<Value> => {
  const values: Array<Value> = []
  for (const row of rows) for (const value of row) values.push(value)
  return values
}

/** The end of an INSERT that adds to the row which is there. */
export const addOnConflict = (table: string, id: ReadonlyArray<string>, added: ReadonlyArray<string>): string =>
  `ON CONFLICT (${id.join(", ")}) DO UPDATE SET ${added.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ")}`

/** A driver names its dialect by the compiler of its client. */
export const dialectOf = (sql: SqlClient): Dialect => sql.onDialectOrElse({ pg: () => postgres, orElse: () => sqlite })

/** Runs the statements of a migration, which are in the words of SQLite. */
export const create = (statements: ReadonlyArray<string>) =>
  SqlClient.use((sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(dialectOf(sql).schema(statement)), { discard: true })
  )

/** Builds statements over many rows, in the dialect of the store. */
export const make = (sql: SqlClient) => {
  const dialect = dialectOf(sql)
  const { lockRows, mark } = dialect
  const texts = new TextCache()

  const marks = (count: number, from: number): string =>
    Array.from({ length: count }, (_, i) => mark(from + i)).join(", ")

  /**
   * Selects rows by id and locks them until the transaction ends, in order of id to avoid deadlocks.
   * `locked` names the tables to lock: all of them by default, none if it is empty.
   */
  const byIds = (
    columns: string,
    table: string,
    ids: ReadonlyArray<string>,
    { id = "id", locked = "*" } = {}
  ): Statement => {
    const values = padded(ids)
    const text = () => {
      const of = lockRows === "" || locked === "" ? "" : locked === "*" ? lockRows : `${lockRows} OF ${locked}`
      return `SELECT ${columns} FROM ${table} WHERE ${id} IN (${marks(values.length, 1)}) ORDER BY ${id}${of}`
    }
    return { text: texts.of(`${columns} ${table} ${locked}`, values.length, text), values }
  }

  /** Inserts the rows. `conflict` is the `ON CONFLICT` clause. */
  const insert = (
    table: string,
    columns: ReadonlyArray<string>,
    rows: Tuples,
    conflict = ""
  ): ReadonlyArray<Statement> => {
    if (rows.length === 0) return []
    return chunks(rows).map((some) => {
      const text = () => {
        const tuples = some.map((_, i) => `(${marks(columns.length, 1 + i * columns.length)})`)
        return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${tuples.join(", ")} ${conflict}`
      }
      return { text: texts.of(`${table} ${columns.length} ${conflict.length}`, some.length, text), values: flat(some) }
    })
  }

  /** Updates rows by the first column. Each column needs its type, which PostgreSQL cannot infer from `VALUES`. */
  const update = (
    table: string,
    columns: ReadonlyArray<readonly [name: string, type: "TEXT" | "BIGINT"]>,
    rows: Tuples
  ): ReadonlyArray<Statement> => {
    if (rows.length === 0) return []
    return chunks(rows).map((some) => {
      const text = () => {
        const typed = columns.map(([, type], i) => `CAST(${mark(i + 1)} AS ${type})`).join(", ")
        const tuples = some.map((_, i) => `(${i === 0 ? typed : marks(columns.length, 1 + i * columns.length)})`)
        const [id, ...changed] = columns.map(([name]) => name)
        const set = changed.map((name, i) => `${name} = v.column${i + 2}`).join(", ")
        return `UPDATE ${table} SET ${set} FROM (VALUES ${tuples.join(", ")}) AS v WHERE ${table}.${id} = v.column1`
      }
      return { text: texts.of(`update ${table}`, some.length, text), values: flat(some) }
    })
  }

  return { dialect, mark, byIds, insert, update }
}

export type Statements = ReturnType<typeof make>
