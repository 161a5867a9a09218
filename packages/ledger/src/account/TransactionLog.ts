import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { make as makeRows, number, type Row, type Rows, text } from "../store/rows.ts"
import * as Lines from "../usage/exportLines.ts"
import { type Transaction, entryColumns, entryOf } from "./entries.ts"

export interface LoggedTransaction extends Transaction {
  readonly account: string
}

export interface Filter {
  readonly account?: string | undefined
  /** Milliseconds since the epoch. */
  readonly start?: number | undefined
  /** Exclusive. */
  readonly end?: number | undefined
}

/** Continue after this entry. */
type Cursor = readonly [account: string, at: number, id: string]

const page = 500

const pages = ({ literal, query, sql }: Rows, { account, end, start }: Filter) =>
  Stream.paginate<Cursor, Row, SqlError>(["", 0, ""], ([owner, at, id]) => {
    const where = sql.and([
      sql`(account, at, id) > (${owner}, ${at}, ${id})`,
      ...(account === undefined ? [] : [sql`account = ${account}`]),
      ...(start === undefined ? [] : [sql`at >= ${start}`]),
      ...(end === undefined ? [] : [sql`at < ${end}`])
    ])
    const statement = query`SELECT account, ${literal(entryColumns)} FROM entries WHERE ${where}
      ORDER BY account, at, id LIMIT ${page}`
    return Effect.map(statement, (found) => {
      const last = found.length < page ? undefined : found.at(-1)
      const next = (row: Row) => [text(row, "account"), number(row, "at"), text(row, "id")] as const
      return [found, Option.map(Option.fromNullishOr(last), next)]
    })
  })

/** Every entry once, by account and time. */
export const stream = (filter: Filter = {}): Stream.Stream<LoggedTransaction, SqlError, SqlClient> =>
  Stream.unwrap(SqlClient.use((sql) => Effect.succeed(pages(makeRows(sql), filter)))).pipe(
    Stream.map((row) => ({ ...entryOf(row), account: text(row, "account") }))
  )

const readers: Readonly<Record<string, (entry: LoggedTransaction) => Lines.Cell>> = {
  entry_id: ({ id }) => id,
  account: ({ account }) => account,
  kind: ({ kind }) => kind,
  amount_micros_usd: ({ amount }) => amount,
  call: ({ call }) => call,
  note: ({ note }) => note,
  at: ({ at }) => Lines.time(at)
}

const names = Object.keys(readers)

const fields = (entry: LoggedTransaction) =>
  Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, read(entry)]))

export const csv = Lines.csv(names, fields)

export const ndjson = Lines.ndjson(names, fields)
