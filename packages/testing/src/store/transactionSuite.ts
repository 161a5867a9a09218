import { assert, describe, it } from "@effect/vitest"
import { EmbeddedStore } from "@tollgate/ledger/store/EmbeddedStore"
import { PipelinedStore, type Transact } from "@tollgate/ledger/store/Transaction"
import * as Statements from "@tollgate/ledger/store/statements"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

/** A table, and a transaction as the ledger runs it with this driver. */
const open = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT UNIQUE, amount BIGINT CHECK (amount >= 0))`
  const embedded = yield* Effect.serviceOption(EmbeddedStore)
  const pipelined = yield* Effect.serviceOption(PipelinedStore)
  const transact: Transact = Option.match(embedded, {
    onNone: () => Option.getOrThrow(pipelined).transact,
    onSome:
      (store): Transact =>
      (transaction) =>
        store.exclusively(() => store.transact(transaction))
  })
  const { mark } = Statements.make(sql)
  const insert = (id: bigint, amount: bigint) => ({
    text: `INSERT INTO t VALUES (${mark(1)}, ${mark(2)}, ${mark(3)})`,
    values: [id, `n${id}`, amount]
  })
  const nameOf = (id: bigint) => ({ text: `SELECT name FROM t WHERE id = ${mark(1)}`, values: [id] })
  return { sql, transact, insert, nameOf }
})

const amounts = { text: "SELECT amount FROM t ORDER BY id", values: [] }

const writing = (...writes: ReadonlyArray<Statements.Statement>) => ({
  reads: [],
  decide: () => ({ writes, result: "done" }),
  beforeCommit: () => {}
})

const ids = Effect.map(query("SELECT id FROM t ORDER BY id"), (rows) => rows.map(({ id }) => id))

export const transactionSuite = ({ single }: Driver): void => {
  describe("a transaction", () => {
    it.effect("reads integers exactly, decides, and writes", () =>
      Effect.gen(function* () {
        const { insert, nameOf, transact } = yield* open
        const beyond = 2n ** 53n + 1n
        assert.strictEqual(yield* transact(writing(insert(1n, beyond), insert(2n, 2n))), "done")
        const result = yield* transact({
          reads: [amounts, undefined, nameOf(2n)],
          decide: (found) => ({ writes: [insert(3n, BigInt(found[0]!.length))], result: found }),
          beforeCommit: () => {}
        })
        assert.deepStrictEqual(
          result.map((rows) => rows.map((row) => ({ ...row }))),
          [[{ amount: beyond }, { amount: 2n }], [], [{ name: "n2" }]]
        )
        const after = yield* transact({
          ...writing(),
          reads: [amounts],
          decide: ([rows = []]) => ({ writes: [], result: rows.map(({ amount }) => amount) })
        })
        assert.deepStrictEqual(after, [beyond, 2n, 2n])
      }).pipe(Effect.provide(single()))
    )

    it.effect("writes nothing if a statement fails, and the next one works", () =>
      Effect.gen(function* () {
        const { insert, transact } = yield* open
        const exit = yield* Effect.exit(transact(writing(insert(1n, 1n), insert(2n, -1n))))
        const error = Exit.isFailure(exit) && !Cause.hasDies(exit.cause) ? Cause.squash(exit.cause) : undefined
        assert.instanceOf(error, SqlError)
        assert.strictEqual(error.reason._tag, "ConstraintError")
        assert.deepStrictEqual(yield* ids, [])
        yield* transact(writing(insert(2n, 1n)))
        assert.deepStrictEqual(yield* ids, [2])
      }).pipe(Effect.provide(single()))
    )

    it.effect("writes nothing if its code throws, which is a defect and not a failure of the store", () =>
      Effect.gen(function* () {
        const { insert, transact } = yield* open
        const mistake = new TypeError("mistaken")
        const failing = () => {
          throw mistake
        }
        for (const wrong of [{ decide: failing }, { beforeCommit: failing }]) {
          const exit = yield* Effect.exit(transact({ ...writing(insert(1n, 1n)), ...wrong }))
          assert.deepStrictEqual(exit, Exit.die(mistake))
          assert.deepStrictEqual(yield* ids, [])
        }
        yield* transact(writing(insert(2n, 1n)))
        assert.deepStrictEqual(yield* ids, [2])
      }).pipe(Effect.provide(single()))
    )

    it.effect("is not rolled back together with another transaction that was open when it started", () =>
      Effect.gen(function* () {
        const { insert, sql, transact } = yield* open
        const proceed = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`INSERT INTO t VALUES (1, 'a', 1)`
              yield* Deferred.await(proceed)
              return yield* Effect.fail("rolled back")
            })
          ),
          { startImmediately: true }
        )
        const second = yield* Effect.forkChild(transact(writing(insert(2n, 1n))), { startImmediately: true })
        yield* Effect.yieldNow
        yield* Deferred.succeed(proceed, undefined)
        assert.deepStrictEqual(yield* Fiber.await(first), Exit.fail("rolled back"))
        yield* Fiber.join(second)
        assert.deepStrictEqual(yield* ids, [2])
      }).pipe(Effect.provide(single()))
    )
  })
}
