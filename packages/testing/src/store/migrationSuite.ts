import { describe, expect, it } from "@effect/vitest"
import { Accounts, AccountsSql, Audit, KeyHash, LedgerSql, migrate } from "@tollgate/gateway"
import { ledger } from "@tollgate/gateway/books/store/migrations/0001_ledger"
import { rotation } from "@tollgate/gateway/books/store/migrations/0002_purses"
import { links } from "@tollgate/gateway/books/store/migrations/0003_links"
import { tasks } from "@tollgate/gateway/books/store/migrations/0004_tasks"
import { ended } from "@tollgate/gateway/books/store/migrations/0005_ended"
import { accountSums } from "@tollgate/gateway/books/store/migrations/0006_account_sums"
import { journal } from "@tollgate/gateway/books/store/migrations/0007_journal"
import { overdraft } from "@tollgate/gateway/books/store/migrations/0008_overdraft"
import { endedKeys } from "@tollgate/gateway/books/store/migrations/0009_ended_keys"
import { grants } from "@tollgate/gateway/books/store/migrations/0010_grants"
import { signIn } from "@tollgate/gateway/books/store/migrations/0011_sign_in"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { differences } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

const day = 86_400_000

const accounts = AccountsSql.layer.pipe(
  Layer.provide(KeyHash.layer(Redacted.make(new Uint8Array(32)))),
  Layer.provide(Mac.layerWebCrypto),
  Layer.provide(SecureRandom.layerWebCrypto)
)

const firstVersion = Migrator.make({})({
  table: "tollgate_migrations",
  loader: Migrator.fromRecord({ "0001_ledger": ledger })
})

/** A store of the first version: two keys, four calls, their totals. */
const fillFirstVersion = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`INSERT INTO accounts (id, label, created_at, balance, reserved) VALUES ('a', 'a', 0, 88, 5)`
  yield* sql`INSERT INTO entries VALUES ('e', 'a', 'credit', 100, '', 0)`
  // That version reset the quota of the second key when its period became a month.
  yield* sql`INSERT INTO keys VALUES ('k1', 'a', 'h1', 'one', 0, NULL, 50, 7, 5, 20, 'day', ${day}, 4)`
  yield* sql`INSERT INTO keys VALUES ('k2', 'a', 'h2', 'two', 0, NULL, NULL, 5, 0, 20, 'month', 0, 0)`
  const call = (id: string, key: string, state: string, reserved: number, at: number | null, charged: number) =>
    sql`INSERT INTO calls (id, account, key, operation, state, reserved, created_at, owner, ended_at, charged, charged_nano)
      VALUES (${id}, 'a', ${key}, 'rerank', ${state}, ${reserved}, 0, 'o', ${at}, ${charged}, ${charged * 1000})`
  yield* call("c1", "k1", "settled", 3, 1, 3)
  yield* call("c2", "k1", "settled", 4, day, 4)
  yield* call("c3", "k1", "open", 5, null, 0)
  yield* call("c4", "k2", "settled", 5, 1, 5)
  for (const span of [60_000, 3_600_000, day]) {
    for (const [key, start, charged] of [
      ["k1", 0, 3],
      ["k1", day, 4],
      ["k2", 0, 5]
    ] as const) {
      yield* sql`INSERT INTO usage_sums VALUES ('a', ${key}, ${span}, ${start}, 1, 0, 0, 0, 0, 0, 0, ${charged})`
    }
  }
})

const untilJournal = {
  "0001_ledger": ledger,
  "0002_purses": rotation,
  "0003_links": links,
  "0004_tasks": tasks,
  "0005_ended": ended,
  "0006_account_sums": accountSums,
  "0007_journal": journal
}

const beforeOverdrafts = Migrator.make({})({
  table: "tollgate_migrations",
  loader: Migrator.fromRecord(untilJournal)
})

const beforeModels = Migrator.make({})({
  table: "tollgate_migrations",
  loader: Migrator.fromRecord({
    ...untilJournal,
    "0008_overdraft": overdraft,
    "0009_ended_keys": endedKeys,
    "0010_grants": grants,
    "0011_sign_in": signIn
  })
})

