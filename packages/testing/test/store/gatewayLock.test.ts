import { describe, expect, it } from "@effect/vitest"
import { GatewayLock, PostgresClient } from "@tollgate/server/postgres"
import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"

const holders =
  "SELECT a.pid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.locktype = 'advisory'" +
  " AND a.datname = current_database() AND l.mode = 'ExclusiveLock'"

describe.runIf(hasPostgres)("the lock of a gateway on PostgreSQL", () => {
  it.live("waits for the connections of a gateway that was killed: what they began may still be committed", () =>
    Effect.gen(function* () {
      const address = yield* emptyDatabase
      const left = yield* Layer.build(PostgresClient.layer({ address, isGateway: true }))
      const other = Context.get(yield* Layer.build(PostgresClient.layer({ address })), SqlClient)
      expect((yield* Effect.flip(Effect.scoped(GatewayLock.hold(address))))._tag).toBe("StoreLocked")
      const holding = yield* Effect.forkScoped(GatewayLock.hold(address))
      while ((yield* other.unsafe(`${holders} AND l.granted`)).length === 0) yield* Effect.sleep("10 millis")
      expect(holding.pollUnsafe()).toBe(undefined)
      const [{ id } = { id: 0 }] = yield* Context.get(left, SqlClient)<{ id: number }>`SELECT pg_backend_pid() AS id`
      yield* other`SELECT pg_terminate_backend(${id}, 5000)`
      yield* Fiber.join(holding)
    }).pipe(Effect.scoped)
  )

  it.live("tells its gateway to stop if another one took it while the connection was lost", () =>
    Effect.gen(function* () {
      const address = yield* emptyDatabase
      const taken = yield* GatewayLock.hold(address)
      const sql = Context.get(yield* Layer.build(PostgresClient.layer({ address })), SqlClient)
      // First in the queue for it.
      const taker = yield* sql.reserve
      const waiting = yield* Effect.forkScoped(
        taker.execute("SELECT pg_advisory_lock($1)", ["7405318264191"], undefined)
      )
      while ((yield* sql.unsafe(`${holders} AND NOT l.granted`)).length === 0) yield* Effect.sleep("10 millis")
      yield* sql.unsafe(`SELECT pg_terminate_backend(pid, 5000) FROM (${holders} AND l.granted) AS h`)
      yield* Fiber.join(waiting)
      yield* taken
    }).pipe(Effect.scoped)
  )
})
