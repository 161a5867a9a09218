import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { make as makeRows, number, readerOf, type Row, text } from "@tollgate/ledger/store/rows"
import type { Statement, Value } from "@tollgate/ledger/store/statements"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type * as Sql from "effect/sql/Statement"
import type { Keeping, KeptTurn } from "../exchange/Exchange.ts"
import { isLarge, turns } from "../internal/Turns.ts"
import { Cipher } from "../identity/crypto/Cipher.ts"
import { idOf, type Item, itemsOfAll, type Kept, parsed, read } from "./conversation.ts"

export interface KeptResponsesBounds {
  /** 0: none are kept. */
  readonly days: number
  /** The bytes of one account. New responses evict the oldest. */
  readonly ofAccount: number
}

export const KeptResponsesBounds = Context.Reference<KeptResponsesBounds>("@tollgate/gateway/KeptResponsesBounds", {
  defaultValue: () => ({ days: 30, ofAccount: 256 * 1024 * 1024 })
})

/** A response, or a conversation, may take this part of the bytes of its account. */
export const share = 32

/** The most responses that are read for one conversation. The next one has all of it again. */
const mostInRow = 100

/** A response to keep. Without `previous` its body has the whole conversation. */
export interface NewResponse extends Pick<Keeping, "account" | "previous" | "size" | "history" | "items"> {
  readonly call: string
  readonly id: string
  readonly body: Uint8Array
}

/** What was kept up to a response. Of those before it only the items: a response may be much larger than what it says. */
export interface Before {
  readonly items: ReadonlyArray<Uint8Array>
  readonly last: Kept
}

