import { describe, expect, it } from "@effect/vitest"
import { migrate } from "@tollgate/gateway"
import { PipelinedStore } from "@tollgate/gateway/driver"
import { PostgresClient } from "@tollgate/server/postgres"
import { cutBefore } from "@tollgate/testing/store/cutBefore"
import { pausedReplies } from "@tollgate/testing/store/pausedReplies"
import { emptyDatabase, hasPostgres, onEmptyDatabase } from "@tollgate/testing/store/postgres"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { SafeIntegers, SqlClient } from "effect/sql/SqlClient"

const password = "s3cret-pa%24s"
const open = (address: string) =>
  Effect.flip(Effect.scoped(Layer.build(PostgresClient.layer({ address: Redacted.make(address) }))))

const reasonOf = <A, E>(exit: Exit.Exit<A, E>): unknown => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return Exit.isFailure(exit) && !Cause.hasDies(exit.cause)
    ? (error as { reason?: { _tag: string } }).reason?._tag
    : error
}

describe("an address", () => {
  it.effect("that is wrong is refused in one line that shows nothing of it", () =>
    Effect.gen(function* () {
      for (const address of [
        `http://me:${password}@db/x`,
        `postgres://me:${password}@db`,
        `postgres://me:${password}@/x`,
        `postgres://:${password}@db/x`,
        `postgres://me:${password}@a,b/x`,
        `postgres://me:${password}@a:1,b:2/x`,
        `postgres://me:${password}%@db/x`,
        `postgres://me:${password}@db:99999/x`,
        `postgres://me:${password}@db/x?sslmode=prefer`,
        `postgres://me:${password}@db/x?secret=${password}`,
        `postgres://me:${password}@db/x?sslmode=require&sslmode=disable`,
        `postgres://me:${password}@db/x?sslrootcert=/no/such/file`,
        `${password}`,
        ""
      ]) {
        const error = yield* open(address)
        expect(error.reason._tag).toBe("ConnectionError")
        expect(error.message).not.toMatch(/\n/)
        expect([error.message, String(error.cause), JSON.stringify(error)].join()).not.toMatch(/s3cret|pa%24s|pa\$s/)
      }
    })
  )

  it.effect("where nothing listens is named without its password", () =>
    Effect.gen(function* () {
      const error = yield* open(`postgres://me:${password}@127.0.0.1:1/x`)
      expect(error.message).toBe("cannot use PostgreSQL at 127.0.0.1:1/x: connect ECONNREFUSED 127.0.0.1:1")
      expect(Cause.pretty(Cause.fail(error))).not.toContain("s3cret")
    })
  )
})

