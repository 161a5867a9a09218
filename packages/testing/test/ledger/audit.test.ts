import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Audit } from "@tollgate/gateway"
import { counters, operationSpans, spans } from "@tollgate/ledger/ledger/UsageTotals"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { ask } from "@tollgate/testing/ask"
import { differences, funded, ledgerInMemory, reserved, settle } from "@tollgate/testing/ledger/ledgerOn"

const layer = () => Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer()))

/** Large enough to cost something after rounding. */
const question = JSON.stringify({ query: "q", documents: ["word ".repeat(1_000)] })

const audit = Effect.flatMap(TestGateway, ({ sql }) => Effect.provideService(Audit.run, SqlClient, sql))

const rerank = (credential: string, scenario = "none", more: Readonly<Record<string, string>> = {}) =>
  ask(
    "POST",
    "/v1/rerank",
    { authorization: `Bearer ${credential}`, "x-tollgate-scenario": scenario, ...more },
    question
  )

interface History {
  readonly account: string
  readonly lost: string | undefined
  readonly unknown: string | undefined
}

/** Runs `body` on a store with calls in every state, on two accounts and three keys. */
const withHistory = Effect.fnUntraced(function* <E, R>(body: (history: History) => Effect.Effect<void, E, R>) {
  const { account, accounts } = yield* TestGateway
  yield* accounts.topUp(account, micro(7_000_000n), "paid")
  yield* accounts.adjust(account, -250n, "taken back")
  const second = yield* accounts.createKey(account, {})
  const other = yield* accounts.create("other")
  const third = yield* accounts.createKey(other.id, {})
  const keys = [key, Redacted.value(second.value), Redacted.value(third.value)]
  for (const one of keys) {
    for (const scenario of ["none", "no-usage", "status; code=400", "none"]) yield* rerank(one, scenario)
    yield* rerank(one, "none", { "idempotency-key": "again" })
  }
  const lost = yield* rerank(key, "reset")
  yield* TestClock.adjust("61 minutes")
  const unknown = yield* rerank(key, "reset", { "idempotency-key": "unknown" })
  const fiber = yield* Effect.forkChild(rerank(key, "stall"))
  const id = (answer: typeof lost) => answer.headers["x-request-id"]
  const underWay = Effect.gen(function* () {
    while ((yield* audit).open.length === 0) yield* Effect.yieldNow
    yield* body({ account, lost: id(lost), unknown: id(unknown) })
  })
  // A call is carried to its end even if its caller leaves: here to the upstream's deadline.
  yield* Effect.ensuring(underWay, Effect.andThen(TestClock.adjust("15 minutes"), Fiber.interrupt(fiber)))
})

