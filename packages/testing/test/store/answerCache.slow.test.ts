import { expect, it } from "@effect/vitest"
import { nano } from "@tollgate/contract/Money"
import { AnswerCacheSql } from "@tollgate/gateway"
import { type CachedAnswer, AnswerCache, AnswerCacheBytes } from "@tollgate/gateway/cache/AnswerCache"
import { hasPostgres, onMigratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const layer = AnswerCacheSql.layer.pipe(
  Layer.provideMerge(onMigratedDatabase()),
  Layer.provide(Layer.succeed(AnswerCacheBytes, 10 * 522))
)

const answer: CachedAnswer = {
  call: "req_1",
  answer: { status: 200, contentType: undefined, headers: { etag: '"é"' }, bytes: new Uint8Array(10).fill(255) },
  list: nano(9_007_199_254_740_993n),
  evidence: { kind: "tokens", total: 7 },
  storedAt: 0
}

it.live.runIf(hasPostgres)(
  "kept answers in PostgreSQL are read back as they were, for their account, within its bytes",
  () =>
    Effect.gen(function* () {
      const cache = yield* AnswerCache
      const stored = { ...answer, storedAt: Date.now() }
      const store = (id: string) => cache.store("account", id, stored, 60_000)
      yield* Effect.all(
        Array.from({ length: 40 }, (_, i) => store(`id${i % 30}`)),
        { concurrency: "unbounded", discard: true }
      )
      const kept = yield* query("SELECT id, since, upto FROM answer_cache ORDER BY since")
      expect(kept.length).toBeLessThanOrEqual(10)
      expect(kept.at(-1)).toMatchObject({ since: 39 * 522, upto: 40 * 522 })
      yield* store("last")
      expect(yield* cache.find("account", "last")).toEqual(stored)
      expect(yield* cache.find("another", "last")).toBeUndefined()
      yield* cache.store("account", "late", stored, -1)
      expect(yield* cache.find("account", "late")).toBeUndefined()
    }).pipe(Effect.provide(layer))
)