describe.runIf(hasPostgres)("PostgreSQL", () => {
  it.live("integers are exact: numbers up to 2^53, bigints if asked for, and never rounded", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const big = 2n ** 53n + 1n
      const sum = sql`SELECT SUM(n) AS n, COUNT(*) AS c, MAX(n) AS m FROM (VALUES (${5}::bigint), (7)) AS v (n)`
      expect(yield* sum).toEqual([{ n: 12, c: 2, m: 7 }])
      expect(yield* Effect.provideService(sum, SafeIntegers, true)).toEqual([{ n: 12n, c: 2n, m: 7n }])
      const beyond = sql`SELECT ${big}::bigint AS n`
      expect(reasonOf(yield* Effect.exit(beyond))).toBe("UnknownError")
      expect(yield* Effect.provideService(beyond, SafeIntegers, true)).toEqual([{ n: big }])
      expect(yield* sql`SELECT 1.5 AS x, true AS t, ${new Uint8Array([0, 255])}::bytea AS b`).toEqual([
        { x: "1.5", t: true, b: new Uint8Array([0, 255]) }
      ])
    }).pipe(Effect.provide(onEmptyDatabase()))
  )

  it.live("a text with U+0000 is stored with a mark in its place", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      expect(yield* sql`SELECT ${"a\0b"} AS t`).toEqual([{ t: "a\uFFFDb" }])
    }).pipe(Effect.provide(onEmptyDatabase()))
  )

  it.live("a transaction inside another is rolled back alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE t (n BIGINT PRIMARY KEY)`
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`INSERT INTO t VALUES (1)`
          const inner = sql.withTransaction(
            Effect.andThen(sql`INSERT INTO t VALUES (2)`, sql`INSERT INTO t VALUES (1)`)
          )
          expect(reasonOf(yield* Effect.exit(inner))).toBe("UniqueViolation")
          yield* sql.withTransaction(sql`INSERT INTO t VALUES (3)`)
        })
      )
      expect(yield* sql`SELECT n FROM t ORDER BY n`).toEqual([{ n: 1 }, { n: 3 }])
    }).pipe(Effect.provide(onEmptyDatabase()))
  )

  it.live("a transaction that goes on after a failed statement is not reported as committed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE t (n BIGINT PRIMARY KEY)`
      const exit = yield* Effect.exit(
        sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (1)`, Effect.ignore(sql`INSERT INTO t VALUES (1)`)))
      )
      expect(reasonOf(exit)).toBe("UnknownError")
      expect(yield* sql`SELECT n FROM t`).toEqual([])
    }).pipe(Effect.provide(onEmptyDatabase()))
  )

  it.live(
    "a connection that is lost in a transaction fails it with an error of the store, and the next one works",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE t (n BIGINT PRIMARY KEY)`
        const lost = Effect.gen(function* () {
          yield* sql`INSERT INTO t VALUES (1)`
          const [{ id } = { id: 0 }] = yield* sql<{ readonly id: number }>`SELECT pg_backend_pid() AS id`
          // Another connection ends this one, as a restart of the server does.
          yield* Effect.scoped(
            Effect.flatMap(sql.reserve, (other) =>
              other.executeUnprepared(`SELECT pg_terminate_backend(${id}, 5000)`, [], undefined)
            )
          )
          yield* sql`INSERT INTO t VALUES (2)`
        })
        for (const inner of [lost, sql.withTransaction(lost)]) {
          expect(reasonOf(yield* Effect.exit(sql.withTransaction(inner)))).toBe("ConnectionError")
          expect(yield* sql`SELECT n FROM t`).toEqual([])
        }
      }).pipe(Effect.provide(onEmptyDatabase()))
  )

  it.live("an interrupted statement is cancelled on the server, and its connection is used again", () =>
    Effect.gen(function* () {
      const address = yield* emptyDatabase
      const context = yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 }))
      const other = Context.get(yield* Layer.build(PostgresClient.layer({ address })), SqlClient)
      const sql = Context.get(context, SqlClient)
      const pid = Effect.map(sql<{ readonly id: number }>`SELECT pg_backend_pid() AS id`, ([row]) => row?.id)
      const before = yield* pid
      const sleeping = yield* Effect.forkChild(sql`SELECT pg_sleep(600)`)
      const active = other`SELECT 1 FROM pg_stat_activity WHERE pid = ${before} AND state = 'active'`
      while ((yield* active).length === 0) yield* Effect.sleep("10 millis")
      yield* Fiber.interrupt(sleeping)
      expect(yield* active).toEqual([])
      expect(yield* pid).toBe(before)
    }).pipe(Effect.scoped)
  )

  it.live("a statement that takes too long fails; so does one that waits too long for a connection", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      expect(reasonOf(yield* Effect.exit(sql`SELECT pg_sleep(600)`))).toBe("StatementTimeoutError")
      const isHeld = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        Effect.scoped(Effect.andThen(sql.reserve, Effect.andThen(Deferred.succeed(isHeld, undefined), Effect.never)))
      )
      yield* Deferred.await(isHeld)
      expect(reasonOf(yield* Effect.exit(sql`SELECT 1`))).toBe("ConnectionError")
      yield* Fiber.interrupt(holder)
      expect(yield* sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
    }).pipe(
      Effect.provide(onEmptyDatabase({ maxConnections: 1, statementTimeout: "1 second", connectTimeout: "3 seconds" }))
    )
  )

  it.live("a schema that another process changes fails no statement and no transaction of the ledger", () =>
    Effect.gen(function* () {
      const address = yield* emptyDatabase
      const context = yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 }))
      const sql = Context.get(context, SqlClient)
      const { transact } = Context.get(context, PipelinedStore)
      yield* sql`CREATE TABLE t (n BIGINT)`
      yield* sql`INSERT INTO t VALUES (1)`
      const all = sql`SELECT * FROM t`
      for (let i = 0; i < 3; i++) expect(yield* all).toEqual([{ n: 1 }])
      const insert = { text: "INSERT INTO t (n) VALUES (2) RETURNING *", values: [] }
      const read = { text: "SELECT * FROM t ORDER BY n", values: [] }
      const transaction = (writes: ReadonlyArray<typeof insert>) =>
        transact({
          reads: [read],
          decide: ([found]) => ({ writes, result: found }),
          beforeCommit: () => {}
        })
      // Each statement is prepared when it runs a second time.
      for (let i = 0; i < 3; i++) yield* transaction([insert])
      yield* sql`ALTER TABLE t ADD COLUMN m BIGINT`
      expect(yield* all).toHaveLength(4)
      yield* sql`ALTER TABLE t ADD COLUMN o BIGINT`
      expect((yield* transaction([insert]))?.[0]).toEqual({ n: 1n, m: null, o: null })
      yield* transaction([])
      yield* sql`ALTER TABLE t ADD COLUMN p BIGINT`
      yield* transaction([insert])
      // Those that failed have written nothing.
      expect(yield* sql`SELECT n FROM t WHERE n = 2`).toHaveLength(5)
    }).pipe(Effect.scoped)
  )

  it.live("rows are streamed in a transaction and without one, and a reader may stop early", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const numbers = sql<{ readonly n: number }>`SELECT n FROM generate_series(1, ${300}::bigint) AS v (n)`.stream
      const last = Stream.runFold(
        numbers,
        () => 0,
        (_, { n }) => n
      )
      expect(yield* last).toBe(300)
      expect(yield* sql.withTransaction(Effect.all([last, last]))).toEqual([300, 300])
      expect(yield* Stream.runCollect(Stream.take(numbers, 2))).toEqual([{ n: 1 }, { n: 2 }])
      expect(yield* sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
    }).pipe(Effect.provide(onEmptyDatabase({ maxConnections: 1 })))
  )

  it.live(
    "a transaction of the ledger takes two round trips: its reads together, then its writes with the commit",
    () =>
      Effect.gen(function* () {
        const direct = new URL(Redacted.value(yield* emptyDatabase))
        const proxy = yield* Effect.acquireRelease(
          Effect.promise(() => pausedReplies(Number(direct.port))),
          ({ close }) => Effect.sync(close)
        )
        const address = Redacted.make(direct.href.replace(direct.port, String(proxy.port)))
        const context = yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 }))
        const sql = Context.get(context, SqlClient)
        yield* sql`CREATE TABLE t (n BIGINT)`
        const insert = { text: "INSERT INTO t VALUES ($1)", values: [1n] }
        const count = { text: "SELECT COUNT(*) AS n FROM t", values: [] }
        // BEGIN and three reads; three writes and COMMIT.
        proxy.holdUntil([4, 4])
        const found = yield* Context.get(context, PipelinedStore).transact({
          reads: [count, undefined, count, count],
          decide: (found) => ({ writes: [insert, insert, insert], result: found }),
          beforeCommit: () => {}
        })
        expect([found, proxy.left()]).toEqual([[[{ n: 0n }], [], [{ n: 0n }], [{ n: 0n }]], []])
        expect(yield* sql`SELECT COUNT(*) AS n FROM t`).toEqual([{ n: 3 }])
      }).pipe(Effect.scoped)
  )

  it.live("a connection that is lost by the rollback does not hide why the transaction failed", () =>
    Effect.gen(function* () {
      const direct = new URL(Redacted.value(yield* emptyDatabase))
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => cutBefore(Number(direct.port), "ROLLBACK")),
        ({ close }) => Effect.sync(close)
      )
      const address = Redacted.make(direct.href.replace(direct.port, String(proxy.port)))
      const sql = Context.get(yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 })), SqlClient)
      const failing = sql.withTransaction(Effect.andThen(sql`SELECT 1`, Effect.fail("why")))
      expect(yield* Effect.exit(failing)).toEqual(Exit.fail("why"))
      expect(yield* Effect.exit(sql.withTransaction(sql.withTransaction(failing)))).toEqual(Exit.fail("why"))
      expect(yield* sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
    }).pipe(Effect.scoped)
  )

  it.live("a write that fails leaves nothing of its transaction, and the next one works", () =>
    Effect.gen(function* () {
      const address = yield* emptyDatabase
      const context = yield* Layer.build(PostgresClient.layer({ address, maxConnections: 1 }))
      const sql = Context.get(context, SqlClient)
      const { transact } = Context.get(context, PipelinedStore)
      yield* sql`CREATE TABLE t (n BIGINT PRIMARY KEY)`
      const insert = (n: bigint) => ({ text: "INSERT INTO t VALUES ($1)", values: [n] })
      const writing = (...numbers: ReadonlyArray<bigint>) =>
        transact({ reads: [], decide: () => ({ writes: numbers.map(insert), result: "done" }), beforeCommit: () => {} })
      for (let i = 0; i < 3; i++) {
        expect(reasonOf(yield* Effect.exit(writing(1n, 2n, 1n, 3n)))).toBe("UniqueViolation")
        expect(yield* sql`SELECT n FROM t`).toEqual([])
      }
      expect(yield* writing(1n, 2n, 3n)).toBe("done")
    }).pipe(Effect.scoped)
  )

  it.live("of several gateways that start together on an empty store one migrates, and the others wait", () =>
    Effect.gen(function* () {
      const address = yield* emptyDatabase
      const clients = yield* Effect.forEach([1, 2, 3, 4], () => Layer.build(PostgresClient.layer({ address })))
      yield* Effect.forEach(clients, (client) => Effect.provideContext(migrate, client), { concurrency: "unbounded" })
      const sql = Context.get(clients[0]!, SqlClient)
      const [row] = yield* sql`SELECT COUNT(*) AS n, COUNT(DISTINCT name) AS names FROM tollgate_migrations`
      expect(row).toEqual({ n: row?.["names"], names: row?.["names"] })
      expect(row?.["n"]).toBe(4)
    }).pipe(Effect.scoped)
  )
})
