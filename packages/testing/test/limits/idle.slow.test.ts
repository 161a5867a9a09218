import { describe, expect, it } from "@effect/vitest"
import { type LimitCommand, LimitStore } from "@tollgate/gateway/driver"
import { sweepEveryMillis } from "@tollgate/gateway/limits/sql/SqlLimitStore"
import { PostgresClient } from "@tollgate/server/postgres"
import { until } from "@tollgate/testing/fleet/until"
import { postgresLimits } from "@tollgate/testing/limits/postgres"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const rates = { rpm: 10, tpm: 1_000, group: { id: "images", rpm: 10 } }

const take = (key: string, lease?: string): LimitCommand => ({
  kind: "take",
  key,
  ...rates,
  request: true,
  tokens: 1,
  lease: lease === undefined ? undefined : { id: lease, most: 1 }
})

/** Ten minutes of refill. */
const debt = 10 * rates.tpm

const owe = (key: string): LimitCommand => ({ kind: "end", key, ...rates, lease: undefined, correction: debt })

describe.runIf(hasPostgres)("on PostgreSQL", () => {
  it.effect("keys that are full again are forgotten; those that owe, or have a call, are kept", () =>
    Effect.gen(function* () {
      let now = 1_000_000
      const address = yield* migratedDatabase
      const storeOf = yield* postgresLimits(address).join
      const store = Context.get(yield* Layer.build(storeOf(() => now)), LimitStore)
      const sql = Context.get(yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 })), SqlClient)
      const keys = Effect.map(sql<{ readonly key: string }>`SELECT key FROM limit_keys ORDER BY key`, (rows) =>
        rows.map(({ key }) => key)
      )
      yield* store.run([take("full"), take("owes"), take("calls", "lease"), owe("owes")])
      expect(yield* keys).toEqual(["calls", "full", "owes"])

      now += 180_000
      yield* TestClock.adjust(sweepEveryMillis)
      yield* TestClock.withLive(until(keys, (found) => !found.includes("full")))
      expect(yield* keys).toEqual(["calls", "owes"])
      const [owing] = yield* store.run([take("owes")])
      expect(owing).toMatchObject({ isGranted: false, tokensUsed: (debt + 1) * 60_000 - 180_000 * rates.tpm })
      expect(yield* store.groups("full")).toEqual([])
      expect(yield* store.groups("calls")).toHaveLength(1)
    }).pipe(Effect.scoped)
  )

  it.effect("a gateway counts by the time of the database", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const storeOf = yield* postgresLimits(address).join
      const store = Context.get(yield* Layer.build(storeOf()), LimitStore)
      const sql = Context.get(yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 })), SqlClient)
      const [answer] = yield* store.run([take("key")])
      const [row] = yield* sql<{ readonly now: number }>`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now`
      expect(Math.abs(Number(row?.now) - (answer?.now ?? 0))).toBeLessThan(60_000)
    }).pipe(Effect.scoped)
  )
})
