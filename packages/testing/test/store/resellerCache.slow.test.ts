import { expect, it } from "@effect/vitest"
import { ResellerCacheSql } from "@tollgate/gateway"
import { ResellerCache, ResellerCacheBytes } from "@tollgate/gateway/kept/ResellerCache"
import { hasPostgres, onMigratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const layer = ResellerCacheSql.layer.pipe(
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provideMerge(onMigratedDatabase()),
  Layer.provide(Layer.succeed(ResellerCacheBytes, 100))
)

it.live.runIf(hasPostgres)("answers that PostgreSQL keeps at the same moment share the account's bytes", () =>
  Effect.gen(function* () {
    const answers = yield* ResellerCache
    const keep = Effect.flatMap(answers.newId, (id) => answers.keep("account", id, new Uint8Array(10)))
    yield* Effect.all(
      Array.from({ length: 40 }, () => keep),
      { concurrency: "unbounded", discard: true }
    )
    const kept = yield* query("SELECT since, upto, LENGTH(body) AS bytes FROM kept_answers ORDER BY since")
    const counted = Array.from({ length: 10 }, (_, i) => ({ since: 300 + i * 10, upto: 310 + i * 10, bytes: 10 }))
    expect(kept).toEqual(counted)
  }).pipe(Effect.provide(layer))
)
