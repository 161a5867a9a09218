import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { ConnectionError, SqlError, SqlSyntaxError, UnknownError } from "effect/sql/SqlError"
import * as TestClock from "effect/testing/TestClock"
import * as FailureLog from "../../src/commit/WriteFailure.ts"
import { describeSqlError } from "../../src/store/rows.ts"

const parts = { cause: new Error("x"), message: "x", operation: "x" }
const lost = new SqlError({ reason: new ConnectionError(parts) })
const other = new SqlError({ reason: new UnknownError(parts) })

it.effect("a store that goes and comes back is told of once each, and other failures once a second", () => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message).split(/[;,]/)[0] ?? ""))
  return Effect.gen(function* () {
    const { failed, succeeded } = yield* FailureLog.makeFailureLog(true)
    yield* succeeded
    for (let i = 0; i < 100; i++) {
      yield* failed(lost)
      yield* TestClock.adjust("50 millis")
    }
    yield* succeeded
    yield* succeeded
    assert.deepStrictEqual(lines.splice(0), ["the store cannot be reached", "the store is back"])
    for (let i = 0; i < 100; i++) {
      yield* failed(other)
      yield* succeeded
      yield* TestClock.adjust("50 millis")
    }
    assert.deepStrictEqual(
      lines,
      Array.from({ length: 5 }, () => "ledger write failed")
    )
  }).pipe(Effect.provide(Logger.layer([logger])))
})

it("what is logged of a failure names columns, and quotes no value", () => {
  const message = 'column "error" of relation "calls" does not exist'
  const syntax = new SqlError({ reason: new SqlSyntaxError({ ...parts, message }) })
  assert.deepStrictEqual(describeSqlError(syntax), { reason: "SqlSyntaxError", message })
  const secret = { operation: "x", message: 'value "tg_secret" is out of range for type bigint' }
  for (const cause of [
    { code: "22003" },
    { errcode: 11, code: "ERR_SQLITE_ERROR" },
    { code: "tg_secret" },
    undefined
  ]) {
    const error = new SqlError({ reason: new UnknownError({ ...secret, cause }) })
    const code = cause && (cause.errcode?.toString() ?? (cause.code === "22003" ? cause.code : undefined))
    assert.deepStrictEqual(describeSqlError(error), { reason: "UnknownError", code })
  }
})
