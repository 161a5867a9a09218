import { assert, describe, it } from "@effect/vitest"
import * as Transaction from "@tollgate/gateway/store/Transaction"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
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
  const sql = yield* SqlClient.SqlClient.pipe(Effect.provide(context))
  return { sql, filename }
})
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

  it.effect("an integer beyond 2^53 comes back exactly", () =>
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

  it.effect("read as a number it is an error, never a rounded number; smaller ones are numbers", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      yield* sql`INSERT INTO t VALUES (1, 'a', ${beyond}), (2, 'b', 7)`
      assert.deepStrictEqual({ ...(yield* sql`SELECT amount FROM t WHERE id = 2`)[0] }, { amount: 7 })
      const reason = reasonOf(yield* Effect.exit(sql`SELECT amount FROM t WHERE id = 1`))
      assert.match(reason.message ?? "", /too large to be represented as a JavaScript number/)
    })
  )

  it.effect("binds whole numbers as integers, and booleans, bytes, null, dates", () =>
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

  it.effect("streams rows, and lets go of the table when the reader leaves early", () =>
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

  it.effect("changes are reported by raw statements", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      assert.deepStrictEqual(
        { ...((yield* sql`INSERT INTO t VALUES (9, 'a', 1)`.raw) as object) },
        { changes: 1, lastInsertRowid: 9 }
      )
    })
  )

  it.effect("evicted statements still work", () =>
    Effect.gen(function* () {
      const { sql } = yield* open({ preparedStatements: 2 })
      for (const n of [1, 2, 3, 1, 2, 3]) assert.deepStrictEqual(yield* sql.unsafe(`SELECT ${n}`).values, [[n]])
    })
  )
})

describe("transactions", () => {
  it.effect("a failure rolls everything back and stays the failure it was", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const error = yield* Effect.flip(
        sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (1, 'a', 1)`, Effect.fail("no")))
      )
      assert.strictEqual(error, "no")
      assert.deepStrictEqual(yield* sql`SELECT * FROM t`, [])
    })
  )

  it.effect("an inner failure rolls back to where the inner one began", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const inner = sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (2, 'b', 1)`, Effect.fail("no")))
      yield* sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (1, 'a', 1)`, Effect.ignore(inner)))
      assert.deepStrictEqual(yield* sql`SELECT id FROM t`.values, [[1]])
    })
  )

  it.effect("take the write lock when they begin, one after the other", () =>
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

  it.effect("a lock held by another process", () =>
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
      writeFileSync(text, "these are not the bytes you are looking for".repeat(100))
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
  it.effect("is durable at commit, enforces foreign keys and waits for locks", () =>
    Effect.gen(function* () {
      const { sql } = yield* open()
      const pragma = (name: string) => Effect.map(sql.unsafe(`PRAGMA ${name}`).values, (rows) => rows[0]?.[0])
      assert.strictEqual(yield* pragma("journal_mode"), "wal")
      assert.strictEqual(yield* pragma("synchronous"), 2)
      assert.strictEqual(yield* pragma("foreign_keys"), 1)
      assert.strictEqual(yield* pragma("busy_timeout"), 5000)
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

  it("knows which versions of SQLite it accepts", () => {
    assert.deepStrictEqual(["3.51.3", "3.53.4", "4.0.0", "3.60.0"].map(NodeSqliteClient.isSupported), [
      true,
      true,
      true,
      true
    ])
    assert.deepStrictEqual(["3.51.2", "3.50.9", "2.99.9"].map(NodeSqliteClient.isSupported), [false, false, false])
  })
})

describe.each([
  ["in one step", Transaction.of],
  ["step by step", Transaction.stepwise]
])("a whole transaction, %s", (_, way) => {
  const write = (text: string, ...values: ReadonlyArray<string | bigint>) => ({ text, values })
  const insert = (id: bigint, amount: bigint) => write("INSERT INTO t VALUES (?, ?, ?)", id, `n${id}`, amount)
  const amounts = write("SELECT amount FROM t ORDER BY id")
  const writing = (...writes: ReadonlyArray<ReturnType<typeof write>>) => ({
    reads: [],
    decide: () => ({ writes, result: "done" }),
    onWritten: () => {}
  })

  it.effect("decides by what it read, whole numbers exactly, and writes", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const transact = way(sql)
      const beyond = 2n ** 53n + 1n
      assert.strictEqual(yield* transact(writing(insert(1n, beyond), insert(2n, 2n))), "done")
      const result = yield* transact({
        reads: [amounts, undefined, write("SELECT name FROM t WHERE id = ?", 2n)],
        decide: (found) => ({ writes: [insert(3n, BigInt(found[0]!.length))], result: found }),
        onWritten: () => {}
      })
      assert.deepStrictEqual(
        result.map((rows) => rows.map((row) => ({ ...row }))),
        [[{ amount: beyond }, { amount: 2n }], [], [{ name: "n2" }]]
      )
      assert.deepStrictEqual(yield* bigints(sql`SELECT amount FROM t ORDER BY id`.values), [[beyond], [2n], [2n]])
    })
  )

  it.effect("is not seen by others before all of it is written", () =>
    Effect.gen(function* () {
      const { filename, sql } = yield* table()
      const other = new DatabaseSync(filename)
      const seen: Array<number> = []
      const look = () => void seen.push(other.prepare("SELECT id FROM t").all().length)
      yield* way(sql)({ ...writing(insert(1n, 1n)), onWritten: look })
      look()
      other.close()
      assert.deepStrictEqual(seen, [0, 1])
    })
  )

  it.effect("leaves nothing of itself when a statement fails, and the next one works", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const transact = way(sql)
      const reason = reasonOf(yield* Effect.exit(transact(writing(insert(1n, 1n), insert(2n, -1n)))))
      assert.strictEqual(reason._tag, "ConstraintError")
      assert.deepStrictEqual(yield* sql`SELECT id FROM t`, [])
      yield* transact(writing(insert(2n, 1n)))
      assert.deepStrictEqual(yield* sql`SELECT id FROM t`.values, [[2]])
    })
  )

  it.effect("leaves nothing of itself when there is a mistake in what it does, which stays one", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const transact = way(sql)
      const mistake = new TypeError("mistaken")
      const failing = () => {
        throw mistake
      }
      for (const wrong of [{ decide: failing }, { onWritten: failing }]) {
        const exit = yield* Effect.exit(transact({ ...writing(insert(1n, 1n)), ...wrong }))
        assert.deepStrictEqual(exit, Exit.die(mistake))
        assert.deepStrictEqual(yield* sql`SELECT id FROM t`, [])
      }
      yield* transact(writing(insert(2n, 1n)))
      assert.deepStrictEqual(yield* sql`SELECT id FROM t`.values, [[2]])
    })
  )

  it.effect("waits for a transaction that is under way, and keeps out of it", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const transact = way(sql)
      const goOn = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO t VALUES (1, 'a', 1)`
            yield* Deferred.await(goOn)
            return yield* Effect.fail("undone")
          })
        ),
        { startImmediately: true }
      )
      const second = yield* Effect.forkChild(transact(writing(insert(2n, 1n))), { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(second.pollUnsafe())
      yield* Deferred.succeed(goOn, undefined)
      assert.deepStrictEqual(yield* Fiber.await(first), Exit.fail("undone"))
      yield* Fiber.join(second)
      assert.deepStrictEqual(yield* sql`SELECT id FROM t`.values, [[2]])
    })
  )
})

