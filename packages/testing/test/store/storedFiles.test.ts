import { describe, expect, it } from "@effect/vitest"
import { AnswerCacheSql, migrate } from "@tollgate/gateway"
import * as StoredFiles from "@tollgate/gateway/cache/StoredFiles"
import { NodeSqliteClient } from "@tollgate/server"
import { alsoOnPostgres, onMigratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const sqlite = Layer.effectDiscard(Effect.orDie(migrate)).pipe(
  Layer.provideMerge(NodeSqliteClient.layer({ filename: ":memory:" }))
)

const on = <E>(store: Layer.Layer<SqlClient, E>) =>
  Layer.mergeAll(AnswerCacheSql.layer, SecureRandom.layerWebCrypto, Digest.layerWebCrypto).pipe(
    Layer.provideMerge(store)
  )

const file = { bytes: Uint8Array.from({ length: 3_000_000 }, (_, i) => i % 256), contentType: "image/png" }

describe.each([
  { name: "SQLite", layer: on(sqlite), has: true },
  { name: "PostgreSQL", layer: on(onMigratedDatabase()), has: alsoOnPostgres }
])("a file that was kept in $name", ({ has, layer }) => {
  it.effect.runIf(has)("opens for whoever has its name, for an hour, and its name is not in the store", () =>
    Effect.gen(function* () {
      const files = yield* StoredFiles.make
      if (files === undefined) throw new Error("nothing is kept")
      const kept = yield* files.keep("acct_1", "req_1", file)
      const name = kept?.uri.split(StoredFiles.filesPath)[1] ?? ""
      expect(kept?.endsAt).toBe(60 * 60 * 1_000)
      const opened = yield* files.open(name)
      expect([opened?.contentType, Buffer.from(opened?.bytes ?? []).equals(file.bytes)]).toEqual(["image/png", true])
      expect(yield* files.open(name.replace("acct_1", "acct_2"))).toBeUndefined()
      const rows = yield* query("SELECT id, account, call, headers FROM answer_cache")
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toContain(name.split(".")[1])
      yield* TestClock.adjust("59 minutes")
      expect(yield* files.open(name)).toBeDefined()
      yield* TestClock.adjust("1 minute")
      expect(yield* files.open(name)).toBeUndefined()
    }).pipe(Effect.provide(layer))
  )
})
