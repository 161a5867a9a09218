import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { SafeIntegers, SqlClient } from "effect/sql/SqlClient"
import { createHash } from "node:crypto"
import { type Row, selectAll, type Table } from "./Table.ts"

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
  return BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
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
