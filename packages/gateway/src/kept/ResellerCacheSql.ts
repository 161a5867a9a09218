import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { SqlClient } from "effect/sql/SqlClient"
import * as Rows from "@tollgate/ledger/store/rows"
import { number, type Row } from "@tollgate/ledger/store/rows"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { ResellerCache, ResellerCacheBytes } from "./ResellerCache.ts"

const lifetimeMillis = 24 * 3_600_000
const idBytes = 16
const idPattern = /^[0-9a-f]{32}$/

const sweepEvery = "10 minutes"
/** Rows deleted by one statement, which blocks others while it runs. */
const sweepBatch = 200

/** Answers stored at a time: each may wait for another gateway, and calls need the other connections of the store. */
const atOnce = 2

const make = Effect.gen(function* () {
  const turn = Semaphore.makeUnsafe(atOnce)
  const sql = yield* SqlClient
  const { lockName } = Rows.make(sql)
  const random = yield* SecureRandom
  const maxBytes = yield* ResellerCacheBytes

  const sweep = Effect.gen(function* () {
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const deleted = yield* sql`DELETE FROM kept_answers WHERE id IN
        (SELECT id FROM kept_answers WHERE ends_at <= ${now} ORDER BY ends_at LIMIT ${sweepBatch}) RETURNING id`
      if (deleted.length < sweepBatch) return
      yield* Effect.yieldNow
    }
  })
  yield* Effect.ignore(sweep).pipe(Effect.repeat(Schedule.spaced(sweepEvery)), Effect.forkScoped)

  // `since` and `upto` are running totals of the account's bytes, so that one comparison finds what no longer fits.
  const keep = Effect.fnUntraced(
    function* (account: string, id: string, bytes: Uint8Array) {
      yield* lockName(`kept_answers ${account}`)
      const [last] = yield* sql<Row>`SELECT upto FROM kept_answers
        WHERE account = ${account} ORDER BY since DESC LIMIT 1`
      const since = last === undefined ? 0 : number(last, "upto")
      const upto = since + bytes.length
      yield* sql`DELETE FROM kept_answers WHERE account = ${account} AND since < ${upto - maxBytes}`
      const endsAt = (yield* Clock.currentTimeMillis) + lifetimeMillis
      yield* sql`INSERT INTO kept_answers ${sql.insert({ id, account, body: bytes, since, upto, ends_at: endsAt })}`
      return true
    },
    sql.withTransaction,
    doesNotTouchLedger,
    turn.withPermit
  )

  return ResellerCache.of({
    newId: Effect.map(random.randomBytes(idBytes), Hex.encode),
    keep: (account, id, bytes) => (bytes.length > maxBytes ? Effect.succeed(false) : keep(account, id, bytes)),
    read: Effect.fnUntraced(function* (account, id) {
      if (!idPattern.test(id)) return Option.none()
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* doesNotTouchLedger(
        sql<Row>`SELECT body FROM kept_answers WHERE id = ${id} AND account = ${account} AND ends_at > ${now}`
      )
      return Option.map(Option.fromNullishOr(row), ({ body }) => body as Uint8Array)
    })
  })
})

export const layer: Layer.Layer<ResellerCache, never, SqlClient | SecureRandom> = Layer.effect(ResellerCache, make)
