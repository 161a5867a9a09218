import { describe, expect, it } from "@effect/vitest"
import { PostgresClient } from "@tollgate/server/postgres"
import { key } from "@tollgate/testing"
import { completion } from "@tollgate/testing/hostile/pausedUpstream"
import { providerAt, Served, servedTo } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"

const body = JSON.stringify({ model: "sandbox", messages: [{ role: "user", content: "Why do rivers bend?" }] })

const ask = (baseUrl: string, count: number, signal: AbortSignal | null = null) =>
  fetch(`${baseUrl}/v1/chat/completions`, {
    method: "POST",
    signal,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-stainless-retry-count": String(count)
    },
    body
  })

describe.runIf(hasPostgres)("a caller that leaves while its call is reserved", () => {
  it.live("and whose SDK asks again gets one call executed", () =>
    Effect.gen(function* () {
      const upstream = yield* httpUpstream(completion(10, 20))
      const database = yield* migratedDatabase
      const provider = providerAt(upstream.port, { name: "o", protocol: "openai" })
      const sql = Context.get(
        yield* Layer.build(PostgresClient.layer({ address: database, maxConnections: 2 })),
        SqlClient
      )
      yield* Effect.gen(function* () {
        const { baseUrl } = yield* Served
        // Known to the gateway from now on.
        expect((yield* Effect.promise(() => ask(baseUrl, 0))).status).toBe(200)
        const mayReserve = yield* Latch.make(false)
        const held = yield* Latch.make(false)
        const holding = yield* Effect.forkChild(
          sql.withTransaction(
            sql`LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE`.pipe(
              Effect.andThen(held.open),
              Effect.andThen(mayReserve.await)
            )
          )
        )
        yield* held.await
        const leaves = new AbortController()
        const first = ask(baseUrl, 0, leaves.signal).catch(() => "left")
        const waits = sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted`
        for (let n = 0; n === 0;) n = (yield* waits)[0]!.n
        leaves.abort()
        expect(yield* Effect.promise(() => first)).toBe("left")
        // The gateway has read that the caller left before it answers these.
        for (let i = 0; i < 5; i++) {
          yield* Effect.promise(() => fetch(`${baseUrl}/v1/nothing`).then((answer) => answer.text()))
        }
        yield* mayReserve.open
        yield* Fiber.join(holding)
        let ended = 0
        while (ended < 2) ended = (yield* sql`SELECT 1 FROM calls WHERE state <> 'open'`).length
        expect(upstream.received).toHaveLength(1)
        // Its repeat is executed.
        expect((yield* Effect.promise(() => ask(baseUrl, 1))).status).toBe(200)
        expect((yield* calls).map(({ state }) => state).toSorted()).toEqual(["released", "settled", "settled"])
      }).pipe(Effect.provide(servedTo({ "chat.completions": provider }, { database })))
    }).pipe(Effect.scoped)
  )
})
