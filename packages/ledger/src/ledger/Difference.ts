import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { make as makeRows, type Row, textOrNull, whole } from "../store/rows.ts"

/** One stored value that differs from what the other rows add up to. */
export interface Difference {
  readonly table: string
  readonly column: string
  readonly id: string
  readonly stored: bigint | string | null
  readonly expected: bigint | string | null
}

export type Check = (rows: ReturnType<typeof makeRows>) => Effect.Effect<ReadonlyArray<Difference>, SqlError>

export const due = (column: string): string => `due_${column}`

/** Compares columns with their expected values, which `select` returns under the name `due(column)`. */
export const compare =
  (table: string, columns: ReadonlyArray<string>, select: string, id: (row: Row) => string): Check =>
  (rows) =>
    Effect.map(
      rows.run(
        `SELECT * FROM (${select}) AS compared WHERE ${columns.map((name) => `${name} <> ${due(name)}`).join(" OR ")}`,
        []
      ),
      (found) =>
        found.flatMap((row) =>
          columns
            .map((column) => ({
              table,
              column,
              id: id(row),
              stored: whole(row, column) ?? textOrNull(row, column),
              expected: whole(row, due(column)) ?? textOrNull(row, due(column))
            }))
            .filter(({ expected, stored }) => expected !== stored)
        )
    )

/** Rows that must not be there, with `id` and `stored`. */
export const unexpected =
  (table: string, column: string, expected: string | null, select: string): Check =>
  (rows) =>
    Effect.map(rows.run(select, []), (found) =>
      found.map(({ id, stored }) => ({
        table,
        column,
        id: String(id),
        stored: stored === null ? null : String(stored),
        expected
      }))
    )

export const all =
  (checks: ReadonlyArray<Check>): Check =>
  (rows) =>
    Effect.map(
      Effect.forEach(checks, (check) => check(rows)),
      (found) => found.flat()
    )
