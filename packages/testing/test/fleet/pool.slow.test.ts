import { describe, expect, it } from "@effect/vitest"
import { AnswerCacheSql, Usage, UsageSql } from "@tollgate/gateway"
import { ResellerCache } from "@tollgate/gateway/cache/ResellerCache"
import { taskSlots } from "@tollgate/gateway/call/task/taskSlots"
import { PostgresClient } from "@tollgate/server/postgres"
import { until } from "@tollgate/testing/fleet/until"
import { funded, ledgerOn, reserve, reserved, settle } from "@tollgate/testing/ledger/ledgerOn"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"

const locks =
  "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"

const start_time = Math.floor(Date.now() / 1_000) - 3_600

/** What many callers may do at once, and the lock of the store that each of them waits for. */
const works = [
  {
    name: "reports",
    lock: () => "7405318264191",
    run: (account: string) => Effect.flatMap(Usage, (usage) => usage.report({ account }, { start_time }))
  },
  {
    name: "answers to keep",
    lock: (account: string) => `hashtextextended('answer_cache ${account}', 0)`,
    run: (account: string) =>
      Effect.flatMap(ResellerCache, ({ keep, newId }) =>
        Effect.flatMap(newId, (id) => keep(account, id, "call", new Uint8Array(1)))
      )
  },
  {
    name: "tasks to start",
    lock: (account: string) => `hashtextextended('task_slots ${account}', 0)`,
    run: (account: string, i: number, slots: ReturnType<typeof taskSlots>) => slots.acquire(account, `task ${i}`, 100)
  }
]

describe.runIf(hasPostgres)("many at once that wait for another gateway leave connections for calls", () => {
  for (const { lock, name, run } of works) {
    it.live(name, () =>
      Effect.gen(function* () {
        const address = yield* migratedDatabase
        const mayEnd = yield* Latch.make(false)
        const layer = Layer.mergeAll(
          UsageSql.layer,
          ResellerCache.layer.pipe(Layer.provide(AnswerCacheSql.layer), Layer.provide(SecureRandom.layerWebCrypto))
        ).pipe(Layer.provideMerge(ledgerOn(PostgresClient.layer({ address }))))
        yield* Effect.gen(function* () {
          const { account, key } = yield* funded
          const holding = SqlClient.use((sql) =>
            sql.withTransaction(
              Effect.andThen(sql.unsafe(`SELECT pg_advisory_xact_lock(${lock(account)})`), mayEnd.await)
            )
          ).pipe(Effect.provide(PostgresClient.layer({ address, maxConnections: 1 })))
          const other = yield* Effect.forkChild(holding)
          yield* until(query(`${locks} AND granted`), ({ length }) => length > 0)
          yield* settle(yield* reserved(account, key, 10), 7)
          const slots = taskSlots(yield* SqlClient)
          const many = yield* Effect.forkChild(
            Effect.forEach(
              Array.from({ length: 20 }),
              (_, i): Effect.Effect<unknown, unknown, Usage | ResellerCache> => run(account, i, slots),
              { concurrency: "unbounded" }
            )
          )
          yield* until(query(`${locks} AND NOT granted`), ({ length }) => length > 0)
          expect(yield* reserve(account, key, 10)).toMatchObject({ account })
          yield* mayEnd.open
          yield* Fiber.join(other)
          yield* Fiber.join(many)
        }).pipe(Effect.provide(layer))
      }).pipe(Effect.scoped)
    )
  }
})