/** A settled, a refused and an open call, and perhaps a journal that goes on with the open one. */
const fillBeforeModels = Effect.fnUntraced(function* (hasJournal: boolean) {
  const sql = yield* SqlClient
  yield* sql`INSERT INTO accounts (id, label, created_at, balance, reserved) VALUES ('a', 'a', 0, 95, 9)`
  yield* sql`INSERT INTO entries VALUES ('e', 'a', 'credit', 100, '', 0)`
  yield* sql`INSERT INTO keys (id, account, hash, label, created_at, spent, reserved, quota_from, quota_spent)
    VALUES ('k', 'a', 'h', '', 0, 5, 9, ${day}, 5)`
  const call = (id: string, operation: string, state: string, reserved: number, at: number | null, charged: number) =>
    sql`INSERT INTO calls (id, account, key, operation, state, reserved, created_at, owner, ended_at, value, charged, charged_nano)
      VALUES (${id}, 'a', 'k', ${operation}, ${state}, ${reserved}, 2, 'o', ${at}, ${charged}, ${charged}, ${charged * 1000})`
  yield* call("c1", "rerank", "settled", 5, day + 1, 5)
  yield* call("c2", "rerank", "refused", 5, day + 1, 0)
  yield* call("c3", "chat.completions", "open", 9, null, 0)
  for (const span of [60_000, 3_600_000, day]) {
    yield* sql`INSERT INTO usage_sums VALUES ('a', 'k', ${span}, ${day}, 1, 0, 0, 0, 0, 0, 5, 5)`
    yield* sql`INSERT INTO account_sums VALUES ('a', ${span}, ${day}, 1, 0, 0, 0, 0, 0, 5, 5)`
  }
  if (!hasJournal) return
  const lines = [
    ["settle", "c3", "a", "k", "9", day + 2, 200, "6", "6", "6000", "settled", "{}", 1, 2, 3, 4, null, 0],
    ["reserve", "d1", "a", "k", "10", day + 3, "rerank", day + 3, null],
    ["release", "d1", "a", "k", "10", day + 3, 500, null, 0]
  ]
  yield* sql`INSERT INTO journal (owner, commands) VALUES ('o', ${JSON.stringify(lines)})`
})

/** Two settled calls, one of them clipped to its reservation, a released and an unknown one, and perhaps a journal. */
const fillBeforeOverdrafts = Effect.fnUntraced(function* (hasJournal: boolean) {
  const sql = yield* SqlClient
  yield* sql`INSERT INTO accounts (id, label, created_at, balance, reserved) VALUES ('a', 'a', 0, 92, 7)`
  yield* sql`INSERT INTO entries VALUES ('e', 'a', 'credit', 100, '', 0)`
  yield* sql`INSERT INTO keys (id, account, hash, label, created_at, spent, reserved, quota_spent)
    VALUES ('k', 'a', 'h', '', 0, 8, 7, 8)`
  const call = (id: string, state: string, reserved: number, at: number | null, charged: number, nano: number) =>
    sql`INSERT INTO calls (id, account, key, operation, state, reserved, created_at, owner, ended_at, charged, charged_nano)
      VALUES (${id}, 'a', 'k', 'rerank', ${state}, ${reserved}, 2, 'o', ${at}, ${charged}, ${nano})`
  yield* call("c1", "settled", 5, 1, 5, 9_000)
  yield* call("c2", "settled", 5, 1, 3, 3_499)
  yield* call("c3", "released", 5, 1, 0, 0)
  yield* call("c4", "unknown", 7, null, 0, 0)
  for (const span of [60_000, 3_600_000, day]) {
    yield* sql`INSERT INTO usage_sums VALUES ('a', 'k', ${span}, 0, 3, 1, 0, 0, 0, 0, 0, 8)`
    yield* sql`INSERT INTO account_sums VALUES ('a', ${span}, 0, 3, 1, 0, 0, 0, 0, 0, 8)`
  }
  if (!hasJournal) return
  const lines = [
    ["reserve", "d1", "a", "k", "10", 5, "rerank", 4],
    ["settle", "d1", "a", "k", "10", 6, 200, "0", "16", "16000", "settled", "{}", 0, 0, 0, 0],
    ["reserve", "d2", "a", "k", "10", 5, "rerank", 4],
    ["hold", "d2", "a", "k", "10", 7],
    ["write_off", "d2", "a", "k", "10", 8],
    ["write_off", "c4", "a", "k", "7", 9]
  ]
  yield* sql`INSERT INTO journal (owner, commands) VALUES ('o', ${JSON.stringify(lines)})`
})

