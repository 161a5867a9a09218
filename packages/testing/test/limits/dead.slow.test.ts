import { describe, expect, it } from "@effect/vitest"
import { LimitStore } from "@tollgate/gateway/driver"
import { taskSlots } from "@tollgate/gateway/call/task/taskSlots"
import { PostgresClient } from "@tollgate/server/postgres"
import type { StoreOf } from "@tollgate/testing/limits/Driver"
import { postgresLimits } from "@tollgate/testing/limits/postgres"
import { hasRedis, newPrefix, redisLimits, redisUrl } from "@tollgate/testing/limits/redis"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { Clock } from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const storeIn = (storeOf: StoreOf, now?: () => number) => Effect.map(Layer.build(storeOf(now)), Context.get(LimitStore))

/** One call at a time. */
const call = (id: string) => ({
  kind: "take" as const,
  key: "key",
  rpm: 1_000,
  tpm: 1_000,
  group: undefined,
  request: true,
  tokens: undefined,
  lease: { id, most: 1 }
})

describe.runIf(hasPostgres)("on PostgreSQL", () => {
  it.live("the slots of a gateway that is gone come free", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const { join } = postgresLimits(address)
      const one = yield* storeIn(yield* join)
      const two = yield* storeIn(yield* join)
      expect((yield* one.run([call("first")]))[0]).toMatchObject({ isGranted: true })
      expect((yield* two.run([call("second")]))[0]).toMatchObject({ isGranted: false, running: 1 })
      const sql = Context.get(yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 })), SqlClient)
      yield* sql`DELETE FROM gateways WHERE id = (SELECT gateway FROM limit_leases)`
      expect((yield* two.run([call("second")]))[0]).toMatchObject({ isGranted: true, running: 0 })
    }).pipe(Effect.scoped)
  )

  it.live("many that race for the last slots of tasks over three gateways get exactly those", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const clients = yield* Effect.forEach([1, 2, 3], () =>
        Effect.map(Layer.build(PostgresClient.layer({ address, maxConnections: 5 })), Context.get(SqlClient))
      )
      const sql = clients[0]!
      const calls = Array.from({ length: 30 }, (_, i) => `call_${i}`)
      yield* sql`INSERT INTO accounts (id, name, created_at) VALUES ('acct', 'a', 0)`.pipe(Effect.ignore)
      yield* Effect.forEach(
        calls,
        (id) =>
          sql`INSERT INTO calls (id, account, key, operation, state, reserved, created_at, owner)
          VALUES (${id}, 'acct', 'key', 'videos.create', 'open', 0, 0, 'gateway')`
      )
      const slots = clients.map(taskSlots)
      const race = (some: ReadonlyArray<string>) =>
        Effect.map(
          Effect.forEach(some, (id, i) => Effect.result(slots[i % 3]!.acquire("owner", id, 3)), {
            concurrency: "unbounded"
          }),
          (results) => results.filter(Result.isSuccess).length
        )
      expect(yield* race(calls.slice(0, 15))).toBe(3)
      expect(yield* slots[1]!.running("owner")).toBe(3)
      // One of them ends without a task: its gateway died, or the upstream refused it.
      yield* sql`UPDATE calls SET state = 'unknown' WHERE id = (SELECT MIN(call) FROM task_slots)`
      expect(yield* slots[2]!.running("owner")).toBe(2)
      expect(yield* race(calls.slice(15))).toBe(1)
      const refused = yield* Effect.flip(slots[0]!.acquire("owner", "call_29", 3))
      expect(refused).toMatchObject({ refusal: { code: "rate_limit_exceeded", retryAfter: 5_000 } })
      yield* slots[0]!.acquire("another", "call_29", 3)
    }).pipe(Effect.scoped)
  )
})

describe.runIf(hasRedis)("on Redis", () => {
  it.effect("a gateway that lives keeps its slots", () =>
    Effect.gen(function* () {
      const clock = yield* Clock
      const storeOf = yield* redisLimits(yield* redisUrl, newPrefix(), 12_000).join
      const { run } = yield* storeIn(storeOf, () => clock.currentTimeMillisUnsafe())
      yield* run([call("first")])
      for (let i = 0; i < 8; i++) {
        yield* TestClock.adjust("4 seconds")
        // One connection: what is asked after a renewal is answered after it. The first one loads its script.
        for (let j = 0; j < 3; j++) yield* run([])
        expect((yield* run([call("second")]))[0]).toMatchObject({ isGranted: false, running: 1 })
      }
    }).pipe(Effect.scoped)
  )

  it.live("the slots of a gateway that is gone come free", () =>
    Effect.gen(function* () {
      const storeOf = yield* redisLimits(yield* redisUrl, newPrefix(), 12_000).join
      let now = 1_000_000
      const one = yield* storeIn(storeOf, () => now)
      expect((yield* one.run([call("first")]))[0]).toMatchObject({ isGranted: true })
      now += 11_999
      expect((yield* one.run([call("second")]))[0]).toMatchObject({ isGranted: false, running: 1 })
      now += 1
      expect((yield* one.run([call("second")]))[0]).toMatchObject({ isGranted: true, running: 0 })
    }).pipe(Effect.scoped)
  )
})
