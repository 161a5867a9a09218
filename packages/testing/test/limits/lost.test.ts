import { describe, expect, it } from "@effect/vitest"
import { findRedis, startRedis } from "@tollgate-tooling/programs/redis.ts"
import { Fleet, Limits } from "@tollgate/gateway"
import type { LimitStore } from "@tollgate/gateway/driver"
import { Patience } from "@tollgate/gateway/limits/shared/Reach"
import { PostgresClient } from "@tollgate/server/postgres"
import type { Driver } from "@tollgate/testing/limits/Driver"
import { exchange, principal } from "@tollgate/testing/limits/exchange"
import { postgresLimits } from "@tollgate/testing/limits/postgres"
import { hasRedis, redisLimits } from "@tollgate/testing/limits/redis"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import type { Scope } from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { connect } from "node:net"

/** What happens to the store. Both gateways are used while it is away; afterwards it answers. */
interface Fault {
  readonly begin: Effect.Effect<unknown>
  readonly end: Effect.Effect<unknown>
}

interface World {
  readonly driver: Driver
  readonly fault: Fault
}

const twoGateways = Layer.succeed(Fleet, {
  isAlone: false,
  owner: () => "one",
  size: () => 2,
  asOwner: () => Effect.die("unused"),
  onGone: () => {},
  setConfig: () => Effect.void
})

const tell = (url: string, command: string) =>
  Effect.promise(
    () =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(`${command}\r\n`))
        socket.on("error", reject)
        socket.on("data", () => {
          socket.destroy()
          resolve()
        })
      })
  )

const redisWith = (faultOf: (redis: Awaited<ReturnType<typeof startRedis>>) => Fault) =>
  Effect.gen(function* () {
    const redis = yield* Effect.acquireRelease(
      Effect.promise(() => startRedis(findRedis() ?? "")),
      ({ stop }) => Effect.promise(stop)
    )
    return { driver: redisLimits(redis.url), fault: faultOf(redis) }
  })

const worlds: Record<string, Effect.Effect<World, unknown, Scope>> = {
  "Redis was flushed": redisWith(({ url }) => ({ begin: tell(url, "FLUSHALL"), end: Effect.void })),
  "Redis was lost": redisWith(({ crash, start }) => ({ begin: Effect.promise(crash), end: Effect.promise(start) })),
  "Redis was paused": redisWith(({ url }) => ({
    begin: tell(url, "CLIENT PAUSE 2000 ALL"),
    // It would not listen to UNPAUSE either.
    end: tell(url, "PING")
  })),
  "Redis was paused for writing": redisWith(({ url }) => ({
    begin: tell(url, "CLIENT PAUSE 600000 WRITE"),
    end: tell(url, "CLIENT UNPAUSE")
  })),
  "PostgreSQL lost its unlogged tables": Effect.gen(function* () {
    const address = yield* migratedDatabase
    const sql = Context.get(yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 })), SqlClient)
    const lose = Effect.orDie(sql`TRUNCATE limit_keys, limit_groups, limit_leases`)
    return { driver: postgresLimits(address), fault: { begin: lose, end: Effect.void } }
  })
}

const limit = 40
const huge = 1_000_000_000
const tokens = 1_000

/** Asks the gateways in turn, so often that all that is left is used. Returns how many were admitted. */
const askAll = (gateways: ReadonlyArray<Limits["Service"]>, by: ReturnType<typeof principal>, count: number) =>
  Effect.gen(function* () {
    let admitted = 0
    for (let i = 0; i < count; i++) {
      const asked = exchange({ at: "chat", by, tokens })
      const call = Effect.flatMap(gateways[i % gateways.length]!.admit(asked), (admission) =>
        Effect.onExit(admission.takeTokens(asked), () => admission.end(undefined))
      )
      if (Result.isSuccess(yield* Effect.result(call))) admitted++
    }
    return admitted
  })

const allowances = {
  requests: { rpm: limit, tpm: huge, concurrency: 1_000 },
  tokens: { rpm: 1_000_000, tpm: limit * tokens, concurrency: 1_000 }
}

for (const [name, world] of Object.entries(worlds)) {
  describe.runIf(name.startsWith("Redis") ? hasRedis : hasPostgres)(`after ${name}`, () => {
    for (const [what, allowance] of Object.entries(allowances)) {
      for (const [when, before] of [
        ["all", limit * 2],
        ["half", limit / 2]
      ] as const) {
        it.live(`a key whose ${what} were used (${when}) gets what it had left over two gateways`, () =>
          Effect.gen(function* () {
            const { driver, fault } = yield* world
            const patience = { waitMillis: 1_000, tryMillis: 20 }
            const gateway = Effect.gen(function* () {
              const storeOf = yield* driver.join
              const store: Layer.Layer<LimitStore, unknown> = storeOf()
              const layer = Limits.layerShared.pipe(
                Layer.provide([store, twoGateways, Layer.succeed(Patience, patience)]),
                Layer.provide(Logger.layer([]))
              )
              return Context.get(yield* Layer.build(layer), Limits)
            })
            const gateways = [yield* gateway, yield* gateway]
            const by = principal(allowance)
            const startedAt = performance.now()
            let admitted = yield* askAll(gateways, by, before)
            yield* fault.begin
            admitted += yield* askAll(gateways, by, limit)
            yield* fault.end
            // A gateway that counts alone shows its share of the limit.
            const isBack = Effect.forEach(gateways, ({ state }) =>
              Effect.flatMap(state(by), (now) =>
                now?.requests.limit === allowance.rpm ? Effect.void : Effect.fail("gone")
              )
            )
            yield* Effect.eventually(isBack)
            admitted += yield* askAll(gateways, by, limit * 2)
            const refilled = Math.ceil((limit * (performance.now() - startedAt)) / 60_000)
            // What the other gateway admitted last is not known to the first that asks.
            expect(admitted).toBeLessThanOrEqual(limit + refilled + 1)
            expect(admitted).toBeGreaterThanOrEqual(limit / 2)
          }).pipe(Effect.scoped)
        )
      }
    }
  })
}
