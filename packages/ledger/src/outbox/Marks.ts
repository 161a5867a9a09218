import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import { SqlClient } from "effect/sql/SqlClient"
import type { Difference } from "../ledger/Difference.ts"
import { doesNotTouchLedger } from "../store/EmbeddedStore.ts"
import * as Rows from "../store/rows.ts"
import * as Statements from "../store/statements.ts"
import { Webhooks } from "./Endpoints.ts"
import { bodyOf, type Event } from "./Event.ts"
import { insertEvents } from "./insertEvents.ts"

/** A gateway that saw an upstream fail and was stopped for good tells nobody that it is up again. */
const downMillis = 3_600_000

/** Tells of upstreams and audits, once for all gateways that share a store: it keeps what was told last. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const random = yield* SecureRandom
  const endpoints = yield* Webhooks
  const { query, run } = Rows.make(sql)
  const statements = Statements.make(sql)

  /** The row if the mark was another, or older than `staleAt`. */
  const set = (name: string, value: string, at: number, staleAt: number) =>
    query`INSERT INTO webhook_marks (name, value, at) VALUES (${name}, ${value}, ${at}) ON CONFLICT (name)
      DO UPDATE SET value = excluded.value, at = excluded.at
      WHERE webhook_marks.value <> excluded.value OR webhook_marks.at <= ${staleAt} RETURNING name`
  const setUp = (name: string, at: number) =>
    query`UPDATE webhook_marks SET value = 'up', at = ${at} WHERE name = ${name} AND value = 'down' RETURNING name`

  const insert = Effect.fnUntraced(function* (event: Event) {
    const cause = Hex.encode(yield* random.randomBytes(10))
    for (const { text, values } of insertEvents(statements, endpoints.all, [[event, cause]])) yield* run(text, values)
  })

  const upstream = Effect.fnUntraced(function* (name: string, isUp: boolean) {
    const at = yield* Clock.currentTimeMillis
    const id = `upstream ${name}`
    const changed = yield* isUp ? setUp(id, at) : set(id, "down", at, at - downMillis)
    if (changed.length > 0) yield* insert({ type: isUp ? "upstream.up" : "upstream.down", at, upstream: name })
  }, sql.withTransaction)

  const audited = Effect.fnUntraced(function* (differences: ReadonlyArray<Difference>) {
    const at = yield* Clock.currentTimeMillis
    const event: Event = { type: "audit.difference", at, differences }
    const value = differences.length === 0 ? "" : bodyOf({ ...event, at: 0 })
    const changed = yield* set("audit", value, at, -1)
    if (changed.length > 0 && differences.length > 0) yield* insert(event)
  }, sql.withTransaction)

  return {
    upstream: (name: string, isUp: boolean) =>
      Effect.suspend(() =>
        endpoints.wants("upstream.down") || endpoints.wants("upstream.up")
          ? doesNotTouchLedger(upstream(name, isUp))
          : Effect.void
      ),
    /** Called after each audit. The same differences are told once. */
    audited: (differences: ReadonlyArray<Difference>) =>
      Effect.suspend(() =>
        endpoints.wants("audit.difference") ? doesNotTouchLedger(audited(differences)) : Effect.void
      )
  }
})
