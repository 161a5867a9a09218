import { amountOf } from "@tollgate/contract/account/Amount"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { KeyHash } from "../credential/KeyHash.ts"
import * as Rows from "../store/rows.ts"
import { amount, number, readerOf, type Row, text, textOrNull, whole } from "../store/rows.ts"

/** On whose behalf something is changed. Whoever serves a request or runs a command provides it for all that it does. */
export interface Cause {
  /** `Ada (op_1)`, `token`, `key key_1`, `command`, `configuration`. */
  readonly who: string
  readonly operator?: string | undefined
  readonly address: string | null
  /** The id of the request. Empty: there was none. */
  readonly request: string
  /** Of changes that have no reason of their own. */
  readonly why?: string | undefined
}

export const CurrentCause = Context.Reference<Cause>("@tollgate/ledger/CurrentCause", {
  defaultValue: () => ({ who: "gateway", address: null, request: "" })
})

export interface Change {
  /** `key changed`. */
  readonly action: string
  /** What was changed, by its id. */
  readonly subject: string
  readonly account?: string | undefined
  /** Only what differs. */
  readonly before?: Row | undefined
  readonly after?: Row | undefined
  readonly why?: string | undefined
}

/** In the order in which the hash is of them. */
export const entryOf = readerOf({
  seq: number,
  at: number,
  who: text,
  operator: textOrNull,
  address: textOrNull,
  request: text,
  action: text,
  subject: text,
  account: textOrNull,
  /** As JSON. */
  before: textOrNull,
  after: textOrNull,
  why: text,
  hash: text
})

export type Entry = ReturnType<typeof entryOf>

/** With the installation's secret: who writes into the database alone cannot make one. */
export const hashOf = (
  hash: KeyHash["Service"],
  previous: string,
  { hash: _, ...entry }: Omit<Entry, "hash"> & { hash?: string }
) => hash.of(`trail ${JSON.stringify([previous, ...Object.values(entry)])}`)

export const written = (values: Row | undefined): string | null =>
  values === undefined
    ? null
    : JSON.stringify(values, (_, value: unknown) => (typeof value === "bigint" ? amountOf(value) : value))

const lock = "tollgate trail"

/** The fact that names the last entry, so that a trail without its end is noticed. */
export const factName = "trail"

/** The action of the first entry, which holds how much money was booked before there was a trail. */
export const begun = "trail begun"

/** Money that no entry of the trail is about, without the entry that is being recorded. */
export const unrecorded = (rows: Rows.Rows, recording = "") =>
  Effect.map(
    rows.query`SELECT COUNT(*) AS entries, COALESCE(SUM(amount), 0) AS amount FROM entries WHERE id <> ${recording} AND NOT EXISTS
      (SELECT 1 FROM trail WHERE trail.subject = entries.id AND trail.account = entries.account AND trail.action = ${booked})`,
    ([row = {}]): Row => ({ entries: amount(row, "entries"), amount: whole(row, "amount") ?? text(row, "amount") })
  )

/** The action of entries about money: the subject is an entry of the books, with its amount. */
export const booked = "money booked"

export type Trail = ReturnType<typeof make>

/** The list of all changes that are no calls. Entries are added, and never changed. */
export const make = (sql: SqlClient, hash: KeyHash["Service"]) => {
  const rows = Rows.make(sql)
  const { insert, lockName, query, setFact } = rows

  const insertEntry = Effect.fnUntraced(function* (
    last: Pick<Entry, "hash" | "seq">,
    { account, action, after, before, subject, why }: Change
  ) {
    const cause = yield* CurrentCause
    const entry = {
      seq: last.seq + 1,
      at: yield* Clock.currentTimeMillis,
      // As the store keeps it: half a character is none.
      who: cause.who.toWellFormed(),
      operator: cause.operator ?? null,
      address: cause.address,
      request: cause.request,
      action,
      subject,
      account: account ?? null,
      before: written(before),
      after: written(after),
      why: (why ?? cause.why ?? "").toWellFormed()
    }
    const hashed = yield* hashOf(hash, last.hash, entry)
    yield* insert("trail", [...Object.keys(entry), "hash"], [[...Object.values(entry), hashed]])
    yield* setFact(factName, `${entry.seq} ${hashed}`)
    return { seq: entry.seq, hash: hashed }
  })

  /** To be called in the transaction of the change, after all that it locks: whoever holds this lock waits for nobody. */
  const add = Effect.fnUntraced(function* (change: Change) {
    yield* lockName(lock)
    const [row] = yield* query`SELECT seq, hash FROM trail ORDER BY seq DESC LIMIT 1`
    if (row !== undefined) return yield* insertEntry({ seq: number(row, "seq"), hash: text(row, "hash") }, change)
    const first = { action: begun, subject: "trail", after: yield* unrecorded(rows, change.subject) }
    return yield* insertEntry(yield* insertEntry({ seq: 0, hash: "" }, first), change)
  })

  /** Adds what an effect changes of a row, in one transaction with it. `read`: the columns that count. It locks the row first. */
  const changing = <A, E, R, E2>(
    action: string,
    subject: string,
    read: Effect.Effect<Row, E2>,
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | E2 | SqlError, R> =>
    sql.withTransaction(
      Effect.gen(function* () {
        const before = yield* read
        const result = yield* effect
        const after = yield* read
        const names = Object.keys(after).filter((name) => before[name] !== after[name])
        const differing = (row: Row) => Object.fromEntries(names.map((name) => [name, row[name]]))
        if (names.length === 0) return result
        const account = typeof after.account === "string" ? after.account : undefined
        yield* add({ action, subject, account, before: differing(before), after: differing(after) })
        return result
      })
    )

  /**
   * Adds an entry before something that no transaction holds, such as a file, is changed: no change is without one. If the change
   * fails, another entry says so.
   */
  const around = <A, E, R>(change: Change, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> => {
    const record = (action: string) => sql.withTransaction(add({ ...change, action }))
    const failed = Effect.ignore(record(`${change.action}: refused`))
    return Effect.andThen(
      record(change.action),
      Effect.onError(effect, () => failed)
    ).pipe(Effect.uninterruptible)
  }

  return { add, changing, around }
}

export interface TrailQuery {
  /** Only entries of this subject, account, person, action or request: the whole of one of them. */
  readonly of?: string | undefined
  readonly start?: number | undefined
  readonly end?: number | undefined
  /** Only older entries than this one. */
  readonly before?: number | undefined
  readonly limit: number
}

/** The newest first. */
export const list = ({ query, sql }: Rows.Rows, { before, end, limit, of, start }: TrailQuery) => {
  const columns = ["subject", "account", "who", "operator", "action", "request"]
  const where = sql.and([
    ...(of === undefined ? [] : [sql.or(columns.map((name) => sql`${sql.literal(name)} = ${of}`))]),
    ...(start === undefined ? [] : [sql`at >= ${start}`]),
    ...(end === undefined ? [] : [sql`at < ${end}`]),
    ...(before === undefined ? [] : [sql`seq < ${before}`])
  ])
  return Effect.map(query`SELECT * FROM trail WHERE ${where} ORDER BY seq DESC LIMIT ${limit}`, (found) =>
    found.map(entryOf)
  )
}
