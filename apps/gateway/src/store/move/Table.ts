import * as Effect from "effect/Effect"
import { SafeIntegers, SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { hash } from "node:crypto"

export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly primaryKey: ReadonlyArray<string>
  /** How many rows are read at once: those with bytes can be large. */
  readonly batch: number
}

/** Read from the embedded store, so that a column that is added later is copied too. */
const describeTable = Effect.fnUntraced(function* (name: string) {
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

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `"${name}"`).join(", ")

export const selectAll = ({ columns, name }: Table): string => `SELECT ${quoted(columns)} FROM "${name}"`

/** The next rows of the embedded store after this one, or the first ones. */
export const readBatch = (
  table: Table,
  where: string | undefined,
  after: Row | undefined
): Effect.Effect<ReadonlyArray<Row>, SqlError, SqlClient> =>
  SqlClient.use((sql) => {
    const key = quoted(table.primaryKey)
    const conditions = [
      ...(where === undefined ? [] : [where]),
      ...(after === undefined ? [] : [`(${key}) > (${table.primaryKey.map(() => "?").join(", ")})`])
    ]
    const filter = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`
    const values = after === undefined ? [] : table.primaryKey.map((column) => after[column])
    return sql.unsafe<Row>(`${selectAll(table)}${filter} ORDER BY ${key} LIMIT ${table.batch}`, values)
  }).pipe(Effect.provideService(SafeIntegers, true))

export interface Checksum {
  readonly rows: number
  readonly sum: string
}

/** PostgreSQL stores no U+0000: the driver writes this mark instead. */
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD")

const encode = (value: Row[string] | undefined): string => {
  if (value === null || value === undefined) return "-"
  if (typeof value === "bigint") return `i${value}`
  return typeof value === "string" ? `t${storable(value)}` : `b${Buffer.from(value).toString("base64")}`
}

const size = 1n << 256n

const hashOf = (columns: ReadonlyArray<string>, row: Row): bigint => {
  const text = JSON.stringify(columns.map((column) => encode(row[column])))
  return BigInt(`0x${hash("sha256", text)}`)
}

/** Reads every value of a table. The sum of the rows' hashes does not depend on their order, which differs between stores. */
export const checksum = Effect.fnUntraced(function* (table: Table) {
  const sql = yield* SqlClient
  let rows = 0
  let sum = 0n
  yield* sql.unsafe<Row>(selectAll(table)).stream.pipe(
    Stream.provideService(SafeIntegers, true),
    Stream.runForEachArray((batch) =>
      Effect.sync(() => {
        rows += batch.length
        for (const row of batch) sum = (sum + hashOf(table.columns, row)) % size
      })
    )
  )
  return { rows, sum: sum.toString(16) } satisfies Checksum
})

/** The journal is empty after a checkpoint. The rest says something of the store itself. */
const tablesThatStay = ["journal", "task_slots", "gateways", "facts", "tollgate_migrations"]

/** The tables that a move copies, as they were made: after those that they refer to. */
export const movedTables = Effect.gen(function* () {
  const sql = yield* SqlClient
  const found = yield* sql<{ readonly name: string }>`
    SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid`
  const moved = found.filter(({ name }) => !tablesThatStay.includes(name))
  return yield* Effect.forEach(moved, ({ name }) => describeTable(name))
})

/** A table is copied in parts: a key refers to the first one of its rotations, which refers to none. */
export const partsOf = ({ name }: Table): ReadonlyArray<string | undefined> =>
  name === "keys" ? ["root_key IS NULL", "root_key IS NOT NULL"] : [undefined]
