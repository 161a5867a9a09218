import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import * as Rows from "../store/rows.ts"
import { number } from "../store/rows.ts"
import { doesNotTouchLedger } from "../store/EmbeddedStore.ts"
import { KeptAnswers, KeptBytes } from "./KeptAnswers.ts"

const lifetimeMillis = 24 * 3_600_000
const idBytes = 16
const ids = /^[0-9a-f]{32}$/

const sweepEvery = "10 minutes"
/** At most this many at once, so that nobody waits long for it. */
const sweptAtOnce = 200

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const random = yield* SecureRandom
  const most = yield* KeptBytes
  const rows = Rows.make(sql)
  const { mark } = rows

  const sweep = Effect.gen(function* () {
    for (;;) {
      const gone = yield* rows.run(
        "DELETE FROM kept_answers WHERE id IN" +
          ` (SELECT id FROM kept_answers WHERE ends_at <= ${mark(1)} ORDER BY ends_at LIMIT ${sweptAtOnce}) RETURNING id`,
        [yield* Clock.currentTimeMillis]
      )
      if (gone.length < sweptAtOnce) return
      yield* Effect.yieldNow
    }
  })
  yield* Effect.ignore(sweep).pipe(Effect.repeat(Schedule.spaced(sweepEvery)), Effect.forkScoped)

  const keep = Effect.fnUntraced(
    function* (account: string, id: string, bytes: Uint8Array) {
      const [last] = yield* rows.run(
        `SELECT upto FROM kept_answers WHERE account = ${mark(1)} ORDER BY since DESC LIMIT 1`,
        [account]
      )
      const since = last === undefined ? 0 : number(last, "upto")
      const upto = since + bytes.length
      yield* rows.run(`DELETE FROM kept_answers WHERE account = ${mark(1)} AND since < ${mark(2)}`, [
        account,
        upto - most
      ])
      const endsAt = (yield* Clock.currentTimeMillis) + lifetimeMillis
      yield* rows.insert(
        "kept_answers",
        ["id", "account", "body", "since", "upto", "ends_at"],
        [[id, account, bytes, since, upto, endsAt]]
      )
      return true
    },
    sql.withTransaction,
    doesNotTouchLedger
  )

  return KeptAnswers.of({
    newId: Effect.map(random.randomBytes(idBytes), Hex.encode),
    keep: (account, id, bytes) => (bytes.length > most ? Effect.succeed(false) : keep(account, id, bytes)),
    read: Effect.fnUntraced(function* (account, id) {
      if (!ids.test(id)) return Option.none()
      const reading = rows.run(
        `SELECT body FROM kept_answers WHERE id = ${mark(1)} AND account = ${mark(2)} AND ends_at > ${mark(3)}`,
        [id, account, yield* Clock.currentTimeMillis]
      )
      const [row] = yield* doesNotTouchLedger(reading)
      return Option.map(Option.fromNullishOr(row), ({ body }) => body as Uint8Array)
    })
  })
})

export const layer: Layer.Layer<KeptAnswers, never, SqlClient | SecureRandom> = Layer.effect(KeptAnswers, make)