describe("a store that is one process's own", () => {
  const synchronous = { text: "PRAGMA synchronous", values: [] }
  const nothing = { reads: [], decide: () => ({ writes: [], result: undefined }), onWritten: () => {} }
  const level = (solitary: Transaction.Solitary, mayWait: boolean) =>
    solitary.now({
      reads: [synchronous],
      decide: ([rows]) => ({ writes: [], result: rows?.[0]?.synchronous }),
      onWritten: () => {},
      mayWait
    })

  it.effect("says so before each statement of others, but not inside a transaction, and not of its own", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const solitary = Transaction.solitary(sql)!
      let said = 0
      solitary.beforeOthers(() => void said++)
      yield* sql`SELECT id FROM t`
      assert.strictEqual(said, 1)
      yield* Stream.runCollect(sql`SELECT id FROM t`.stream)
      const streamed = said
      assert.isAbove(streamed, 1)
      yield* sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (1, 'a', 1)`, sql`SELECT id FROM t`))
      assert.strictEqual(said, streamed + 1)
      yield* solitary.exclusively(() => solitary.now(nothing))
      yield* Transaction.of(sql)(nothing)
      yield* Transaction.apart(sql`SELECT id FROM t`)
      yield* Transaction.apart(sql.withTransaction(sql`DELETE FROM t`))
      assert.strictEqual(said, streamed + 1)
    })
  )

  it.effect("knows when another process wrote, and of itself that it did not", () =>
    Effect.gen(function* () {
      const { filename, sql } = yield* table()
      const solitary = Transaction.solitary(sql)!
      const version = () =>
        solitary.now({
          reads: [solitary.version],
          decide: ([rows]) => ({ writes: [], result: Object.values(rows?.[0] ?? {})[0] }),
          onWritten: () => {}
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

  it.effect("waits for the disk, but where it need not, and for others always", () =>
    Effect.gen(function* () {
      const { sql } = yield* table()
      const solitary = Transaction.solitary(sql)!
      const others = Effect.map(sql`PRAGMA synchronous`.values, (rows) => rows[0]?.[0])
      assert.deepStrictEqual([level(solitary, true), level(solitary, true), level(solitary, false)], [1n, 1n, 2n])
      assert.strictEqual(level(solitary, true), 1n)
      assert.strictEqual(yield* others, 2)
      const failing = { ...nothing, decide: () => assert.fail("as told"), mayWait: true }
      assert.throws(() => solitary.now(failing), "as told")
      assert.strictEqual(yield* sql.withTransaction(others), 2)
      assert.throws(() => solitary.now(failing), "as told")
      assert.strictEqual(level(solitary, false), 2n)
    })
  )
})