describe("an audit", () => {
  it.effect("finds no difference in a store that only the gateway wrote", () =>
    withHistory(
      Effect.fnUntraced(function* ({ account, unknown, lost }) {
        const found = yield* audit
        expect(found.differences).toEqual([])
        const call = { account, key: expect.any(String), operation: "rerank", reserved: expect.any(BigInt) }
        expect(found.unknown).toEqual([
          expect.objectContaining({ ...call, id: lost, createdAt: 0 }),
          expect.objectContaining({ ...call, id: unknown, createdAt: 3_660_000 })
        ])
        expect(found.open).toEqual([expect.objectContaining({ operation: "rerank", createdAt: 3_660_000 })])
        const { totals } = found
        expect(totals).toMatchObject({ accounts: 2n, keys: 3n, calls: 17n })
        expect(totals.balance).toBe(totals.entered - totals.charged)
        expect(totals.charged).toBeGreaterThan(0n)
        expect(totals.reserved).toBe(found.open.reduce((sum, { reserved }) => sum + reserved, 0n))
      })
    ).pipe(Effect.provide(layer()))
  )

  it.effect("finds no difference in an empty store", () =>
    Effect.gen(function* () {
      const { sql } = yield* TestGateway
      for (const table of ["keys", "entries", "accounts"]) yield* sql.unsafe(`DELETE FROM ${table}`)
      const none = { differences: [], open: [], unknown: [] }
      expect(yield* audit).toMatchObject({ ...none, totals: { accounts: 0n, entered: 0n, charged: 0n } })
    }).pipe(Effect.provide(layer()))
  )

  const one = (table: string, state: string) => `(SELECT id FROM ${table} WHERE ${state} ORDER BY id LIMIT 1)`
  const unknown = `id = ${one("calls", "state = 'unknown'")}`
  const settled = `id = ${one("calls", "state = 'settled' AND cost_state = 'settled'")}`

  /** Each changes one number. The column is the one that the audit must report. */
  const corruptions: ReadonlyArray<readonly [column: string, statement: string]> = [
    ...["balance", "reserved", "topped_up"].map(
      (column) =>
        [
          `accounts.${column}`,
          `UPDATE accounts SET ${column} = ${column} + 1 WHERE id = ${one("accounts", "1=1")}`
        ] as const
    ),
    ...["spent", "reserved", "day_spent", "month_spent"].map(
      (column) =>
        [`keys.${column}`, `UPDATE keys SET ${column} = ${column} - 1 WHERE id = ${one("keys", "1=1")}`] as const
    ),
    ...["usage_sums", "account_sums"].flatMap((table) =>
      spans.flatMap((span) =>
        counters.map(
          (column) =>
            [
              `${table}.${column}`,
              `UPDATE ${table} SET ${column} = ${column} + 1` +
                ` WHERE rowid = (SELECT MIN(rowid) FROM ${table} WHERE span = ${span})`
            ] as const
        )
      )
    ),
    ...operationSpans.flatMap((span) =>
      counters.map(
        (column) =>
          [
            `operation_sums.${column}`,
            `UPDATE operation_sums SET ${column} = ${column} + 1 WHERE span = ${span}` +
              " AND (account, key, start) = (SELECT account, key, start FROM operation_sums ORDER BY 1, 2, 3 LIMIT 1)"
          ] as const
      )
    ),
    ["accounts.balance", "UPDATE entries SET amount = amount - 1 WHERE kind = 'adjustment'"],
    ["calls.charged", `UPDATE calls SET charged_nano = charged_nano + 1000 WHERE ${settled}`],
    ["calls.charged", `UPDATE calls SET charged_nano = charged_nano - 1000 WHERE ${settled}`],
    ["calls.loss", `UPDATE calls SET loss = 1, loss_nano = 0 WHERE ${settled}`],
    ["calls.loss_nano", `UPDATE calls SET loss_nano = 1, charged_nano = charged_nano - 1 WHERE ${settled}`],
    ["calls.failed", `UPDATE calls SET failed = 0 WHERE ${unknown}`],
    ["calls.loss", `UPDATE calls SET loss = 1 WHERE ${unknown}`],
    ["calls.charged_nano", `UPDATE calls SET charged_nano = 1 WHERE ${unknown}`],
    ["calls.value", `UPDATE calls SET value = 1 WHERE ${unknown}`],
    ["idempotency.call", `UPDATE idempotency SET call = 'nothing' WHERE id = ${one("idempotency", "1=1")}`],
    [
      "idempotency.call",
      `UPDATE idempotency SET call = (SELECT call FROM idempotency ORDER BY id DESC LIMIT 1)` +
        ` WHERE id = ${one("idempotency", "1=1")}`
    ]
  ]

  it.effect("finds each altered number, and no other", () =>
    withHistory(
      Effect.fnUntraced(function* () {
        const { sql } = yield* TestGateway
        for (const [column, statement] of corruptions) {
          const rolledBack = Effect.gen(function* () {
            yield* sql.unsafe(statement)
            const changed = yield* sql<{ readonly n: number }>`SELECT changes() AS n`
            const { differences } = yield* audit
            return yield* Effect.fail({ changed: changed[0]?.n, differences })
          })
          const { changed, differences } = yield* Effect.flip(sql.withTransaction(rolledBack)).pipe(
            Effect.filterOrFail((failure) => "differences" in failure)
          )
          expect(changed, statement).toBe(1)
          expect(
            differences.map((found) => `${found.table}.${found.column}`),
            statement
          ).toEqual([column])
          expect(differences[0]?.stored, statement).not.toEqual(differences[0]?.expected)
        }
        expect((yield* audit).differences).toEqual([])
      })
    ).pipe(Effect.provide(layer()))
  )

  it.effect("finds an altered cap or loss of a call that cost more than its cap", () =>
    Effect.gen(function* () {
      const { account, key } = yield* funded
      const sql = yield* SqlClient
      yield* settle(yield* reserved(account, key, 10, 15), 40)
      expect(yield* differences).toEqual([])
      for (const [change, columns] of [
        ["loss = loss + 1", ["calls.loss"]],
        ["loss_nano = loss_nano + 1000", ["calls.loss"]],
        ["loss_nano = loss_nano + 1, charged_nano = charged_nano - 1", ["calls.loss_nano"]],
        ["cap = cap + 1", ["calls.charged", "calls.loss", "calls.loss_nano"]],
        ["cap = NULL", ["calls.charged", "calls.loss", "calls.loss_nano"]]
      ] as const) {
        const found = Effect.gen(function* () {
          yield* sql.unsafe(`UPDATE calls SET ${change}`)
          return yield* Effect.fail((yield* differences).map(({ column, table }) => `${table}.${column}`))
        })
        expect(yield* Effect.flip(sql.withTransaction(found)), change).toEqual(columns)
      }
    }).pipe(Effect.provide(ledgerInMemory))
  )

  it.effect("reports the stored and the expected value", () =>
    Effect.gen(function* () {
      const { account, accounts, sql } = yield* TestGateway
      yield* rerank(key)
      const { balance } = yield* accounts.get(account)
      yield* sql`UPDATE accounts SET balance = balance + 5`
      expect((yield* audit).differences).toEqual([
        { table: "accounts", column: "balance", id: account, stored: balance + 5n, expected: balance }
      ])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("finds missing totals, missing calls, and calls without an account or key", () =>
    Effect.gen(function* () {
      const { sql } = yield* TestGateway
      yield* rerank(key)
      const columnsAfter = (...statements: ReadonlyArray<string>) =>
        Effect.flip(
          sql.withTransaction(
            Effect.gen(function* () {
              for (const statement of statements) yield* sql.unsafe(statement)
              const { differences } = yield* audit
              return yield* Effect.fail(new Set(differences.map(({ column, table }) => `${table}.${column}`)))
            })
          )
        )
      const usedIn = (table: string) =>
        ["requests", "input_tokens", "value", "charged"].map((column) => `${table}.${column}`)
      const used = [...usedIn("usage_sums"), ...usedIn("account_sums"), ...usedIn("operation_sums")]
      for (const table of ["usage_sums", "account_sums", "operation_sums"]) {
        expect(yield* columnsAfter(`DELETE FROM ${table} WHERE span = 3600000`)).toEqual(new Set(usedIn(table)))
      }
      expect(yield* columnsAfter("DELETE FROM calls")).toEqual(
        new Set(["accounts.balance", "keys.spent", "keys.day_spent", "keys.month_spent", ...used])
      )
      const charges = ["accounts.balance", "keys.spent", "keys.day_spent", "keys.month_spent", "calls.charged"]
      expect(yield* columnsAfter("UPDATE calls SET charged = charged - 1")).toEqual(
        new Set([...charges, "usage_sums.charged", "account_sums.charged", "operation_sums.charged"])
      )
      const moved = ["calls", "usage_sums", "account_sums", "operation_sums"].map(
        (table) => `UPDATE ${table} SET account = 'x'`
      )
      expect(yield* columnsAfter(...moved)).toEqual(new Set(["accounts.balance", "calls.account", "calls.key"]))
      expect(
        yield* columnsAfter(
          "UPDATE calls SET key = 'x'",
          "UPDATE usage_sums SET key = 'x'",
          "UPDATE operation_sums SET key = 'x'"
        )
      ).toEqual(new Set(["keys.spent", "keys.day_spent", "keys.month_spent", "calls.key"]))
      expect(yield* columnsAfter("UPDATE calls SET state = 'paid'")).toContain("calls.state")
      expect(yield* columnsAfter("UPDATE calls SET ended_at = NULL")).toContain("calls.ended_at")
      expect(yield* columnsAfter("UPDATE calls SET state = 'open'")).toContain("calls.ended_at")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("names the row where somebody wrote no number, and goes on", () =>
    withHistory(
      Effect.fnUntraced(function* ({ account, unknown }) {
        const { sql } = yield* TestGateway
        const { totals } = yield* audit
        const [topUp] = yield* sql<{ id: string }>`SELECT id FROM entries WHERE kind = 'topup'`
        const written = [
          ["accounts", "balance", account],
          ["accounts", "multiplier", account],
          ["entries", "amount", topUp!.id],
          ["calls", "charged", unknown],
          ["calls", "reserved", unknown],
          ["calls", "created_at", unknown],
          ["keys", "spent", (yield* sql<{ id: string }>`SELECT id FROM keys ORDER BY id`)[0]!.id]
        ] as const
        for (const value of ["much", "1.5", "9e99", ""]) {
          for (const [table, column, id] of written)
            yield* sql.unsafe(`UPDATE ${table} SET ${column} = '${value}' WHERE id = '${id}'`)
          yield* sql.unsafe(`UPDATE usage_sums SET charged = '${value}' WHERE span = 3600000 AND requests > 1`)
          yield* sql.unsafe("UPDATE accounts SET reserved = reserved + 1 WHERE label = 'other'")
          const found = yield* audit
          for (const [table, column, id] of written) {
            expect(found.differences).toContainEqual(
              expect.objectContaining({ table, column, id, expected: "a whole number" })
            )
          }
          const ofUsage = { table: "usage_sums", column: "charged", expected: "a whole number" }
          expect(found.differences).toContainEqual(expect.objectContaining(ofUsage))
          expect(found.differences).toContainEqual(expect.objectContaining({ table: "accounts", column: "reserved" }))
          expect(found.totals.calls).toBe(totals.calls)
          expect(found.unknown).toHaveLength(2)
        }
      })
    ).pipe(Effect.provide(layer()))
  )

  it.effect("adds exactly beyond 2^53, and fails rather than rounds", () =>
    Effect.gen(function* () {
      const { account, accounts, sql } = yield* TestGateway
      const huge = 9_000_000_000_000_000_001n
      yield* accounts.adjust(account, -5_000_000n, "back to nothing")
      yield* accounts.adjust(account, huge, "huge")
      expect(yield* audit).toMatchObject({ differences: [], totals: { balance: huge } })
      yield* sql`UPDATE accounts SET balance = balance - 1`
      expect((yield* audit).differences).toMatchObject([{ stored: huge - 1n, expected: huge }])
      yield* sql`INSERT INTO entries VALUES ('more', ${account}, 'credit', ${huge}, '', 0, NULL)`
      expect(yield* Effect.flip(audit)).toMatchObject({ _tag: "SqlError" })
    }).pipe(Effect.provide(layer()))
  )
})
