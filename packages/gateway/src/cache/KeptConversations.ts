import * as Utf8 from "@tollgate/contract/Utf8"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { number, type Row } from "@tollgate/ledger/store/rows"
import * as Bytes from "effect/Bytes"
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
import { items, members } from "../internal/jsonEdit.ts"
import { tryParse } from "../internal/jsonValue.ts"
import { isLarge, turns } from "../internal/Turns.ts"
import { Cipher } from "../identity/crypto/Cipher.ts"
import { idOf, joined, parsed } from "./conversation.ts"
import { KeptResponsesBounds, share } from "./KeptResponses.ts"

/** What is said of a conversation beside its items. */
export interface About {
  readonly created_at: number
  readonly metadata: Readonly<Record<string, string>>
}

export interface Conversation {
  readonly about: About
  /** Of each item. Callers name items by it, and upstreams do not see it. */
  readonly ids: ReadonlyArray<string>
  readonly items: ReadonlyArray<Uint8Array>
}

type Change = (conversation: Conversation) => Conversation

/** Conversations that their account goes on with by name, in the store, for all gateways that share it. */
export class KeptConversations extends Context.Service<
  KeptConversations,
  {
    /** The items of a larger one are refused. */
    readonly largest: number
    readonly create: (account: string, metadata: About["metadata"]) => Effect.Effect<string, SqlError>
    /** `undefined`: unknown, deleted, over, or another account's. */
    readonly find: (account: string, id: string) => Effect.Effect<Conversation | undefined, SqlError>
    /** `undefined`: there is none. */
    readonly change: (account: string, id: string, change: Change) => Effect.Effect<Conversation | undefined, SqlError>
    /** Adds items. One with the id of an earlier item takes its place. */
    readonly adding: (items: ReadonlyArray<Uint8Array>) => Effect.Effect<Change>
    /** `false`: there is none. */
    readonly remove: (account: string, id: string) => Effect.Effect<boolean, SqlError>
  }
>()("@tollgate/gateway/KeptConversations") {}

const written = ({ about, ids, items }: Conversation): Uint8Array =>
  Bytes.concat([
    Utf8.encode(`${JSON.stringify({ about, ids }).slice(0, -1)},"items":[`),
    joined(items),
    Utf8.encode("]}")
  ])

/** What was `written`. */
const read = (bytes: Uint8Array): Conversation => {
  const at = new Map(members(bytes)?.map(({ end, name, start }) => [name, bytes.subarray(start, end)]))
  const all = at.get("items") ?? bytes
  return {
    about: tryParse(at.get("about") ?? bytes) as About,
    ids: tryParse(at.get("ids") ?? bytes) as ReadonlyArray<string>,
    items: (items(all, 0, all.length) ?? []).map(({ end, start }) => all.subarray(start, end))
  }
}

/** What a row takes beside the body. */
const rowBytes = 512

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const cipher = yield* Cipher
  const random = yield* SecureRandom
  const bounds = yield* KeptResponsesBounds
  const newId = (kind: string) => Effect.map(random.randomBytes(16), (bytes) => `${kind}_${Hex.encode(bytes)}`)
  const contextOf = (account: string, id: string): string => `conversation ${account} ${id}`

  const sweep = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    doesNotTouchLedger(sql`DELETE FROM kept_conversations WHERE ends_at <= ${now}`)
  )
  yield* Effect.ignore(sweep).pipe(Effect.repeat(Schedule.spaced("10 minutes")), Effect.forkScoped)

  const sealed = Effect.fnUntraced(function* (account: string, id: string, conversation: Conversation) {
    const now = yield* Clock.currentTimeMillis
    const body = yield* cipher.sealBytes(written(conversation), contextOf(account, id))
    return { body, bytes: body.length + rowBytes, changed_at: now, ends_at: now + bounds.days * 86_400_000 }
  })

  /** Makes room: the conversations go that were not gone on with for longest. */
  const evict = (account: string) =>
    doesNotTouchLedger(sql`DELETE FROM kept_conversations WHERE id IN (SELECT id FROM (SELECT id, SUM(bytes) OVER
      (ORDER BY changed_at DESC, id) AS total FROM kept_conversations WHERE account = ${account}) AS newest
      WHERE total > ${bounds.ofAccount})`)

  const versionOf = Effect.fnUntraced(function* (account: string, id: string) {
    const now = yield* Clock.currentTimeMillis
    const [row] = yield* doesNotTouchLedger(sql<Row>`SELECT body, version FROM kept_conversations
      WHERE id = ${id} AND account = ${account} AND ends_at > ${now}`)
    const body = row && Option.getOrUndefined(yield* cipher.openBytes(row.body as Uint8Array, contextOf(account, id)))
    if (row === undefined || body === undefined) return undefined
    if (isLarge(body)) yield* turns.next
    return { conversation: read(body), version: number(row, "version") }
  })

  return KeptConversations.of({
    largest: bounds.ofAccount / share,
    create: Effect.fnUntraced(function* (account, metadata) {
      const id = yield* newId("conv")
      const created_at = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const row = yield* sealed(account, id, { about: { created_at, metadata }, ids: [], items: [] })
      yield* doesNotTouchLedger(sql`INSERT INTO kept_conversations ${sql.insert({ id, account, version: 0, ...row })}`)
      yield* evict(account)
      return id
    }),
    find: (account, id) => Effect.map(versionOf(account, id), (found) => found?.conversation),
    change: Effect.fnUntraced(function* (account, id, change) {
      for (;;) {
        const found = yield* versionOf(account, id)
        if (found === undefined) return undefined
        const changed = change(found.conversation)
        const row = { ...(yield* sealed(account, id, changed)), version: found.version + 1 }
        const rows = yield* doesNotTouchLedger(sql`UPDATE kept_conversations SET ${sql.update(row)}
          WHERE id = ${id} AND version = ${found.version} RETURNING id`)
        // Otherwise somebody else changed it meanwhile.
        if (rows.length === 0) continue
        yield* evict(account)
        return changed
      }
    }),
    adding: (items) =>
      Effect.map(
        Effect.forEach(items, (item) => {
          const own = idOf(parsed(item).value)
          return own === undefined ? newId("item") : Effect.succeed(own)
        }),
        (ids) => (conversation) => {
          const isNew = new Set(ids)
          const stays = (_: unknown, i: number) => !isNew.has(conversation.ids[i] ?? "")
          return {
            ...conversation,
            ids: [...conversation.ids.filter(stays), ...ids],
            items: [...conversation.items.filter(stays), ...items]
          }
        }
      ),
    remove: Effect.fnUntraced(function* (account, id) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* doesNotTouchLedger(sql`DELETE FROM kept_conversations
        WHERE id = ${id} AND account = ${account} AND ends_at > ${now} RETURNING id`)
      return rows.length > 0
    })
  })
})

export const layer: Layer.Layer<KeptConversations, never, SqlClient | Cipher | SecureRandom> = Layer.effect(
  KeptConversations,
  make
)
