import { describe, expect, it } from "@effect/vitest"
import type { Amount } from "@tollgate/contract/account/Amount"
import type { MonthSums, Statement, Transaction } from "@tollgate/contract/account/Billing"
import { statementCsv } from "@tollgate/contract/account/statementCsv"
import { formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import { Accounts, Billing, BillingSql, Ledger } from "@tollgate/gateway"
import { foldUsage } from "@tollgate/ledger/commit/postgres/foldUsage"
import * as Rows from "@tollgate/ledger/store/rows"
import type { Priced } from "@tollgate/gateway/exchange/Exchange"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { differences, exchange, funded, ledgerOn, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

const hour = 3_600_000
const day = 24 * hour
const july = Date.UTC(2026, 6, 1)

/** A call that was charged this much, by its id. */
const charge = Effect.fnUntraced(function* (
  account: string,
  key: string,
  micros: number,
  {
    id,
    model,
    operation = "rerank"
  }: { readonly id?: string; readonly model?: string; readonly operation?: string } = {}
) {
  const ledger = yield* Ledger
  const priced = { ...exchange(account, key, micros, id, undefined, model), operation: { id: operation } }
  const result = yield* ledger.reserve(priced as Priced, undefined)
  if (result.kind !== "reserved") return yield* Effect.die(result.kind)
  yield* settle(result.reservation, micros)
})

const total = (amounts: ReadonlyArray<Amount>): bigint => amounts.reduce((sum: bigint, one) => sum + BigInt(one), 0n)

const amounts = (all: ReadonlyArray<Transaction>, kind?: string): bigint =>
  total(all.filter((one) => kind === undefined || one.kind === kind).map((one) => one.amount_micros_usd))

const parts = (sums: MonthSums): ReadonlyArray<Amount> => [
  sums.topups_micros_usd,
  sums.credits_micros_usd,
  sums.refunds_micros_usd,
  sums.reversals_micros_usd,
  sums.adjustments_micros_usd,
  sums.charges_micros_usd
]

/** All pages, each beginning where the one before ended. */
const allTransactions = Effect.fnUntraced(function* (account: string, limit: number) {
  const billing = yield* Billing
  const first = yield* billing.transactions(account, { limit })
  const all = [...first.transactions]
  for (let { next } = first; next !== null;) {
    const page = yield* billing.transactions(account, { limit, before: next })
    expect(page.transactions.length).toBeGreaterThan(0)
    all.push(...page.transactions)
    next = page.next
  }
  return all
})

const sumOf = (statement: string, values: ReadonlyArray<string | number>) =>
  Effect.flatMap(SqlClient, (sql) => {
    const rows = Rows.make(sql)
    const text = values.reduce<string>((text, _, i) => text.replace("?", rows.mark(i + 1)), statement)
    return Effect.map(rows.run(text, values), ([row]) => Rows.amount(row!, "sum"))
  })

/** Every answer on an account's money, against sums of single calls and entries. */
const expectEqualsLedger = Effect.fnUntraced(function* (account: string) {
  const billing = yield* Billing
  const accounts = yield* Accounts
  const { balance, reserved } = yield* accounts.get(account)
  const money = yield* billing.balance(account)
  expect(total([money.balance_micros_usd])).toBe(balance)
  expect(total([money.available_micros_usd])).toBe(balance - reserved)

  const all = yield* allTransactions(account, 3)
  expect(all).toEqual(yield* allTransactions(account, 500))
  let after: bigint = balance
  for (const one of all) {
    expect(total([one.balance_micros_usd])).toBe(after)
    after -= total([one.amount_micros_usd])
  }
  expect(after).toBe(0n)

  const { months } = yield* billing.statements(account)
  expect(total([months[0]!.closing_micros_usd])).toBe(balance)
  expect(total([months.at(-1)!.opening_micros_usd])).toBe(0n)
  for (const [i, sums] of months.entries()) {
    const statement = yield* billing.statement(account, sums.month)
    expect(statement).toMatchObject(sums)
    expect(sums.opening_micros_usd).toBe(months[i + 1]?.closing_micros_usd ?? 0)
    expect(total([sums.opening_micros_usd, ...parts(sums)])).toBe(total([sums.closing_micros_usd]))
    const start = Date.parse(`${sums.month}-01T00:00:00Z`)
    const end = new Date(start).setUTCMonth(new Date(start).getUTCMonth() + 1)
    const entered = (kind: string) =>
      sumOf(
        "SELECT COALESCE(SUM(amount), 0) AS sum FROM entries WHERE account = ? AND kind = ? AND at >= ? AND at < ?",
        [account, kind, start, end]
      )
    const [topups, credits, refunds, reversals, adjustments, charges] = parts(sums).map((one) => BigInt(one))
    expect([topups, credits, refunds, reversals, adjustments]).toEqual(
      yield* Effect.forEach(["topup", "credit", "refund", "reversal", "adjustment"], entered)
    )
    const charged = yield* sumOf(
      "SELECT COALESCE(SUM(charged), 0) AS sum FROM calls WHERE account = ? AND ended_at >= ? AND ended_at < ?",
      [account, start, end]
    )
    expect(charges).toBe(-charged)
    expect(total(statement.by_operation.map(({ charged_micros_usd }) => charged_micros_usd))).toBe(charged)
    expect(statement.by_operation.reduce((sum, { requests }) => sum + requests, 0)).toBe(sums.requests)
    expect(statement.left_out_micros_usd).toBe(0)
    expect(statement.transactions).toEqual(
      all
        .filter(({ at }) => at.startsWith(sums.month))
        .map(({ balance_micros_usd: _, ...one }) => one)
        .toReversed()
    )
    expectCsv(statement)
  }
  return { all, months }
})

/** The last balance of the lines is the one that is stated, in both units. */
const expectCsv = (statement: Statement) => {
  const lines = statementCsv(statement).trimEnd().split("\r\n")
  expect(lines).toHaveLength(statement.transactions.length + 3)
  const closing = lines.at(-1)!.split(",")
  expect(closing.slice(-4)).toEqual([
    "0",
    "0",
    `${statement.closing_micros_usd}`,
    formatUsd(fromMicros(micro(BigInt(statement.closing_micros_usd))))
  ])
}

export const billingSuite = ({ embedded, single }: Driver): void => {
  const layer = () => Layer.provideMerge(BillingSql.layer, ledgerOn(single()))
  const fold = Effect.flatMap(SqlClient, (sql) => foldUsage(Rows.make(sql)))

  describe("transactions and statements", () => {
    it.effect("equal the ledger over several months, with refunds and reversals of an earlier month", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(july + 3 * day)
        const { account, accounts, key } = yield* funded
        const other = yield* accounts.createKey(account, { label: "batch" })
        const foreign = yield* funded
        const at = (days: number) => TestClock.setTime(july + Math.round(days * day))
        const models = [undefined, "m-1", "a model"]
        let calls = 0
        const someCalls = Effect.fnUntraced(function* (days: number) {
          yield* at(days)
          for (let i = 0; i < 4; i++) {
            const made = { id: `req_${calls++}`, model: models[i % 3], operation: i % 2 === 0 ? "rerank" : "images" }
            yield* charge(account, i % 3 === 0 ? other.id : key, 1_000 + 7 * calls, made as { readonly id: string })
            yield* charge(foreign.account, foreign.key, 13)
          }
        })
        yield* someCalls(3.2)
        yield* accounts.topUp(account, micro(9_000_001n), "invoice 1", "pay-1")
        yield* someCalls(4.9)
        // The last millisecond of July, and the first of August.
        yield* someCalls(31 - 1 / day)
        yield* accounts.adjust(account, -3n, "correction")
        yield* someCalls(31)
        yield* accounts.refund("req_1", "of July")
        yield* accounts.refund("req_5", "a part", { amount: micro(17n) })
        yield* expectEqualsLedger(account)
        // In September nothing happens.
        yield* at(95.5)
        yield* accounts.reverse(account, micro(9_000_000n), "chargeback", "back-1")
        yield* accounts.refund("req_0", "of July, too")
        yield* someCalls(95.6)
        const { all, months } = yield* expectEqualsLedger(account)
        if (!embedded) expect(yield* query("SELECT account FROM usage_deltas")).not.toEqual([])
        yield* fold
        yield* expectEqualsLedger(account)
        expect(months.map(({ ended, month }) => [month, ended])).toEqual([
          ["2026-10", false],
          ["2026-09", true],
          ["2026-08", true],
          ["2026-07", true]
        ])
        expect(months[1]).toMatchObject({ requests: 0, charges_micros_usd: 0 })
        expect(months[0]).toMatchObject({ reversals_micros_usd: -9_000_000, refunds_micros_usd: 1_007 })
        expect(all.slice(0, 3).map(({ id, kind, requests }) => [id, kind, requests])).toEqual([
          ["2026-10-04", "charges", 4],
          ["refund_req_0", "refund", 0],
          ["back-1", "reversal", 0]
        ])
        expect(amounts(all, "charges")).toBe(
          -(yield* sumOf("SELECT SUM(charged) AS sum FROM calls WHERE account = ?", [account]))
        )
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("are exact beyond what a number holds, and name what a statement leaves out", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(july)
        const { account, accounts, key } = yield* funded
        const billing = yield* Billing
        const huge = 9_007_199_254_740_993n
        yield* accounts.topUp(account, micro(huge), "", "huge")
        yield* accounts.topUp(account, micro(huge), "", "huge-2")
        const numbers = Array.from({ length: 503 }, (_, i) => i)
        yield* Effect.forEach(numbers, (i) => charge(account, key, i + 1, { operation: `op${i}` }), { concurrency: 50 })
        yield* Effect.forEach(numbers, (i) => accounts.adjust(account, 2n, `${i}`))
        yield* Effect.forEach(numbers, (i) => accounts.adjust(account, -1n, `${i}`))
        const statement = yield* billing.statement(account, "2026-07")
        const { balance } = yield* accounts.get(account)
        expect([statement.topups_micros_usd, statement.closing_micros_usd]).toEqual([`${huge * 2n}`, `${balance}`])
        expect(statement.transactions).toHaveLength(1_001)
        expect(BigInt(statement.left_out_micros_usd)).toBe(balance - amounts(statement.transactions))
        expect(statementCsv(statement)).toMatch(new RegExp(`\nleft_out,.*\r\nclosing,.*,0,0,${balance},`))
        expect(statement.by_operation).toHaveLength(501)
        expect(statement.by_operation[0]).toEqual({
          operation: "op502",
          model: "",
          requests: 1,
          charged_micros_usd: 503
        })
        expect(statement.by_operation.at(-1)).toEqual({
          operation: "other",
          model: "",
          requests: 3,
          charged_micros_usd: 6
        })
        expect((yield* billing.transactions(account, { limit: 1 })).transactions[0]!.balance_micros_usd).toBe(
          `${balance}`
        )
      }).pipe(Effect.provide(layer()))
    )

    it.effect("refuse a month that has no statement, and what is no cursor", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(july + 40 * day)
        const { account } = yield* funded
        const billing = yield* Billing
        for (const month of ["2026-07", "2026-09", "2026-13", "2026-8", "0000-01", "202608", "2026-08'", ""]) {
          const { refusal } = yield* Effect.flip(billing.statement(account, month))
          expect(refusal.code, month).toBe("route_not_found")
        }
        expect((yield* billing.statement(account, "2026-08")).transactions).toHaveLength(1)
        for (const before of ["", "x", "1.2", "-1.2.x", "1e3.1.x", "1234567890123456.1.x"]) {
          const { refusal } = yield* Effect.flip(billing.transactions(account, { before }))
          expect(refusal.code, before).toBe("invalid_request")
        }
      }).pipe(Effect.provide(layer()))
    )

    it.effect("say how long the balance lasts at the pace of the last days", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(july)
        const { account, accounts, key } = yield* funded
        const billing = yield* Billing
        yield* accounts.adjust(account, 10_000_000n - (yield* accounts.get(account)).balance, "")
        expect(yield* billing.balance(account)).toEqual({
          balance_micros_usd: 10_000_000,
          reserved_micros_usd: 0,
          available_micros_usd: 10_000_000,
          day_micros_usd: 0,
          lasts_until: null,
          is_low: false
        })
        // Within the first day a minute does not count as a pace.
        yield* TestClock.setTime(july + hour)
        yield* charge(account, key, 1_000_000)
        expect(yield* billing.balance(account)).toMatchObject({
          day_micros_usd: 1_000_000,
          lasts_until: new Date(july + hour + 9 * day).toISOString(),
          is_low: false
        })
        yield* TestClock.setTime(july + 2 * day)
        yield* charge(account, key, 3_000_000)
        expect(yield* billing.balance(account)).toMatchObject({
          day_micros_usd: 2_000_000,
          lasts_until: new Date(july + 5 * day).toISOString(),
          is_low: false
        })
        yield* charge(account, key, 1)
        expect(yield* billing.balance(account)).toMatchObject({ is_low: true })
        // What was charged more than seven days ago counts no more.
        yield* TestClock.setTime(july + 9.5 * day)
        expect(yield* billing.balance(account)).toMatchObject({
          day_micros_usd: Math.floor(3_000_001 / 7.5),
          is_low: false
        })
        yield* TestClock.setTime(july + 10 * day)
        expect(yield* billing.balance(account)).toMatchObject({ day_micros_usd: 0, lasts_until: null, is_low: false })
        yield* accounts.adjust(account, -5_000_000n, "")
        expect(yield* billing.balance(account)).toMatchObject({ available_micros_usd: 999_999, is_low: true })
      }).pipe(Effect.provide(layer()))
    )

    if (embedded) {
      it.effect("read totals and entries only, each by its index, however many calls there were", () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(july)
          const { account, key } = yield* funded
          yield* charge(account, key, 7)
          const sql = yield* SqlClient
          const statements: Array<string> = []
          const unsafe: typeof sql.unsafe = (text, values = []) => {
            statements.push(text)
            return sql.unsafe(text, values)
          }
          const watched = new Proxy(sql, {
            get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name))
          })
          const billing = yield* Billing.pipe(
            Effect.provide(Layer.fresh(BillingSql.layer).pipe(Layer.provide(Layer.succeed(SqlClient, watched))))
          )
          yield* billing.balance(account)
          yield* billing.transactions(account, { before: `${july}.${july}.x` })
          yield* billing.statements(account)
          yield* billing.statement(account, "2026-07")
          expect(statements).toHaveLength(4)
          for (const statement of statements) {
            const plan = yield* sql.unsafe<{ readonly detail: string }>(
              `EXPLAIN QUERY PLAN ${statement}`,
              Array.from({ length: statement.split("?").length - 1 }, () => null)
            )
            const tables = plan
              .map(({ detail }) => detail)
              .filter((detail) => /^(?:SCAN|SEARCH) (?!\(?sub|part_)/.test(detail))
            expect(tables.length).toBeGreaterThan(1)
            for (const detail of tables) {
              expect(detail).toMatch(
                /^SEARCH (?:accounts USING .*\(id=\?\)|(?:account_sums|usage_sums|operation_sums|entries) USING .*\(account=\? AND .*\))$/
              )
            }
          }
          expect(yield* query("SELECT COUNT(*) AS n FROM calls")).toEqual([{ n: 1 }])
        }).pipe(Effect.provide(layer()))
      )
    }
  })
}