export const migrationSuite = ({ embedded, single }: Driver): void => {
  describe("migrations", () => {
    it.effect("keep ended keys ended", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* firstVersion
        yield* fillFirstVersion
        yield* TestClock.setTime(day)
        yield* sql`UPDATE keys SET ends_at = ${day} WHERE id = 'k1'`
        yield* sql`UPDATE keys SET ends_at = ${day + 1} WHERE id = 'k2'`
        yield* migrate
        expect(yield* query("SELECT id, ended FROM keys ORDER BY id")).toEqual([
          { id: "k1", ended: 1 },
          { id: "k2", ended: 0 }
        ])
      }).pipe(Effect.provide(single()))
    )

    it.effect("run once: a second start keeps the data", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* migrate
        yield* sql`INSERT INTO accounts (id, label, created_at) VALUES ('a', 'kept', 0)`
        yield* migrate
        expect(yield* query("SELECT label FROM accounts")).toEqual([{ label: "kept" }])
      }).pipe(Effect.provide(single()))
    )

    it.effect("refuse a store of a later version, and name both versions", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* migrate
        yield* sql`INSERT INTO tollgate_migrations (migration_id, name) VALUES (99, 'later')`
        const error = yield* Effect.flip(migrate)
        expect(error).toMatchObject({ _tag: "SchemaTooNew", message: expect.stringMatching(/schema 99.*knows \d+$/) })
      }).pipe(Effect.provide(single()))
    )

    it.effect("keep the charges and counts of a store from before overdrafts, and its journal", () =>
      Effect.gen(function* () {
        yield* beforeOverdrafts
        yield* fillBeforeOverdrafts(embedded)
        yield* migrate
        yield* LedgerSql.checkpoint
        const { differences, totals } = yield* Audit.run
        expect(differences).toEqual([])
        // What was not charged because more was not reserved is a loss.
        const journaled = embedded ? 6n : 0n
        expect([totals.charged, totals.loss]).toEqual([8n + (embedded ? 10n : 0n), 4n + journaled])
        expect(
          yield* query("SELECT id, cap, charged, loss, failed, ended_at FROM calls WHERE id < 'd' ORDER BY id")
        ).toEqual([
          { id: "c1", cap: 5, charged: 5, loss: 4, failed: 0, ended_at: 1 },
          { id: "c2", cap: null, charged: 3, loss: 0, failed: 0, ended_at: 1 },
          { id: "c3", cap: null, charged: 0, loss: 0, failed: 1, ended_at: 1 },
          { id: "c4", cap: null, charged: 0, loss: 0, failed: 1, ended_at: 2 }
        ])
        expect(yield* query(`SELECT requests, failed_requests FROM account_sums WHERE span = ${day}`)).toEqual([
          { requests: embedded ? 6 : 4, failed_requests: embedded ? 3 : 2 }
        ])
      }).pipe(Effect.provide(single()))
    )

    it.effect("add up by operation the calls of a store from before models were recorded, and its journal", () =>
      Effect.gen(function* () {
        yield* beforeModels
        yield* fillBeforeModels(embedded)
        yield* migrate
        yield* LedgerSql.checkpoint
        expect(yield* differences).toEqual([])
        const totals = "SELECT operation, model, requests, failed_requests AS failed, charged FROM operation_sums"
        for (const span of [3_600_000, day]) {
          expect(yield* query(`${totals} WHERE span = ${span} AND start = ${day} ORDER BY operation`)).toEqual([
            ...(embedded ? [{ operation: "chat.completions", model: "", requests: 1, failed: 0, charged: 6 }] : []),
            { operation: "rerank", model: "", requests: embedded ? 2 : 1, failed: embedded ? 1 : 0, charged: 5 }
          ])
        }
        expect(yield* query("SELECT DISTINCT span FROM operation_sums ORDER BY span")).toEqual([
          { span: 3_600_000 },
          { span: day }
        ])
        expect(yield* query("SELECT model, upstream, tried FROM calls WHERE id = 'c1'")).toEqual([
          { model: null, upstream: null, tried: null }
        ])
      }).pipe(Effect.provide(single()))
    )

    it.effect("keep the balances, budgets and spend of a store of the first version", () =>
      Effect.gen(function* () {
        yield* firstVersion
        yield* fillFirstVersion
        yield* migrate
        expect(yield* differences).toEqual([])
        expect(yield* Accounts.use(({ listKeys }) => listKeys("a")).pipe(Effect.provide(accounts))).toMatchObject([
          {
            id: "k1",
            rootKey: "k1",
            label: "one",
            budget: 50n,
            spent: 7n,
            reserved: 5n,
            quota: 20n,
            quotaPeriod: "day"
          },
          {
            id: "k2",
            rootKey: "k2",
            label: "two",
            budget: null,
            spent: 5n,
            reserved: 0n,
            quota: 20n,
            quotaPeriod: "month"
          }
        ])
        expect(yield* query("SELECT quota_from, quota_spent FROM keys ORDER BY id")).toEqual([
          { quota_from: day, quota_spent: 4 },
          { quota_from: 0, quota_spent: 5 }
        ])
        expect(
          yield* query(`SELECT start, requests, charged FROM account_sums WHERE span = ${day} ORDER BY start`)
        ).toEqual([
          { start: 0, requests: 2, charged: 8 },
          { start: day, requests: 1, charged: 4 }
        ])
        expect(yield* query("SELECT balance, reserved FROM accounts")).toEqual([{ balance: 88, reserved: 5 }])
      }).pipe(Effect.provide(single()))
    )
  })
}