/** Responses that their account can read and go on from, in the store, for all gateways that share it. */
export class KeptResponses extends Context.Service<
  KeptResponses,
  {
    readonly bounds: KeptResponsesBounds
    /** The bytes of a larger one are not kept. */
    readonly largest: number
    /** `undefined`: unknown, deleted, over, or another account's. */
    readonly find: (account: string, id: string) => Effect.Effect<KeptTurn | undefined, SqlError>
    /** The newest response after which a conversation has this history. */
    readonly findHistory: (account: string, history: string) => Effect.Effect<KeptTurn | undefined, SqlError>
    /** The items of the conversation up to this response. `undefined`: a part of it is gone. */
    readonly read: (account: string, turn: KeptTurn) => Effect.Effect<Before | undefined, SqlError>
    /** What was kept with this response alone. */
    readonly readLast: (account: string, turn: KeptTurn) => Effect.Effect<Kept | undefined, SqlError>
    readonly items: (account: string, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Item>, SqlError>
    /** Whether the next response should have the whole conversation again, so that the first of this row can go. */
    readonly isLong: (turn: KeptTurn) => boolean
    /** What keeps the response, to be committed with the end of its call. */
    readonly writes: (response: NewResponse) => Effect.Effect<ReadonlyArray<Statement>>
    /** For a call that is not settled. */
    readonly write: (statements: ReadonlyArray<Statement>) => Effect.Effect<void, SqlError>
    /** `false`: there is none. */
    readonly remove: (account: string, id: string) => Effect.Effect<boolean, SqlError>
  }
>()("@tollgate/gateway/KeptResponses") {}

const sweepEvery = "10 minutes"
/** Rows deleted by one statement, which blocks others while it runs. */
const sweepBatch = 200

/** Bytes that are read and decrypted at a time, unless one response has more. */
const openedAtOnce = 1024 * 1024

const rowBytes = 512
const itemBytes = 128

/** Ids that one statement looks for, and items of a response that can be referred to. */
const mostIds = 500
const mostItems = 2_000

const turnOf: (row: Row) => KeptTurn = readerOf({
  call: text,
  depth: number,
  beginsAt: number,
  size: number,
  history: text,
  upto: number
})

const contextOf = (account: string, call: string): string => `response ${account} ${call}`

/** Whoever adds to what is kept of an account has this lock. */
export const lockOf = (account: string): string => `kept_responses ${account}`

/** To be carried out with others. */
export const statementOf = (statement: Sql.Statement<unknown>): Statement => {
  const [text, values] = statement.compile()
  return { text, values: values as ReadonlyArray<Value> }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const cipher = yield* Cipher
  const { dialect, lockName, run } = makeRows(sql)
  const bounds = yield* KeptResponsesBounds
  const turnColumns = sql.literal("call, depth, begins_at, size, history, upto")
  const lifetimeMillis = bounds.days * 86_400_000

  const forgetItems = (rows: ReadonlyArray<Row>): Effect.Effect<void, SqlError> =>
    rows.length === 0
      ? Effect.void
      : Effect.asVoid(
          sql`DELETE FROM kept_items WHERE ${sql.in(
            "call",
            rows.map((row) => text(row, "call"))
          )}`
        )

  // A row that others go on from stays until they are gone.
  const sweep = Effect.gen(function* () {
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const deleted = yield* doesNotTouchLedger(sql<Row>`DELETE FROM kept_responses WHERE call IN
        (SELECT call FROM kept_responses AS kept WHERE ends_at <= ${now} AND NOT EXISTS
          (SELECT 1 FROM kept_responses AS next WHERE next.previous = kept.call) ORDER BY ends_at LIMIT ${sweepBatch})
        RETURNING call`)
      yield* doesNotTouchLedger(forgetItems(deleted))
      if (deleted.length === 0) return
      yield* Effect.yieldNow
    }
  })
  yield* Effect.ignore(sweep).pipe(Effect.repeat(Schedule.spaced(sweepEvery)), Effect.forkScoped)

  /** Deletes what was deleted before and is no part of another conversation any more. */
  const prune = Effect.fnUntraced(function* (account: string) {
    for (let i = 0; i <= mostInRow; i++) {
      const deleted = yield* sql`DELETE FROM kept_responses WHERE account = ${account} AND id IS NULL AND NOT EXISTS
        (SELECT 1 FROM kept_responses AS next WHERE next.previous = kept_responses.call) RETURNING call`
      if (deleted.length === 0) return
    }
  })

  /** What keeps the response, unless the beginning of its conversation was deleted meanwhile. */
  const writes = (response: NewResponse, sealed: Uint8Array, now: number): ReadonlyArray<Statement> => {
    const { account, call, history, id, previous, size } = response
    const items = [...new Set(response.items.slice(-mostItems))]
    const bytes = sealed.length + rowBytes + items.length * itemBytes
    const last = sql`SELECT COALESCE((SELECT upto FROM kept_responses WHERE account = ${account}
      ORDER BY since DESC LIMIT 1), 0) AS upto`
    const isKept = sql`EXISTS (SELECT 1 FROM kept_responses WHERE call = ${call})`
    const isEvicted = sql`account = ${account} AND
      since < (SELECT upto FROM kept_responses WHERE call = ${call}) - ${bounds.ofAccount}`
    return [
      ...(dialect.lockName === undefined ? [] : [{ text: dialect.lockName, values: [lockOf(account)] }]),
      statementOf(sql`INSERT INTO kept_responses
          (call, account, id, previous, depth, begins_at, size, history, body, since, upto, ends_at)
        SELECT ${call}, ${account}, ${id}, ${previous?.call ?? null}, ${previous === undefined ? 0 : previous.depth + 1},
          ${previous === undefined ? sql`last.upto` : previous.beginsAt}, ${size}, ${history}, ${sealed},
          last.upto, last.upto + ${bytes}, ${now + lifetimeMillis}
        FROM (${last}) AS last
        WHERE ${previous === undefined ? sql`true` : sql`EXISTS (SELECT 1 FROM kept_responses WHERE call = ${previous.call})`}`),
      statementOf(sql`DELETE FROM kept_items WHERE call IN (SELECT call FROM kept_responses WHERE ${isEvicted})`),
      statementOf(sql`DELETE FROM kept_responses WHERE ${isEvicted}`),
      ...Array.from({ length: Math.ceil(items.length / mostIds) }, (_, n) =>
        statementOf(sql`INSERT INTO kept_items (account, id, call)
          SELECT ${account}, item.column1, ${call}
          FROM (VALUES ${sql.csv(items.slice(n * mostIds, (n + 1) * mostIds).map((id) => sql`(${id})`))}) AS item
          WHERE ${isKept} ON CONFLICT (account, id) DO UPDATE SET call = excluded.call`)
      )
    ]
  }

  const open = Effect.fnUntraced(function* (account: string, row: Row) {
    const body = yield* cipher.openBytes(row.body as Uint8Array, contextOf(account, text(row, "call")))
    if (Option.isNone(body)) return undefined
    if (isLarge(body.value)) yield* turns.next
    return read(body.value)
  })

  /** Rows in parts that are small enough to be read at a time. */
  const parts = (rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<string>> => {
    const all: Array<Array<string>> = []
    let bytes = 0
    for (const row of rows) {
      bytes += number(row, "bytes")
      const last = all.at(-1)
      if (last !== undefined && bytes <= openedAtOnce) last.push(text(row, "call"))
      else {
        all.push([text(row, "call")])
        bytes = number(row, "bytes")
      }
    }
    return all
  }

  const readLast = Effect.fnUntraced(function* (account: string, { call }: KeptTurn) {
    const [row] = yield* doesNotTouchLedger(sql<Row>`SELECT call, body FROM kept_responses WHERE call = ${call}`)
    return row && (yield* open(account, row))
  })

  return KeptResponses.of({
    bounds,
    largest: bounds.ofAccount / share,
    isLong: ({ beginsAt, depth, upto }) => depth >= mostInRow || upto - beginsAt > bounds.ofAccount / 2,
    find: Effect.fnUntraced(function* (account, id) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* doesNotTouchLedger(sql<Row>`SELECT ${turnColumns} FROM kept_responses
        WHERE account = ${account} AND id = ${id} AND ends_at > ${now} ORDER BY since DESC LIMIT 1`)
      return row && turnOf(row)
    }),
    findHistory: Effect.fnUntraced(function* (account, history) {
      const now = yield* Clock.currentTimeMillis
      const [row] =
        yield* doesNotTouchLedger(sql<Row>`SELECT ${turnColumns} FROM kept_responses WHERE account = ${account}
        AND history = ${history} AND ends_at > ${now} ORDER BY since DESC LIMIT 1`)
      return row && turnOf(row)
    }),
    read: Effect.fnUntraced(function* (account, turn) {
      const rows = yield* doesNotTouchLedger(sql<Row>`WITH RECURSIVE before (call, previous) AS (
          SELECT call, previous FROM kept_responses WHERE call = ${turn.call}
          UNION ALL
          SELECT kept.call, kept.previous FROM kept_responses AS kept JOIN before ON kept.call = before.previous
        )
        SELECT call, LENGTH(body) AS bytes FROM kept_responses WHERE call IN (SELECT call FROM before) ORDER BY depth`)
      if (rows.length <= turn.depth) return undefined
      const items: Array<Uint8Array> = []
      for (const calls of parts(rows.slice(0, -1))) {
        const bodies = yield* doesNotTouchLedger(sql<Row>`SELECT call, body FROM kept_responses
          WHERE ${sql.in("call", calls)} ORDER BY depth`)
        const found = yield* Effect.forEach(bodies, (row) => open(account, row), { concurrency: "unbounded" })
        const whole = found.filter(Predicate.isNotUndefined)
        if (whole.length < calls.length) return undefined
        // The rest of each is let go.
        for (const item of itemsOfAll(whole)) items.push(item.slice())
      }
      const last = yield* readLast(account, turn)
      return last && { items, last }
    }),
    readLast,
    items: Effect.fnUntraced(function* (account, ids) {
      const found = new Map<string, Item>()
      const wanted = new Set(ids)
      const now = yield* Clock.currentTimeMillis
      for (let from = 0; from < ids.length; from += mostIds) {
        const some = ids.slice(from, from + mostIds)
        const places = yield* doesNotTouchLedger(sql<Row>`SELECT item.call FROM kept_items AS item
          JOIN kept_responses AS kept ON kept.call = item.call
          WHERE item.account = ${account} AND ${sql.in("item.id", some)} AND kept.ends_at > ${now}`)
        for (const call of new Set(places.map((place) => text(place, "call")))) {
          const [row] = yield* doesNotTouchLedger(sql<Row>`SELECT call, body FROM kept_responses WHERE call = ${call}`)
          const kept = row && (yield* open(account, row))
          for (const bytes of kept === undefined ? [] : itemsOfAll([kept])) {
            const item = parsed(bytes)
            const id = idOf(item.value)
            if (id !== undefined && wanted.has(id)) found.set(id, { ...item, bytes: bytes.slice() })
          }
        }
      }
      return found
    }),
    writes: Effect.fnUntraced(function* (response) {
      const sealed = yield* cipher.sealBytes(response.body, contextOf(response.account, response.call))
      return writes(response, sealed, yield* Clock.currentTimeMillis)
    }),
    write: (statements) =>
      Effect.forEach(statements, ({ text, values }) => run(text, values), { discard: true }).pipe(
        sql.withTransaction,
        doesNotTouchLedger
      ),
    remove: (account, id) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* lockName(lockOf(account))
        const rows = yield* sql<Row>`UPDATE kept_responses SET id = NULL
          WHERE account = ${account} AND id = ${id} AND ends_at > ${now} RETURNING call`
        yield* forgetItems(rows)
        yield* prune(account)
        return rows.length > 0
      }).pipe(sql.withTransaction, doesNotTouchLedger)
  })
})

export const layer: Layer.Layer<KeptResponses, never, SqlClient | Cipher> = Layer.effect(KeptResponses, make)
