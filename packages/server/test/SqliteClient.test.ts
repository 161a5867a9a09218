import { assert, describe, it } from "@effect/vitest"
import { doesNotTouchLedger, EmbeddedStore } from "@tollgate/ledger/store/EmbeddedStore"
import type { Transact } from "@tollgate/ledger/store/Transaction"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { SqlClient, SqlError } from "effect/sql"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { NodeSqliteClient } from "../src/index.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-sqlite-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const open = Effect.fnUntraced(function* (options: Partial<NodeSqliteClient.Options> = {}) {
  const filename = options.filename ?? join(yield* folder, "db.sqlite")
  const context = yield* Layer.build(NodeSqliteClient.layer({ filename, ...options }))
  return { sql: Context.get(context, SqlClient.SqlClient), store: Context.get(context, EmbeddedStore), filename }
})
type Opened = Effect.Success<ReturnType<typeof open>>
const table = Effect.fnUntraced(function* () {
  const opened = yield* open()
  const columns = "id INTEGER PRIMARY KEY, name TEXT UNIQUE, amount INTEGER CHECK (amount >= 0)"
  yield* opened.sql.unsafe(`CREATE TABLE t (${columns}) STRICT`)
  return opened
})
const bigints = Effect.provideService(SqlClient.SafeIntegers, true)
const reasonOf = <A>(exit: Exit.Exit<A, SqlError.SqlError>) => {
  assert.isTrue(Exit.isFailure(exit) && !Cause.hasDies(exit.cause))
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  assert.instanceOf(error, SqlError.SqlError)
  return error.reason
}

describe("values", () => {
  const beyond = 2n ** 53n + 1n

  it.effect("an integer beyond 2^53 is read exactly as a bigint", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      yield* sql`INSERT INTO t VALUES (1, 'a', ${beyond}), (2, 'b', ${2n ** 63n - 1n})`
      const rows = yield* bigints(sql`SELECT id, amount FROM t ORDER BY id`)
      assert.deepStrictEqual(
        rows.map((row) => ({ ...row })),
        [
          { id: 1n, amount: beyond },
          { id: 2n, amount: 2n ** 63n - 1n }
        ]
      )
      assert.deepStrictEqual(yield* bigints(sql`SELECT amount FROM t WHERE id = 1`.values), [[beyond]])
    })
  )

  it.effect("an integer beyond 2^53 read as a number is an error, never rounded", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      yield* sql`INSERT INTO t VALUES (1, 'a', ${beyond}), (2, 'b', 7)`
      assert.deepStrictEqual({ ...(yield* sql`SELECT amount FROM t WHERE id = 2`)[0] }, { amount: 7 })
      const reason = reasonOf(yield* Effect.exit(sql`SELECT amount FROM t WHERE id = 1`))
      assert.match(reason.message ?? "", /too large to be represented as a JavaScript number/)
    })
  )

  it.effect("binds integers, booleans, bytes, null and dates", () =>
    Effect.gen(function* () {
      const { sql } = yield* open()
      const date = new Date(0)
      const bytes = new Uint8Array([1, 2])
      const rows =
        yield* sql`SELECT ${7} / 2 AS half, ${1.5} AS real, ${true} AS yes, ${null} AS no, ${date} AS at, ${bytes} AS r`
      assert.deepStrictEqual(
        { ...rows[0] },
        { half: 3, real: 1.5, yes: 1, no: null, at: "1970-01-01T00:00:00.000Z", r: bytes }
      )
    })
  )

  it.effect("streams rows, and unlocks the table when the reader stops early", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n"
      yield* sql.unsafe(`INSERT INTO t (id) ${numbers}`)
      const rows = sql`SELECT id FROM t`.stream
      assert.strictEqual(yield* Stream.runCount(rows), 1000)
      assert.strictEqual((yield* Stream.runCollect(Stream.take(rows, 3))).length, 3)
      yield* sql`DROP TABLE t`
    })
  )

  it.effect("raw statements report the number of changes", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      assert.deepStrictEqual(
        { ...((yield* sql`INSERT INTO t VALUES (9, 'a', 1)`.raw) as object) },
        { changes: 1, lastInsertRowid: 9 }
      )
    })
  )

  it.effect("statements that were evicted from the cache still work", () =>
    Effect.gen(function* () {
      const { sql } = yield* open({ preparedStatements: 2 })
      for (const n of [1, 2, 3, 1, 2, 3]) assert.deepStrictEqual(yield* sql.unsafe(`SELECT ${n}`).values, [[n]])
    })
  )
})

