import { describe, expect, it } from "@effect/vitest"
import { PipelinedStore } from "@tollgate/gateway/driver"
import { PostgresClient } from "@tollgate/server/postgres"
import { until } from "@tollgate/testing/fleet/until"
import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"

/** A store of so many connections, another client beside it, and how the store runs a lone statement. */
const open = Effect.fnUntraced(function* (maxConnections: number) {
  const address = yield* emptyDatabase
  const other = yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 }))
  const scope = yield* Scope.make()
  const store = yield* Layer.buildWithScope(PostgresClient.layer({ address, maxConnections }), scope)
  const { runAlone } = Context.get(store, PipelinedStore)
  const run = (text: string) => runAlone({ text, values: [] })
  return {
    store,
    run,
    /** The server process that serves the kept connection. */
    pid: Effect.map(run("SELECT pg_backend_pid()::text AS id"), ([row]) => row?.["id"]),
    ask: (text: string) => Effect.provideContext(query(text), other),
    close: Scope.close(scope, Exit.void)
  }
})

const others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

describe.runIf(hasPostgres)("the connection that lone statements keep", () => {
  it.live("is replaced if it is lost while idle, and fails only the statement that it runs", () =>
    Effect.gen(function* () {
      const { ask, close, pid, run } = yield* open(4)
      const first = yield* pid
      expect(yield* pid).toBe(first)
      yield* ask(`SELECT pg_terminate_backend(${first}, 5000)`)
      yield* Effect.sleep(50)
      const second = yield* pid
      expect(second).not.toBe(first)
      const running = yield* Effect.forkScoped(Effect.exit(run("SELECT pg_sleep(60)")))
      yield* until(ask(`SELECT 1 ${others} AND wait_event = 'PgSleep'`), ({ length }) => length === 1)
      yield* ask(`SELECT pg_terminate_backend(${second}, 5000)`)
      const ended = yield* Fiber.join(running)
      expect(Exit.isFailure(ended) && !Cause.hasDies(ended.cause)).toBe(true)
      expect(yield* pid).not.toBe(second)
      yield* close
    }).pipe(Effect.scoped)
  )

  for (const size of [1, 3, 4, 10]) {
    it.live(`leaves a pool of ${size} enough for others, and is closed with it`, () =>
      Effect.gen(function* () {
        const { ask, close, pid, run, store } = yield* open(size)
        yield* pid
        const sql = Context.get(store, SqlClient)
        // More at once than there are connections, and lone statements between them.
        yield* Effect.forEach(
          Array.from({ length: 2 * size }),
          () => Effect.andThen(sql.withTransaction(sql`SELECT pg_sleep(0.01)`), pid),
          { concurrency: "unbounded" }
        )
        yield* close
        yield* until(ask(`SELECT 1 ${others}`), ({ length }) => length === 0)
        const late = yield* Effect.exit(run("SELECT 1"))
        expect(Exit.isFailure(late) && !Cause.hasDies(late.cause)).toBe(true)
      }).pipe(Effect.scoped)
    )
  }
})
