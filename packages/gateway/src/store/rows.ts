import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { SafeIntegers, type SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

export type Value = string | number | bigint | Uint8Array | null
export type Row = Readonly<Record<string, unknown>>

/** At most this many rows in one statement: each number of rows is a statement of its own, which the driver keeps. */
const most = 64

const chunks = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / most) }, (_, i) => items.slice(i * most, (i + 1) * most))

/** Texts of statements, made once for each number of rows: they are long, and a known one finds its statement faster. */
class Texts {
  readonly #known = new Map<string, Array<string>>()

  of(statement: string, rows: number, make: () => string): string {
    let texts = this.#known.get(statement)
    if (texts === undefined) this.#known.set(statement, (texts = []))
    return (texts[rows] ??= make())
  }
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
    Effect.withFiber((fiber) => {
      // Within `transaction` the connection is at hand; a statement of its own would be compiled and traced each time.
      const open = fiber.getRef(SafeIntegers)
        ? Context.getOrUndefined(fiber.context, sql.transactionService)
        : undefined
      return open === undefined
        ? Effect.provideService(sql.unsafe<Row>(text, values), SafeIntegers, true)
        : open[0].execute(text, values, undefined)
    })

  const transaction = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
    Effect.provideService(sql.withTransaction(effect), SafeIntegers, true)

  const texts = new Texts()

  /** The rows with these ids, locked until the transaction ends where the store has such locks. */
  const byIds = (
    columns: string,
    table: string,
    ids: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<Row>, SqlError> => {
    // In order, so that two transactions that want the same rows do not wait for each other.
    const select = (some: ReadonlyArray<string>) => {
      const text = () => `SELECT ${columns} FROM ${table} WHERE id IN (${marks(some.length, 1)}) ORDER BY id${lock}`
      return run(texts.of(`${columns} ${table}`, some.length, text), some)
    }
    if (ids.length === 0) return Effect.succeed([])
    return ids.length <= most ? select(ids) : Effect.map(Effect.forEach(chunks(ids), select), (found) => found.flat())
  }

  type Tuples = ReadonlyArray<ReadonlyArray<Value>>

  const forEachPiece = (rows: Tuples, put: (some: Tuples) => Effect.Effect<unknown, SqlError>) => {
    if (rows.length === 0) return Effect.void
    return rows.length <= most ? Effect.asVoid(put(rows)) : Effect.forEach(chunks(rows), put, { discard: true })
  }

  /** Inserts the rows; `conflict` says what happens to those that are there already. */
  const insert = (
    table: string,
    columns: ReadonlyArray<string>,
    rows: Tuples,
    conflict = ""
  ): Effect.Effect<void, SqlError> => {
    const put = (some: Tuples) => {
      const text = () => {
        const tuples = some.map((_, i) => `(${marks(columns.length, 1 + i * columns.length)})`)
        return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${tuples.join(", ")} ${conflict}`
      }
      return run(texts.of(`${table} ${columns.length} ${conflict.length}`, some.length, text), some.flat())
    }
    return forEachPiece(rows, put)
  }

  /** Changes rows that are there. The first column says which; each has its type, which not every store can guess. */
  const update = (
    table: string,
    columns: ReadonlyArray<readonly [name: string, type: "TEXT" | "BIGINT"]>,
    rows: Tuples
  ): Effect.Effect<void, SqlError> => {
    const put = (some: Tuples) => {
      const text = () => {
        const typed = columns.map(([, type], i) => `CAST(${mark(i + 1)} AS ${type})`).join(", ")
        const tuples = some.map((_, i) => `(${i === 0 ? typed : marks(columns.length, 1 + i * columns.length)})`)
        const [id, ...changed] = columns.map(([name]) => name)
        const set = changed.map((name, i) => `${name} = v.column${i + 2}`).join(", ")
        return `UPDATE ${table} SET ${set} FROM (VALUES ${tuples.join(", ")}) AS v WHERE ${table}.${id} = v.column1`
      }
      return run(texts.of(`update ${table}`, some.length, text), some.flat())
    }
    return forEachPiece(rows, put)
  }

  return { run, transaction, byIds, insert, update, mark }
}

export type Rows = ReturnType<typeof make>

export const text = (row: Row, name: string): string => String(row[name])
export const amount = (row: Row, name: string): bigint => BigInt(row[name] as bigint | number | string)
export const amountOrNull = (row: Row, name: string): bigint | null => (row[name] === null ? null : amount(row, name))
export const number = (row: Row, name: string): number => Number(row[name])
export const numberOrNull = (row: Row, name: string): number | null => (row[name] === null ? null : number(row, name))
