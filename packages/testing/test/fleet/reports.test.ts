import { describe, expect, it } from "@effect/vitest"
import { Usage, UsageSql } from "@tollgate/gateway"
import { PostgresClient } from "@tollgate/server/postgres"
import { until } from "@tollgate/testing/fleet/until"
import { funded, ledgerOn, reserve, reserved, settle } from "@tollgate/testing/ledger/ledgerOn"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"

const locks =
  "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"

describe.runIf(hasPostgres)("many reports at once", () => {
  it.live("leave connections for calls, however long they take", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const mayEnd = yield* Latch.make(false)
      // Another gateway that moves deltas, and takes its time.
      const moving = SqlClient.use((sql) =>
        sql.withTransaction(Effect.andThen(sql`SELECT pg_advisory_xact_lock(7405318264191)`, mayEnd.await))
      ).pipe(Effect.provide(PostgresClient.layer({ address, maxConnections: 1 })))
      yield* Effect.gen(function* () {
        const { account, key } = yield* funded
        const other = yield* Effect.forkChild(moving)
        yield* until(query(`${locks} AND granted`), ({ length }) => length === 1)
        yield* settle(yield* reserved(account, key, 10), 7)
        const usage = yield* Usage
        const start_time = Math.floor(Date.now() / 1_000) - 3_600
        const reports = yield* Effect.forEach(
          Array.from({ length: 20 }),
          () => usage.report({ account }, { start_time }),
          {
            concurrency: "unbounded"
          }
        ).pipe(Effect.forkChild)
        yield* until(query(`${locks} AND NOT granted`), ({ length }) => length > 0)
        expect(yield* reserve(account, key, 10)).toMatchObject({ account })
        yield* mayEnd.open
        yield* Fiber.join(other)
        for (const { totals } of yield* Fiber.join(reports)) expect(totals.requests).toBe(1)
      }).pipe(Effect.provide(Layer.provideMerge(UsageSql.layer, ledgerOn(PostgresClient.layer({ address })))))
    }).pipe(Effect.scoped)
  )
})
