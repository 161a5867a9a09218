import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { number, numberOrNull, type Row, type Rows, text, type Value } from "../store/rows.ts"
import { type Cursor, type Filter, firstEndedCursor } from "./callFilter.ts"

/** How many calls a request looks at for those that match. A page may be empty for that reason. */
const maxScanned = 5_000
/** How many calls are looked at that ended after a range of time: some of them began in it. */
const maxLater = 5_000
/** How many calls may have ended between two pages of calls that have not. */
const maxEnded = 5_000

export interface Page {
  readonly rows: ReadonlyArray<Row>
  readonly next: Cursor | undefined
}

/** Whose calls are read. `undefined`: those of all accounts. */
type Account = string | undefined

/** Reads pages of an account's calls, or of all. */
export const make = ({ mark, run }: Pick<Rows, "mark" | "run">, columns: string) => {
  const binder = () => {
    const values: Array<Value> = []
    const bind = (value: Value) => mark(values.push(value))
    const matches = ({ conditions }: Filter) =>
      conditions
        .map(([column, is, value]) => ` AND ${column} ${is} ${bind(value)}${is === "LIKE" ? " ESCAPE '\\'" : ""}`)
        .join("")
    const earlier = (column: string, { at, id }: Pick<Cursor, "at" | "id">) =>
      ` AND ${column} <= ${bind(at)} AND (${column}, id) < (${bind(at)}, ${bind(id)})`
    const of = (account: Account) => (account === undefined ? "" : ` AND account = ${bind(account)}`)
    return { values, bind, matches, earlier, of }
  }

  /** Now, or the end of the newest call if the clock went back. */
  const newest = (account: Account, now: number): Effect.Effect<number, SqlError> => {
    const { of, values } = binder()
    return Effect.map(
      run(`SELECT MAX(ended_at) AS at FROM calls WHERE ended_at IS NOT NULL${of(account)}`, values),
      ([row]) => Math.max(now, (row === undefined ? null : numberOrNull(row, "at")) ?? now)
    )
  }

  /** The end of a call, after so many that ended at the time or later. */
  const endedAfter = (account: Account, at: number, offset: number) => {
    const { bind, of, values } = binder()
    return run(
      `SELECT ended_at FROM calls WHERE ended_at IS NOT NULL${of(account)} AND ended_at >= ${bind(at)}` +
        ` ORDER BY ended_at LIMIT 1 OFFSET ${offset}`,
      values
    )
  }

  const isTooOld = (account: Account, { asOf }: Cursor): Effect.Effect<boolean, SqlError> =>
    Effect.map(endedAfter(account, asOf, maxEnded), (found) => found.length > 0)

  /** Calls that had not ended when the reader began, also if they have since. */
  const unended = (account: Account, cursor: Cursor, filter: Filter, limit: number) => {
    const { bind, earlier, matches, of, values } = binder()
    const parts = ["state = 'open'", "state = 'running'", "ended_at >= "].map(
      (condition, i) =>
        `SELECT ${columns} FROM calls WHERE ${i === 2 ? condition + bind(cursor.asOf) : condition}` +
        `${of(account)}${earlier("created_at", cursor)}${matches(filter)}` +
        (filter.since === undefined
          ? ""
          : ` AND (created_at >= ${bind(filter.since)} OR ended_at >= ${bind(filter.since)})`)
    )
    return run(
      `SELECT * FROM (${parts.join(" UNION ALL ")}) AS unended ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
      values
    )
  }

  const endedWhere = ({ earlier, of }: ReturnType<typeof binder>, account: Account, cursor: Cursor) =>
    ` FROM calls WHERE ended_at IS NOT NULL${of(account)}${earlier("ended_at", cursor)}`
  const newestFirst = " ORDER BY ended_at DESC, id DESC"

  /** No call that matches ended earlier. */
  const floorOf = ({ from, since }: Filter): number | undefined =>
    from === undefined || since === undefined ? (from ?? since) : Math.max(from, since)

  /** Where to begin: not with all calls that ended after the range. */
  const firstEnded = (account: Account, cursor: Cursor, { to }: Filter) => {
    const first = firstEndedCursor(cursor)
    if (to === undefined || to >= first.at) return Effect.succeed(first)
    return Effect.map(endedAfter(account, to, maxLater), ([row]) =>
      row === undefined ? first : { ...first, at: Math.min(first.at, number(row, "ended_at")) }
    )
  }

  /** This request looks at calls that ended then or later. `undefined`: at all. */
  const lastScanned = (account: Account, cursor: Cursor, filter: Filter) => {
    const floor = floorOf(filter)
    const query = binder()
    const where = endedWhere(query, account, cursor)
    const from = floor === undefined ? "" : ` AND ended_at >= ${query.bind(floor)}`
    return Effect.map(
      run(`SELECT ended_at${where}${from}${newestFirst} LIMIT 1 OFFSET ${maxScanned - 1}`, query.values),
      ([row]) => (row === undefined ? undefined : number(row, "ended_at"))
    )
  }

  const ended = Effect.fnUntraced(function* (account: Account, cursor: Cursor, filter: Filter, limit: number) {
    const last = filter.conditions.length === 0 ? undefined : yield* lastScanned(account, cursor, filter)
    const query = binder()
    const where = endedWhere(query, account, cursor)
    // One bound: of two, SQLite may begin at the earlier and read all calls in between.
    const start = last ?? floorOf(filter)
    const from = start === undefined ? "" : ` AND ended_at >= ${query.bind(start)}`
    const found = yield* run(
      `SELECT ${columns}${where}${from}${query.matches(filter)}${newestFirst} LIMIT ${limit}`,
      query.values
    )
    return { found, last }
  })

  const after = (cursor: Cursor, row: Row | undefined): Cursor =>
    row === undefined
      ? cursor
      : { ...cursor, at: number(row, cursor.part === "ended" ? "ended_at" : "created_at"), id: text(row, "id") }

  const page = Effect.fnUntraced(function* (account: Account, start: Cursor, filter: Filter) {
    const { limit } = filter
    // One more than the page shows whether there are others.
    const rows = start.part === "ended" ? [] : yield* unended(account, start, filter, limit + 1)
    if (rows.length > limit) {
      const shown = rows.slice(0, limit)
      const found: Page = { rows: shown, next: after(start, shown.at(-1)) }
      return found
    }
    const cursor = start.part === "ended" ? start : yield* firstEnded(account, start, filter)
    const room = limit - rows.length
    const { found, last } = yield* ended(account, cursor, filter, room + 1)
    const shown = found.slice(0, room)
    // The last call that was looked at may be another key's, so its id is not told.
    const rest = last === undefined ? undefined : { ...cursor, at: last, id: "" }
    const next = found.length > room ? after(cursor, shown.at(-1)) : rest
    const both: Page = { rows: [...rows, ...shown], next }
    return both
  })

  /** The call with this request id, if it matches the rest. */
  const byId = (account: Account, id: string, { conditions, ...rest }: Filter) => {
    const { bind, matches, of, values } = binder()
    return run(
      `SELECT ${columns} FROM calls WHERE id = ${bind(id)}${of(account)}${matches({ ...rest, conditions })}`,
      values
    )
  }

  return { newest, isTooOld, page, byId }
}
