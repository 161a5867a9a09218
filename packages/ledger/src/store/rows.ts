import { hasProperty } from "effect/Predicate"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Effect from "effect/Effect"
import { SafeIntegers, type SqlClient } from "effect/sql/SqlClient"
import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import * as Statements from "./statements.ts"

/** The SQLSTATE, or SQLite's result code. */
const codeOf = (cause: unknown): string | undefined => {
  const code = hasProperty(cause, "errcode") ? cause.errcode : hasProperty(cause, "code") ? cause.code : undefined
  return /^[0-9A-Z]{1,5}$/.test(String(code)) ? String(code) : undefined
}

/**
 * What a log line may say of a failure: the database's own message, which names tables, columns and constraints. An error of an
 * unknown kind, such as a number out of range, may quote a value: of that only the code.
 */
export const describeSqlError = ({ reason: { _tag: reason, cause, message } }: SqlError) =>
  reason === "UnknownError" ? { reason, code: codeOf(cause) } : { reason, message }

export const isRaised = ({ reason: { cause } }: SqlError, state: string): boolean =>
  hasProperty(cause, "code") && cause.code === state

export const connectionError = (operation: string, message: string): SqlError =>
  new SqlError({ reason: new ConnectionError({ cause: new Error(message), operation, message }) })

export type { Value } from "./statements.ts"
export type Row = Readonly<Record<string, unknown>>

/** Reads and writes rows. Integers are read as bigint, because amounts may exceed 2^53. */
export const make = (sql: SqlClient) => {
  const statements = Statements.make(sql)
  const { dialect, mark } = statements

  const run = (text: string, values: ReadonlyArray<Statements.Value>): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
    Effect.provideService(sql.unsafe<Row>(text, values), SafeIntegers, true)

  /** Runs a statement that is written with its values in place. What is no value is a `literal`. */
  const query = (
    text: TemplateStringsArray,
    ...parts: ReadonlyArray<Statements.Value | Fragment>
  ): Effect.Effect<ReadonlyArray<Row>, SqlError> => Effect.provideService(sql<Row>(text, ...parts), SafeIntegers, true)

  const byIds = (
    columns: string,
    table: string,
    ids: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<Row>, SqlError> => {
    const { text, values } = statements.byIds(columns, table, ids, { locked: "" })
    return run(text, values)
  }

  /** Locks rows until the transaction ends. In SQLite nobody else writes during a transaction anyway. */
  const lock = (table: string, ids: ReadonlyArray<string>): Effect.Effect<void, SqlError> => {
    if (dialect.lockRows === "") return Effect.void
    const { text, values } = statements.byIds("id", table, ids)
    return Effect.asVoid(run(text, values))
  }

  /** Waits until nobody else holds the name, and holds it until the transaction ends. */
  const lockName = (name: string): Effect.Effect<void, SqlError> =>
    dialect.lockName === undefined ? Effect.void : Effect.asVoid(run(dialect.lockName, [name]))

  const insert = (
    table: string,
    columns: ReadonlyArray<string>,
    rows: ReadonlyArray<ReadonlyArray<Statements.Value>>
  ): Effect.Effect<void, SqlError> =>
    Effect.forEach(statements.insert(table, columns, rows), ({ text, values }) => run(text, values), { discard: true })

  /** What all gateways on the store agree on, by its name. */
  const fact = (name: string): Effect.Effect<string | undefined, SqlError> =>
    Effect.map(query`SELECT value FROM facts WHERE name = ${name}`, ([row]) => row && text(row, "value"))

  const setFact = (name: string, value: string): Effect.Effect<void, SqlError> =>
    Effect.asVoid(
      query`INSERT INTO facts (name, value) VALUES (${name}, ${value})
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`
    )

  return { sql, dialect, run, query, literal: sql.literal, byIds, lock, lockName, insert, mark, fact, setFact }
}

export type Rows = ReturnType<typeof make>

export const text = (row: Row, name: string): string => String(row[name])
export const textOrNull = (row: Row, name: string): string | null => (row[name] === null ? null : text(row, name))
export const amount = (row: Row, name: string): bigint => BigInt(row[name] as bigint | number | string)
/** Of a store that somebody may have written into: a text or a fraction is no whole number. */
export const whole = (row: Row, name: string): bigint | undefined =>
  /^-?\d+$/.test(text(row, name)) ? amount(row, name) : undefined
export const amountOrNull = (row: Row, name: string): bigint | null => (row[name] === null ? null : amount(row, name))
export const number = (row: Row, name: string): number => Number(row[name])
export const numberOrNull = (row: Row, name: string): number | null => (row[name] === null ? null : number(row, name))
export const flag = (row: Row, name: string): boolean => number(row, name) === 1
export const micros = (row: Row, name: string): BigMicroUsd => micro(amount(row, name))
export const microsOrNull = (row: Row, name: string): BigMicroUsd | null =>
  row[name] === null ? null : micros(row, name)

const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Reads a row field by field, each from the column of its name: `createdAt` from `created_at`. */
export const readerOf = <Fields extends Readonly<Record<string, (row: Row, name: string) => unknown>>>(
  fields: Fields
) => {
  const columns = Object.entries(fields).map(([field, read]) => [field, read, columnOf(field)] as const)
  return (row: Row) =>
    Object.fromEntries(columns.map(([field, read, column]) => [field, read(row, column)])) as {
      readonly [Field in keyof Fields]: ReturnType<Fields[Field]>
    }
}
