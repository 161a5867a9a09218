import type { SqlClient } from "effect/sql/SqlClient"

export type Value = string | number | bigint | Uint8Array | null

export interface Statement {
  readonly text: string
  readonly values: ReadonlyArray<Value>
}

/** At most this many rows in one statement: each number of rows is a statement of its own, which the driver keeps. */
const most = 64

const pieces = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length <= most
    ? [items]
    : Array.from({ length: Math.ceil(items.length / most) }, (_, i) => items.slice(i * most, (i + 1) * most))

/** To the next power of two, the last one repeated: ten texts find any number of rows up to a thousand. */
const filledUp = (ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const wanted = 2 ** Math.ceil(Math.log2(ids.length))
  return wanted === ids.length ? ids : [...ids, ...Array<string>(wanted - ids.length).fill(ids[ids.length - 1]!)]
}

/** Texts of statements, made once for each number of rows: they are long, and a known one finds its statement faster. */
class Texts {
  readonly #known = new Map<string, Array<string>>()

  of(statement: string, rows: number, make: () => string): string {
    let texts = this.#known.get(statement)
    if (texts === undefined) this.#known.set(statement, (texts = []))
    return (texts[rows] ??= make())
  }
}

type Tuples = ReadonlyArray<ReadonlyArray<Value>>

/** Statements over many rows at once, in the dialect of the store. */
export const make = (sql: SqlClient) => {
  const mark: (index: number) => string = sql.onDialectOrElse({
    pg: () => (index: number) => `$${index}`,
    orElse: () => () => "?"
  })
  const lock: string = sql.onDialectOrElse({ pg: () => " FOR UPDATE", orElse: () => "" })
  const texts = new Texts()

  const marks = (count: number, from: number): string =>
    Array.from({ length: count }, (_, i) => mark(from + i)).join(", ")

  /**
   * The rows with these ids, locked until the transaction ends where the store has such locks: in order, so that two
   * transactions that want the same rows do not wait for each other. `locked` are the tables, where not all that are read.
   */
  const byIds = (
    columns: string,
    table: string,
    ids: ReadonlyArray<string>,
    { id = "id", locked = "" } = {}
  ): Statement => {
    const values = filledUp(ids)
    const text = () => {
      const of = lock !== "" && locked !== "" ? `${lock} OF ${locked}` : lock
      return `SELECT ${columns} FROM ${table} WHERE ${id} IN (${marks(values.length, 1)}) ORDER BY ${id}${of}`
    }
    return { text: texts.of(`${columns} ${table}`, values.length, text), values }
  }

  /** Inserts the rows; `conflict` says what happens to those that are there already. */
  const insert = (
    table: string,
    columns: ReadonlyArray<string>,
    rows: Tuples,
    conflict = ""
  ): ReadonlyArray<Statement> => {
    if (rows.length === 0) return []
    return pieces(rows).map((some) => {
      const text = () => {
        const tuples = some.map((_, i) => `(${marks(columns.length, 1 + i * columns.length)})`)
        return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${tuples.join(", ")} ${conflict}`
      }
      return { text: texts.of(`${table} ${columns.length} ${conflict.length}`, some.length, text), values: some.flat() }
    })
  }

  /** Changes rows that are there. The first column says which; each has its type, which not every store can guess. */
  const update = (
    table: string,
    columns: ReadonlyArray<readonly [name: string, type: "TEXT" | "BIGINT"]>,
    rows: Tuples
  ): ReadonlyArray<Statement> => {
    if (rows.length === 0) return []
    return pieces(rows).map((some) => {
      const text = () => {
        const typed = columns.map(([, type], i) => `CAST(${mark(i + 1)} AS ${type})`).join(", ")
        const tuples = some.map((_, i) => `(${i === 0 ? typed : marks(columns.length, 1 + i * columns.length)})`)
        const [id, ...changed] = columns.map(([name]) => name)
        const set = changed.map((name, i) => `${name} = v.column${i + 2}`).join(", ")
        return `UPDATE ${table} SET ${set} FROM (VALUES ${tuples.join(", ")}) AS v WHERE ${table}.${id} = v.column1`
      }
      return { text: texts.of(`update ${table}`, some.length, text), values: some.flat() }
    })
  }

  return { mark, byIds, insert, update }
}

export type Statements = ReturnType<typeof make>