describe("transactions", () => {
  it.effect("roll back on a failure, which is passed on unchanged", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const error = yield* Effect.flip(
        sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (1, 'a', 1)`, Effect.fail("no")))
      )
      assert.strictEqual(error, "no")
      assert.deepStrictEqual(yield* sql`SELECT * FROM t`, [])
    })
  )

  it.effect("roll back a failed inner transaction to its start", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const inner = sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (2, 'b', 1)`, Effect.fail("no")))
      yield* sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (1, 'a', 1)`, Effect.ignore(inner)))
      assert.deepStrictEqual(yield* sql`SELECT id FROM t`.values, [[1]])
    })
  )

  it.effect("take the write lock when they begin, one at a time", () =>
    Effect.gen(function* () {
      const { filename, sql } = yield* table()
      yield* sql`INSERT INTO t VALUES (1, 'a', 0)`
      const other = new DatabaseSync(filename, { timeout: 0 })
      yield* sql.withTransaction(Effect.sync(() => assert.throws(() => other.exec("BEGIN IMMEDIATE"), /locked/)))
      other.close()
      const add = sql.withTransaction(
        Effect.gen(function* () {
          const [[amount]] = (yield* sql`SELECT amount FROM t`.values) as [[number]]
          yield* Effect.yieldNow
          yield* sql`UPDATE t SET amount = ${amount + 1}`
        })
      )
      yield* Effect.all(
        Array.from({ length: 20 }, () => add),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* sql`SELECT amount FROM t`.values, [[20]])
    })
  )
})

describe("failures are typed", () => {
  it.effect("unique, primary key, check, syntax", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      yield* sql`INSERT INTO t VALUES (1, 'a', 1)`
      const unique = reasonOf(yield* Effect.exit(sql`INSERT INTO t VALUES (2, 'a', 1)`))
      assert.strictEqual(unique._tag, "UniqueViolation")
      assert.strictEqual(unique._tag === "UniqueViolation" && unique.constraint, "t.name")
      assert.strictEqual(reasonOf(yield* Effect.exit(sql`INSERT INTO t VALUES (1, 'b', 1)`))._tag, "UniqueViolation")
      assert.strictEqual(reasonOf(yield* Effect.exit(sql`INSERT INTO t VALUES (3, 'c', -1)`))._tag, "ConstraintError")
      assert.strictEqual(reasonOf(yield* Effect.exit(sql`SELEC`))._tag, "SqlSyntaxError")
    })
  )

  it.live("a lock held by another process", () =>
    Effect.gen(function* () {
      const { filename } = yield* table()
      const { sql } = yield* open({ filename, busyTimeout: "10 millis" })
      const other = new DatabaseSync(filename)
      other.exec("BEGIN IMMEDIATE")
      const reason = reasonOf(yield* Effect.exit(sql.withTransaction(sql`INSERT INTO t VALUES (1, 'a', 1)`)))
      other.close()
      assert.strictEqual(reason._tag, "LockTimeoutError")
      assert.isTrue(reason.isRetryable)
    })
  )

  it.effect("a full disk", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const pages = (yield* sql`PRAGMA page_count`.values)[0]?.[0]
      yield* sql.unsafe(`PRAGMA max_page_count = ${String(pages)}`)
      const reason = reasonOf(yield* Effect.exit(sql`INSERT INTO t VALUES (1, ${"x".repeat(100_000)}, 1)`))
      assert.strictEqual(reason._tag, "ConnectionError")
      assert.strictEqual(reason.message, "database or disk is full")
    })
  )

  it.effect("a database opened for reading", () =>
    Effect.gen(function* () {
      const { filename } = yield* table()
      const { sql } = yield* open({ filename, readonly: true })
      assert.strictEqual(reasonOf(yield* Effect.exit(sql`INSERT INTO t VALUES (1, 'a', 1)`))._tag, "AuthorizationError")
    })
  )

  it.effect("a file that is no database, a folder, a folder that is not there", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const text = join(path, "notes.txt")
      writeFileSync(text, "this is not a database".repeat(100))
      for (const [filename, message] of [
        [text, "file is not a database"],
        [path, "unable to open database file"],
        [join(path, "none", "db"), "unable to open database file"]
      ] as const) {
        const reason = reasonOf(yield* Effect.exit(open({ filename })))
        assert.strictEqual(reason.message, `cannot open ${filename}: ${message}`)
      }
    })
  )

  it.effect("a value that cannot be bound", () =>
    Effect.gen(function* () {
      const { sql } = yield* open()
      reasonOf(yield* Effect.exit(sql.unsafe("SELECT ?", [() => 1])))
    })
  )
})

describe("opening and closing", () => {
  it.effect("flushes each commit, enforces foreign keys and never blocks the event loop for a lock", () =>
    Effect.gen(function* () {
      const { sql } = yield* open()
      const pragma = (name: string) => Effect.map(sql.unsafe(`PRAGMA ${name}`).values, (rows) => rows[0]?.[0])
      assert.strictEqual(yield* pragma("journal_mode"), "wal")
      assert.strictEqual(yield* pragma("synchronous"), 2)
      assert.strictEqual(yield* pragma("foreign_keys"), 1)
      assert.strictEqual(yield* pragma("busy_timeout"), 0)
    })
  )

  it.effect("closes with its scope and keeps what was committed", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "db.sqlite")
      const { sql } = yield* Effect.scoped(
        Effect.tap(open({ filename }), ({ sql }) =>
          Effect.andThen(sql`CREATE TABLE k (v INTEGER) STRICT`, sql`INSERT INTO k VALUES (5)`)
        )
      )
      reasonOf(yield* Effect.exit(sql`SELECT v FROM k`))
      const again = yield* open({ filename })
      assert.deepStrictEqual(yield* again.sql`SELECT v FROM k`.values, [[5]])
    })
  )

  it("accepts SQLite 3.51.3 and later", () => {
    assert.deepStrictEqual(["3.51.3", "3.53.4", "4.0.0", "3.60.0"].map(NodeSqliteClient.isSupported), [
      true,
      true,
      true,
      true
    ])
    assert.deepStrictEqual(["3.51.2", "3.50.9", "2.99.9"].map(NodeSqliteClient.isSupported), [false, false, false])
  })
})

describe("a lock of another process", () => {
  /** Holds the write lock until the effect is run. */
  const locked = Effect.fnUntraced(function* (options: Partial<NodeSqliteClient.Options> = {}) {
    const { filename } = yield* table()
    const opened = yield* open({ filename, ...options })
    const other = new DatabaseSync(filename)
    other.exec("BEGIN IMMEDIATE")
    const unlock = Effect.sync(() => {
      if (other.isOpen) other.close()
    })
    yield* Effect.addFinalizer(() => unlock)
    return { ...opened, unlock }
  })
  const insert = (sql: SqlClient.SqlClient, id: number) => sql`INSERT INTO t (id) VALUES (${id})`
  const start = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })
  /** Seconds pass, a tenth at a time: a pause is at most 50 ms. */
  const pass = (seconds: number) =>
    Effect.repeat(TestClock.adjust("100 millis"), { times: Math.round(seconds * 10) - 1 })

  it.effect("statements and transactions wait for it, up to 5 s, without blocking the process", () =>
    Effect.gen(function* () {
      const { sql, store, unlock } = yield* locked()
      const transact = store.exclusively(() => store.transact(inserting))
      const waiting = yield* Effect.all([
        start(transact),
        start(insert(sql, 1)),
        start(sql.withTransaction(insert(sql, 3)))
      ])
      yield* pass(4.5)
      for (const fiber of waiting) assert.isUndefined(fiber.pollUnsafe())
      yield* unlock
      yield* pass(1)
      for (const fiber of waiting) yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* sql`SELECT id FROM t ORDER BY id`.values, [[1], [2], [3]])
    })
  )

  it.effect("after 5 s they fail, and those that come later fail at once until it is gone", () =>
    Effect.gen(function* () {
      const { sql, store, unlock } = yield* locked()
      const transact = Effect.exit(store.exclusively(() => store.transact(inserting)))
      const first = yield* start(transact)
      yield* pass(5)
      assert.strictEqual(reasonOf(yield* Fiber.join(first))._tag, "LockTimeoutError")
      for (let i = 0; i < 3; i++) assert.strictEqual(reasonOf(yield* transact)._tag, "LockTimeoutError")
      assert.strictEqual(reasonOf(yield* Effect.exit(insert(sql, 1)))._tag, "LockTimeoutError")
      yield* unlock
      assert.isTrue(Exit.isSuccess(yield* transact))
    })
  )

  it.effect("a later lock gets its own 5 s", () =>
    Effect.gen(function* () {
      const { filename, sql, unlock } = yield* locked()
      yield* Effect.all([start(Effect.exit(insert(sql, 1))), pass(5)], { concurrency: "unbounded" })
      yield* unlock
      yield* pass(1)
      const other = new DatabaseSync(filename)
      other.exec("BEGIN IMMEDIATE")
      const second = yield* start(insert(sql, 2))
      yield* pass(4.5)
      assert.isUndefined(second.pollUnsafe())
      other.close()
      yield* pass(1)
      yield* Fiber.join(second)
    })
  )

  it.effect("a failure before foreign statements fails those that may write, and no others", () =>
    Effect.gen(function* () {
      const { sql, store } = yield* table()
      yield* insert(sql, 1)
      store.beforeOutsideStatement(() => {
        throw new Error("refused by the test")
      })
      assert.deepStrictEqual(yield* sql`SELECT id FROM t`.values, [[1]])
      for (const writer of [insert(sql, 2), sql`DELETE FROM t`, sql.withTransaction(sql`SELECT id FROM t`)]) {
        assert.match(reasonOf(yield* Effect.exit(writer)).message ?? "", /refused by the test/)
      }
      yield* doesNotTouchLedger(insert(sql, 2))
      assert.deepStrictEqual(yield* sql`SELECT id FROM t`.values, [[1], [2]])
    })
  )
})

const nothing = { reads: [], decide: () => ({ writes: [], result: undefined }), beforeCommit: () => {} }
const inserting = { ...nothing, decide: () => ({ writes: [insertTwo], result: undefined }) }
const insertTwo = { text: "INSERT INTO t VALUES (2, 'b', 1)", values: [] }

const transactOf =
  ({ store }: Opened): Transact =>
  (transaction) =>
    store.exclusively(() => store.transact(transaction))

describe("a transaction", () => {
  it.effect("is not visible to other processes before it is committed", () =>
    Effect.gen(function* () {
      const opened = yield* table()
      const other = new DatabaseSync(opened.filename)
      const counts: Array<number> = []
      const countRows = () => void counts.push(other.prepare("SELECT id FROM t").all().length)
      yield* transactOf(opened)({ ...inserting, beforeCommit: countRows })
      countRows()
      other.close()
      assert.deepStrictEqual(counts, [0, 1])
    })
  )

  it.effect("waits for an open transaction of another fiber", () =>
    Effect.gen(function* () {
      const opened = yield* table()
      const proceed = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        opened.sql.withTransaction(
          Effect.andThen(opened.sql`INSERT INTO t VALUES (1, 'a', 1)`, Deferred.await(proceed))
        ),
        { startImmediately: true }
      )
      const second = yield* Effect.forkChild(transactOf(opened)(inserting), { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(second.pollUnsafe())
      yield* Deferred.succeed(proceed, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual(yield* opened.sql`SELECT id FROM t ORDER BY id`.values, [[1], [2]])
    })
  )
})

describe("the embedded store", () => {
  const synchronous = { text: "PRAGMA synchronous", values: [] }
  const level = (store: EmbeddedStore["Service"], skipFsync: boolean) =>
    store.transact({
      reads: [synchronous],
      decide: ([rows]) => ({ writes: [], result: rows?.[0]?.synchronous }),
      beforeCommit: () => {},
      skipFsync
    })

  it.effect("announces each foreign statement, once per transaction, and none of its own transactions", () =>
    Effect.gen(function* () {
      const { sql, store } = yield* table()
      let announced = 0
      store.beforeOutsideStatement(() => void announced++)
      yield* sql`SELECT id FROM t`
      assert.strictEqual(announced, 1)
      yield* Stream.runCollect(sql`SELECT id FROM t`.stream)
      const streamed = announced
      assert.isAbove(streamed, 1)
      yield* sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (1, 'a', 1)`, sql`SELECT id FROM t`))
      assert.strictEqual(announced, streamed + 1)
      yield* store.exclusively(() => store.transact(nothing))
      yield* doesNotTouchLedger(sql`SELECT id FROM t`)
      yield* doesNotTouchLedger(sql.withTransaction(sql`DELETE FROM t`))
      assert.strictEqual(announced, streamed + 1)
    })
  )

  it.effect("has a new version after another process wrote, and the same after its own writes", () =>
    Effect.gen(function* () {
      const { filename, sql, store } = yield* table()
      const version = () =>
        store.transact({
          reads: [store.version],
          decide: ([rows]) => ({ writes: [], result: Object.values(rows?.[0] ?? {})[0] }),
          beforeCommit: () => {}
        })
      const first = version()
      yield* sql`INSERT INTO t VALUES (1, 'a', 1)`
      assert.strictEqual(version(), first)
      const other = new DatabaseSync(filename)
      other.exec("SELECT id FROM t")
      assert.strictEqual(version(), first)
      other.exec("DELETE FROM t")
      other.close()
      assert.notStrictEqual(version(), first)
    })
  )

  it.effect("skips fsync only for transactions that allow it, never for foreign statements", () =>
    Effect.gen(function* () {
      const { sql, store } = yield* table()
      const foreign = Effect.map(sql`PRAGMA synchronous`.values, (rows) => rows[0]?.[0])
      assert.deepStrictEqual([level(store, true), level(store, true), level(store, false)], [1n, 1n, 2n])
      assert.strictEqual(level(store, true), 1n)
      assert.strictEqual(yield* foreign, 2)
      const failing = { ...nothing, decide: () => assert.fail("thrown by the test"), skipFsync: true }
      assert.throws(() => store.transact(failing), "thrown by the test")
      assert.strictEqual(yield* sql.withTransaction(foreign), 2)
      assert.throws(() => store.transact(failing), "thrown by the test")
      assert.strictEqual(level(store, false), 2n)
    })
  )
})
