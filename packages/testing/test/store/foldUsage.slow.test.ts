import { expect, it } from "@effect/vitest"
import { Usage, UsageSql } from "@tollgate/gateway"
import { foldUsage } from "@tollgate/ledger/commit/postgres/foldUsage"
import * as Rows from "@tollgate/ledger/store/rows"
import { PostgresClient } from "@tollgate/server/postgres"
import { differences, funded, ledgerOn, reserved, settle } from "@tollgate/testing/ledger/ledgerOn"
import { hasPostgres, migratedDatabase, onMigratedDatabase } from "@tollgate/testing/store/postgres"
import { count, query } from "@tollgate/testing/store/query"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const oneCall = Effect.gen(function* () {
  const { account, key } = yield* funded
  yield* settle(yield* reserved(account, key, 5), 3)
  return { account, key }
})

const onStore = UsageSql.layer.pipe(Layer.provideMerge(ledgerOn(onMigratedDatabase())))

const fold = SqlClient.use((sql) => foldUsage(Rows.make(sql)))

it.effect.runIf(hasPostgres)("a report has a call at once, though its commit only appended what it adds", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(90_000_000)
    const { account } = yield* oneCall
    expect(yield* count("usage_deltas")).toBe(1)
    const report = yield* Usage.use((usage) => usage.report({ account }, { start_time: 86_400, end_time: 93_600 }))
    expect(report.totals).toMatchObject({ requests: 1 })
    expect(yield* count("usage_deltas")).toBe(0)
  }).pipe(Effect.provide(onStore))
)

it.effect.runIf(hasPostgres)("the audit counts what is not in the totals yet, and finds what no call explains", () =>
  Effect.gen(function* () {
    yield* oneCall
    const sql = yield* SqlClient
    expect(yield* count("usage_deltas")).toBe(1)
    expect(yield* differences).toEqual([])
    yield* sql`UPDATE usage_deltas SET charged = charged + 1`
    const found = new Set((yield* differences).map(({ column, table }) => `${table}.${column}`))
    expect(found).toEqual(new Set(["usage_sums.charged", "account_sums.charged", "operation_sums.charged"]))
  }).pipe(Effect.provide(onStore))
)

it.effect.runIf(hasPostgres)(
  "what is being moved into the totals is neither lost nor counted twice if that fails",
  () =>
    Effect.gen(function* () {
      yield* oneCall
      const sql = yield* SqlClient
      const cutOff = sql.withTransaction(Effect.andThen(query("SELECT fold_usage(10, true)"), Effect.fail("cut off")))
      expect(yield* Effect.flip(cutOff)).toBe("cut off")
      expect([yield* count("usage_deltas"), yield* differences]).toEqual([1, []])
      yield* fold
      yield* fold
      expect([yield* count("usage_deltas"), yield* differences]).toEqual([0, []])
    }).pipe(Effect.provide(onStore))
)

it.effect.runIf(hasPostgres)("programs that move deltas at the same time count each once", () =>
  Effect.gen(function* () {
    const address = yield* migratedDatabase
    const store = yield* Layer.build(PostgresClient.layer({ address, maxConnections: 8 }))
    const append = query(
      "INSERT INTO usage_deltas SELECT 'a' || i % 7, 'k', i * 1000, 'rerank', '', '{\"team\":\"search\"}'," +
        " 1, 0, 2, 0, 0, 0, 3, 3 FROM generate_series(1, 200) AS g (i) RETURNING 1"
    )
    const move = query("SELECT fold_usage(50, true)")
    yield* Effect.provideContext(
      Effect.gen(function* () {
        const steps = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? append : move))
        yield* Effect.all(steps, { concurrency: "unbounded", discard: true })
        yield* fold
        const sums = (table: string, span: number) =>
          query(`SELECT SUM(requests) AS n, SUM(charged) AS charged FROM ${table} WHERE span = ${span}`)
        for (const table of ["usage_sums", "account_sums", "operation_sums", "tag_sums"]) {
          expect(yield* sums(table, 86_400_000)).toMatchObject([{ n: 4_000, charged: 12_000 }])
        }
        expect(yield* count("usage_deltas")).toBe(0)
      }),
      store
    )
  }).pipe(Effect.scoped)
)
