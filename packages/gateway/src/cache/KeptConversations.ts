import * as Utf8 from "@tollgate/contract/Utf8"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { make as makeRows, number, type Row, text } from "@tollgate/ledger/store/rows"
import type { Statement } from "@tollgate/ledger/store/statements"
import { chunksOf } from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { tryParse } from "../internal/jsonValue.ts"
import { Cipher } from "../identity/crypto/Cipher.ts"
import { idOf, parsed, sizeOf } from "./conversation.ts"
import { KeptResponsesBounds, lockOf, share, statementOf } from "./KeptResponses.ts"

/** What is said of a conversation beside its items. */
export interface About {
  readonly created_at: number
  readonly metadata: Readonly<Record<string, string>>
}

/** Callers name an item by its id. Upstreams get the bytes. */
export interface ConversationItem {
  readonly id: string
  readonly bytes: Uint8Array
}

/** Conversations that their account goes on with by name, in the store, for all gateways that share it. */
export class KeptConversations extends Context.Service<
  KeptConversations,
  {
    /** What a conversation may have: bytes, and items, each of which costs the store as much as a long one. */
    readonly largest: number
    readonly isTooLarge: (items: ReadonlyArray<Uint8Array>) => boolean
    readonly create: (account: string, metadata: About["metadata"]) => Effect.Effect<string, SqlError>
    /** `undefined`: unknown, deleted, over, or another account's. */
    readonly find: (account: string, id: string) => Effect.Effect<About | undefined, SqlError>
    /** `undefined`: many added at once what each alone could add, and nobody reads as much. */
    readonly items: (
      account: string,
      id: string
    ) => Effect.Effect<ReadonlyArray<ConversationItem> | undefined, SqlError>
    readonly describe: (account: string, id: string, about: About) => Effect.Effect<void, SqlError>
    readonly named: (items: ReadonlyArray<Uint8Array>) => Effect.Effect<ReadonlyArray<ConversationItem>>
    /** What adds items. One with the id of an earlier item takes its place. */
    readonly adding: (
      account: string,
      id: string,
      items: ReadonlyArray<ConversationItem>
    ) => Effect.Effect<ReadonlyArray<Statement>>
    /** `false`: there is none. */
    readonly removeItem: (account: string, id: string, item: string) => Effect.Effect<boolean, SqlError>
    readonly remove: (account: string, id: string) => Effect.Effect<boolean, SqlError>
  }
>()("@tollgate/gateway/KeptConversations") {}

/** What a conversation and an item count beside their bodies. The first bounds how many conversations an account has. */
const rowBytes = 4_096
const itemBytes = 256

