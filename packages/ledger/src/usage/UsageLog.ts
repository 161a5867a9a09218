import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { make as makeRows, number, type Row, text, type Value } from "../store/rows.ts"
import { type ExportedCall, exportedCallOf, exportedColumns, exportedNames } from "./callFields.ts"
import * as Lines from "./exportLines.ts"
import type { Window } from "./Query.ts"

export type { ExportedCall }

export interface Filter {
  readonly account?: string | undefined
  readonly key?: string | undefined
  /** Milliseconds since the epoch. A call counts at the time it ended or became unknown, or else under its start. */
  readonly start?: number | undefined
  /** Exclusive. Now by default. */
  readonly end?: number | undefined
}

/** Continue after this time, and at this time after this id. */
type Cursor = readonly [at: number, id: string]

const page = 500

const make = (rows: ReturnType<typeof makeRows>, filter: Filter, window: Window) => {
  const pages = (time: "ended_at" | "created_at", condition: string, account: string | undefined) =>
    Stream.paginate<Cursor, Row, SqlError>([window.start, ""], ([at, id]) => {
      const values: Array<Value> = []
      const bind = (value: Value) => rows.mark(values.push(value))
      const whose =
        (account === undefined ? "" : ` AND account = ${bind(account)}`) +
        (filter.key === undefined ? "" : ` AND key = ${bind(filter.key)}`)
      const statement =
        `SELECT ${exportedColumns} FROM calls WHERE ${condition}${whose}` +
        ` AND ${time} >= ${bind(at)} AND ${time} < ${bind(window.end)} AND (${time}, id) > (${bind(at)}, ${bind(id)})` +
        ` ORDER BY ${time}, id LIMIT ${page}`
      return Effect.map(rows.run(statement, values), (found) => {
        const last = found.length < page ? undefined : found.at(-1)
        return [found, Option.map(Option.fromNullishOr(last), (row) => [number(row, time), text(row, "id")] as const)]
      })
    })

  /** The condition of the index stands here too: without it the store reads every call for each account. */
  const nextAccount = (after: string) =>
    Effect.map(
      rows.run(`SELECT MIN(account) AS account FROM calls WHERE ended_at IS NOT NULL AND account > ${rows.mark(1)}`, [
        after
      ]),
      ([row]) => (row === undefined || row.account === null ? undefined : text(row, "account"))
    )

  const accountOfKey = (key: string) =>
    Effect.map(rows.run(`SELECT account FROM keys WHERE id = ${rows.mark(1)}`, [key]), (found) =>
      found.map((row) => text(row, "account"))
    )

  /** One account at a time: the index on time starts with the account. */
  const accounts: Stream.Stream<string, SqlError> =
    filter.account !== undefined
      ? Stream.succeed(filter.account)
      : filter.key !== undefined
        ? Stream.fromIterableEffect(accountOfKey(filter.key))
        : Stream.paginate<string, string, SqlError>("", (after) =>
            Effect.map(nextAccount(after), (next) => [next === undefined ? [] : [next], Option.fromUndefinedOr(next)])
          )

  return {
    unended: Stream.concat(
      pages("created_at", "state = 'open'", filter.account),
      pages("created_at", "state = 'running'", filter.account)
    ),
    ended: Stream.flatMap(accounts, (account) => pages("ended_at", "ended_at IS NOT NULL", account))
  }
}

/**
 * Every call once: first those that have not ended, then the others by account and time. The store is read page by page
 * and not locked in between. A call that ends meanwhile appears only as it was found first.
 */
export const stream = (filter: Filter = {}): Stream.Stream<ExportedCall, SqlError, SqlClient> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const rows = makeRows(yield* SqlClient)
      const end = filter.end ?? (yield* Clock.currentTimeMillis) + 1
      const { ended, unended } = make(rows, filter, { start: filter.start ?? 0, end })
      const seen = new Set<string>()
      return Stream.concat(
        Stream.tap(unended, (row) => Effect.sync(() => seen.add(text(row, "id")))),
        Stream.filter(ended, (row) => !seen.has(text(row, "id")))
      ).pipe(Stream.map(exportedCallOf))
    })
  )

const asItIs = (call: ExportedCall): ExportedCall => call

export const csv = Lines.csv(exportedNames, asItIs)

export const ndjson = Lines.ndjson(exportedNames, asItIs)
