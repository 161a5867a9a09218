import { nano, type NanoUsd } from "@tollgate/contract/Money"
import type { Evidence } from "@tollgate/contract/price/evidence"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Answer } from "../exchange/Reply.ts"
import * as Clock from "effect/Clock"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { SqlClient } from "effect/sql/SqlClient"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { make as makeRows, number, type Row, text, textOrNull } from "@tollgate/ledger/store/rows"

/** An answer that calls of the same account with the same request may get again. */
export interface CachedAnswer {
  /** The request id of the call that it was the answer to. */
  readonly call: string
  readonly answer: Answer
  readonly list: NanoUsd
  readonly evidence: Evidence
  /** Unix milliseconds. */
  readonly storedAt: number
}

/** Kept answers of all operations by a digest of the request, and what else is kept for an account: files, a reseller's answers. */
export class AnswerCache extends Context.Service<
  AnswerCache,
  {
    /** `undefined`: there is none, it has expired, or it is another account's. */
    readonly find: (account: string, key: string) => Effect.Effect<CachedAnswer | undefined, SqlError>
    /** Replaces the answer that the key has. `false`: it is larger than the account's share, and nothing was changed. */
    readonly store: (
      account: string,
      key: string,
      cached: CachedAnswer,
      lifetimeMillis: number
    ) => Effect.Effect<boolean, SqlError>
  }
>()("@tollgate/gateway/KeptAnswers") {}

/** The bytes of kept answers that one account may have. New ones evict the oldest. */
export const AnswerCacheBytes = Context.Reference<number>("@tollgate/gateway/KeptAnswersBytes", {
  defaultValue: () => 64 * 1024 * 1024
})

const sweepEvery = "10 minutes"
/** Rows deleted by one statement, which blocks others while it runs. */
const sweepBatch = 200

/** Answers stored at a time: each may wait for another gateway, and calls need the other connections of the store. */
const atOnce = 2

const rowBytes = 512

const cachedIn = (row: Row): CachedAnswer => ({
  call: text(row, "call"),
  answer: {
    status: number(row, "status"),
    contentType: textOrNull(row, "content_type") ?? undefined,
    headers: JSON.parse(text(row, "headers")) as Readonly<Record<string, string>>,
    bytes: row.body as Uint8Array
  },
  list: nano(BigInt(text(row, "list_nano"))),
  evidence: JSON.parse(text(row, "evidence")) as Evidence,
  storedAt: number(row, "stored_at")
})

const make = Effect.gen(function* () {
  const turn = Semaphore.makeUnsafe(atOnce)
  const sql = yield* SqlClient
  const { lockName } = makeRows(sql)
  const maxBytes = yield* AnswerCacheBytes

  const sweepSome = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const deleted = yield* doesNotTouchLedger(sql`DELETE FROM answer_cache WHERE id IN
      (SELECT id FROM answer_cache WHERE ends_at <= ${now} ORDER BY ends_at LIMIT ${sweepBatch}) RETURNING id`)
    return deleted.length === sweepBatch
  })
  const sweep = Effect.repeat(Effect.tap(sweepSome, Effect.yieldNow), { while: (more) => more })
  yield* Effect.ignore(sweep).pipe(Effect.repeat(Schedule.spaced(sweepEvery)), Effect.forkScoped)

  // `since` and `upto` are running totals of the account's bytes, so that one comparison finds what no longer fits.
  // An answer that was replaced counts until the totals have passed it.
  const store = Effect.fnUntraced(
    function* (account: string, id: string, cached: CachedAnswer, lifetimeMillis: number, bytes: number) {
      const { answer, call, evidence, list, storedAt } = cached
      yield* lockName(`answer_cache ${account}`)
      const [last] = yield* sql<Row>`SELECT upto FROM answer_cache
        WHERE account = ${account} ORDER BY since DESC LIMIT 1`
      const since = last === undefined ? 0 : number(last, "upto")
      const upto = since + bytes
      yield* sql`DELETE FROM answer_cache WHERE account = ${account} AND (id = ${id} OR since < ${upto - maxBytes})`
      yield* sql`INSERT INTO answer_cache ${sql.insert({
        id,
        account,
        call,
        status: answer.status,
        content_type: answer.contentType ?? null,
        headers: JSON.stringify(answer.headers),
        body: answer.bytes,
        list_nano: String(list),
        evidence: JSON.stringify(evidence),
        since,
        upto,
        stored_at: storedAt,
        ends_at: storedAt + lifetimeMillis
      })}`
    },
    sql.withTransaction,
    doesNotTouchLedger,
    turn.withPermit
  )

  return AnswerCache.of({
    find: Effect.fnUntraced(function* (account, id) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* doesNotTouchLedger(sql<Row>`SELECT call, status, content_type, headers, body, list_nano,
        evidence, stored_at FROM answer_cache WHERE id = ${id} AND account = ${account} AND ends_at > ${now}`)
      return row === undefined ? undefined : cachedIn(row)
    }),
    store: (account, id, cached, lifetimeMillis) => {
      const bytes = cached.answer.bytes.length + rowBytes
      return bytes > maxBytes
        ? Effect.succeed(false)
        : Effect.as(store(account, id, cached, lifetimeMillis, bytes), true)
    }
  })
})

export const layer: Layer.Layer<AnswerCache, never, SqlClient> = Layer.effect(AnswerCache, make)