const mostItems = 5_000
const sweepBatch = 200
/** Items in one statement: thousands of statements would hold the store for a second. */
const rowsAtOnce = 128

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const cipher = yield* Cipher
  const random = yield* SecureRandom
  const { dialect, lockName } = makeRows(sql)
  const bounds = yield* KeptResponsesBounds
  const union = sql.join(" UNION ALL ", false)
  const largest = bounds.ofAccount / share
  const contextOf = (account: string, ...ids: ReadonlyArray<string>) => ["conversation", account, ...ids].join(" ")
  const endOf = (now: number): number => now + bounds.days * 86_400_000

  const open = Effect.fnUntraced(function* (row: Row, context: string) {
    return Option.getOrUndefined(yield* cipher.openBytes(row.body as Uint8Array, context))
  })
  const sealed = (about: About, context: string) => cipher.sealBytes(Utf8.encode(JSON.stringify(about)), context)

  // Who adds an item has changed the row of its conversation before: none comes after.
  const sweepSome = Effect.gen(function* () {
    const ended = yield* sql<Row>`DELETE FROM kept_conversations WHERE id IN (SELECT id FROM kept_conversations
      WHERE ends_at <= ${yield* Clock.currentTimeMillis} LIMIT ${sweepBatch}) RETURNING id`
    if (ended.length === 0) return false
    const ids = ended.map((row) => text(row, "id"))
    yield* sql`DELETE FROM kept_conversation_items WHERE ${sql.in("conversation", ids)}`
    return true
  }).pipe(sql.withTransaction, doesNotTouchLedger)
  const sweep = Effect.gen(function* () {
    while (yield* sweepSome) yield* Effect.yieldNow
  })
  yield* Effect.ignore(sweep).pipe(Effect.repeat(Schedule.spaced("10 minutes")), Effect.forkScoped)

  const remove = Effect.fnUntraced(
    function* (account: string, id: string) {
      const found = yield* sql`DELETE FROM kept_conversations WHERE id = ${id} AND account = ${account} RETURNING id`
      yield* sql`DELETE FROM kept_conversation_items WHERE conversation = ${id}`
      return found.length > 0
    },
    sql.withTransaction,
    doesNotTouchLedger
  )

  return KeptConversations.of({
    largest,
    isTooLarge: (items) => items.length > mostItems || sizeOf(items) > largest,
    create: Effect.fnUntraced(function* (account, metadata) {
      const id = `conv_${Hex.encode(yield* random.randomBytes(16))}`
      const now = yield* Clock.currentTimeMillis
      const body = yield* sealed({ created_at: Math.floor(now / 1_000), metadata }, contextOf(account, id))
      const row = { id, account, body, bytes: body.length + rowBytes, changed_at: now, ends_at: endOf(now) }
      yield* doesNotTouchLedger(sql`INSERT INTO kept_conversations ${sql.insert(row)}`)
      return id
    }),
    find: Effect.fnUntraced(function* (account, id) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* doesNotTouchLedger(sql<Row>`SELECT body FROM kept_conversations
        WHERE id = ${id} AND account = ${account} AND ends_at > ${now}`)
      const body = row && (yield* open(row, contextOf(account, id)))
      return body && (tryParse(body) as About)
    }),
    items: Effect.fnUntraced(function* (account, conversation) {
      const [whole] = yield* doesNotTouchLedger(
        sql<Row>`SELECT bytes FROM kept_conversations WHERE id = ${conversation}`
      )
      if (whole !== undefined && number(whole, "bytes") > 2 * largest + mostItems * itemBytes) return undefined
      const rows = yield* doesNotTouchLedger(sql<Row>`SELECT id, body FROM kept_conversation_items
        WHERE conversation = ${conversation} ORDER BY seq`)
      const found = yield* Effect.forEach(
        rows,
        (row) =>
          Effect.map(open(row, contextOf(account, conversation, text(row, "id"))), (bytes) => ({
            id: text(row, "id"),
            bytes
          })),
        { concurrency: 16 }
      )
      return found.flatMap(({ bytes, id }) => (bytes === undefined ? [] : [{ id, bytes }]))
    }),
    describe: Effect.fnUntraced(function* (account, id, about) {
      const body = yield* sealed(about, contextOf(account, id))
      yield* doesNotTouchLedger(sql`UPDATE kept_conversations
        SET bytes = bytes + ${body.length} - LENGTH(body), body = ${body} WHERE id = ${id}`)
    }),
    named: (items) =>
      Effect.map(random.randomBytes(12), (prefix) =>
        items.map((bytes, i) => {
          const own = idOf(parsed(bytes).value)
          return { id: own ?? `item_${Hex.encode(prefix)}${i.toString(16).padStart(8, "0")}`, bytes }
        })
      ),
    adding: Effect.fnUntraced(function* (account, conversation, all) {
      const now = yield* Clock.currentTimeMillis
      const items = [...new Map(all.map((item) => [item.id, item])).values()]
      const bodies = yield* Effect.forEach(
        items,
        ({ bytes, id }) => cipher.sealBytes(bytes, contextOf(account, conversation, id)),
        { concurrency: 16 }
      )
      const size = bodies.reduce((sum, body) => sum + body.length + itemBytes, 0)
      const [whole] = yield* Effect.orElseSucceed(
        doesNotTouchLedger(sql<Row>`SELECT SUM(bytes) AS bytes FROM kept_conversations WHERE account = ${account}`),
        () => []
      )
      const isFull = whole !== undefined && number(whole, "bytes") + size > bounds.ofAccount
      // More than has to go, so that not every call looks for what does.
      const isEvicted = sql`id IN (SELECT id FROM (SELECT id, SUM(bytes) OVER (ORDER BY changed_at DESC, id) AS total
        FROM kept_conversations WHERE account = ${account}) AS newest WHERE total > ${bounds.ofAccount * (7 / 8)})`
      const isReplaced = sql`conversation = ${conversation} AND ${sql.in(
        "id",
        items.map(({ id }) => id)
      )}`
      return [
        ...(dialect.lockName === undefined ? [] : [{ text: dialect.lockName, values: [lockOf(account)] }]),
        statementOf(sql`UPDATE kept_conversations SET changed_at = ${now}, ends_at = ${endOf(now)}, bytes = bytes + ${size} -
          (SELECT COALESCE(SUM(LENGTH(body) + ${itemBytes}), 0) FROM kept_conversation_items WHERE ${isReplaced})
          WHERE id = ${conversation} AND account = ${account}`),
        statementOf(sql`DELETE FROM kept_conversation_items WHERE ${isReplaced}`),
        ...chunksOf(items, rowsAtOnce).map((some, n) =>
          // An empty SELECT gives the columns their types.
          statementOf(sql`INSERT INTO kept_conversation_items (conversation, id, seq, body)
            SELECT ${conversation}, id, seq + (SELECT COALESCE(MAX(seq), 0) FROM kept_conversation_items
              WHERE conversation = ${conversation}), body
            FROM (SELECT id, seq, body FROM kept_conversation_items WHERE false UNION ALL
              ${union(some.map(({ id }, i) => sql`SELECT ${id}, ${i + 1}, ${bodies[n * rowsAtOnce + i]}`))}) AS added
            WHERE EXISTS (SELECT 1 FROM kept_conversations WHERE id = ${conversation})`)
        ),
        ...(isFull
          ? [
              statementOf(sql`DELETE FROM kept_conversation_items WHERE conversation IN
                (SELECT id FROM kept_conversations WHERE account = ${account} AND ${isEvicted})`),
              statementOf(sql`DELETE FROM kept_conversations WHERE account = ${account} AND ${isEvicted}`)
            ]
          : [])
      ]
    }),
    removeItem: Effect.fnUntraced(
      function* (account, conversation, item) {
        yield* lockName(lockOf(account))
        const found = yield* sql<Row>`DELETE FROM kept_conversation_items
          WHERE conversation = ${conversation} AND id = ${item} RETURNING LENGTH(body) AS bytes`
        const bytes = found.reduce((sum, row) => sum + number(row, "bytes") + itemBytes, 0)
        yield* sql`UPDATE kept_conversations SET bytes = bytes - ${bytes} WHERE id = ${conversation}`
        return found.length > 0
      },
      sql.withTransaction,
      doesNotTouchLedger
    ),
    remove
  })
})

export const layer: Layer.Layer<KeptConversations, never, SqlClient | Cipher | SecureRandom> = Layer.effect(
  KeptConversations,
  make
)
