import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Audit, CallLog, CallLogSql, Ledger } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { costing, differences, exchange, funded, ledgerOn, reserve, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

const usd = (amount: number) => micro(BigInt(amount) * 1_000_000n)

/** A call that was charged this much, by its id. */
const charged = Effect.fnUntraced(function* (account: string, key: string, id: string, micros: number) {
  const ledger = yield* Ledger
  const result = yield* ledger.reserve(exchange(account, key, micros, id), undefined)
  if (result.kind !== "reserved") return yield* Effect.die(result.kind)
  yield* ledger.settle(result.reservation, costing(micros))
})

export const accountTransactionSuite = ({ single }: Driver): void => {
  const layer = () => ledgerOn(single())

  describe("a payment that is reversed", () => {
    it.effect("lowers what was paid in and the tier, may go below zero, and is booked once", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const { balance: before } = yield* accounts.get(account)
        expect((yield* accounts.topUp(account, usd(600), "", "pay-1")).tier).toBe("Growth")
        const open = yield* reserved(account, key, 500_000_000)
        yield* settle(yield* reserved(account, key, Number(before)), Number(before))
        for (let i = 0; i < 3; i++) {
          const after = yield* accounts.reverse(account, usd(200), "chargeback", "back-1")
          expect([after.tier, after.toppedUp, after.balance]).toEqual(["Starter", usd(400), usd(400)])
        }
        const after = yield* accounts.reverse(account, usd(400), "chargeback", "back-2")
        // The open call is paid all the same: nobody can take back that it runs.
        expect([after.tier, after.toppedUp, after.balance]).toEqual(["Free", 0n, 0n])
        yield* settle(open, 500_000_000)
        expect((yield* accounts.get(account)).balance).toBe(-usd(500))
        expect(yield* reserve(account, key, 1)).toBe("insufficient_balance")
        for (const [amount, id] of [
          [1n, "back-3"],
          [usd(200) + 1n, "back-1"]
        ] as const) {
          const error = yield* Effect.flip(accounts.reverse(account, micro(amount), "more", id))
          expect(error).toMatchObject({ _tag: "AccountsError", reason: "conflict" })
        }
        expect(yield* differences).toEqual([])
        const { overdrafts } = yield* Audit.run
        expect(overdrafts).toEqual([{ of: "balance", id: account, amount: usd(500) }])
      }).pipe(Effect.provide(layer()))
    )
  })

  describe("a call that is refunded", () => {
    it.effect("gives back the charge or a part of it, once; what was used and paid in stays", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const { balance: before } = yield* accounts.get(account)
        yield* charged(account, key, "req_whole", 700)
        yield* charged(account, key, "req_part", 300)
        yield* charged(account, key, "req_kept", 5)
        const totals = yield* query("SELECT SUM(charged) AS charged FROM account_sums WHERE span = 86400000")
        for (let i = 0; i < 3; i++) yield* accounts.refund("req_whole", "empty answer")
        yield* accounts.refund("req_part", "half", { amount: micro(100n), entry: "mine", account })
        const after = yield* accounts.get(account)
        expect([after.balance, after.toppedUp]).toEqual([before - 205n, 0n])
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 1_005n })
        expect(yield* query("SELECT SUM(charged) AS charged FROM account_sums WHERE span = 86400000")).toEqual(totals)
        expect(
          (yield* accounts.entries(account))
            .filter(({ kind }) => kind === "refund")
            .map(({ amount, call, id, note }) => [id, call, amount, note])
            .toSorted()
        ).toEqual([
          ["mine", "req_part", 100n, "half"],
          ["refund_req_whole", "req_whole", 700n, "empty answer"]
        ])
        const log = yield* CallLog
        const { calls } = yield* log.calls({ account }, {})
        expect(calls.map((call) => [call.id, call.charged_micros_usd, call.refunded_micros_usd]).toSorted()).toEqual([
          ["req_kept", 5, 0],
          ["req_part", 300, 100],
          ["req_whole", 700, 700]
        ])
        expect(yield* log.story({ account, key }, "req_part")).toMatchObject({
          refunded_micros_usd: 100,
          refund: { at: new Date(0).toISOString(), note: "half" }
        })
        expect(yield* log.operatorStory(account, "req_whole")).toMatchObject({ refunded_micros_usd: 700 })
        expect(yield* log.story({ account }, "req_kept")).toMatchObject({ refunded_micros_usd: 0, refund: null })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(Layer.provideMerge(CallLogSql.layer, layer())))
    )

    it.effect("is refused beyond the charge, a second time, for another account, and before its end", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const other = yield* accounts.create("other")
        yield* charged(account, key, "req_1", 300)
        yield* charged(account, key, "req_free", 0)
        yield* Ledger.use((ledger) => ledger.reserve(exchange(account, key, 10, "req_open"), undefined))
        const refused = (call: string, terms: Parameters<typeof accounts.refund>[2] = {}) =>
          Effect.map(Effect.flip(accounts.refund(call, "why", terms)), (error) =>
            error._tag === "AccountsError" ? error.reason : error._tag
          )
        expect(yield* refused("req_1", { amount: micro(301n) })).toBe("conflict")
        expect(yield* refused("req_1", { amount: micro(0n) })).toBe("conflict")
        expect(yield* refused("req_1", { amount: micro(-1n) })).toBe("conflict")
        expect(yield* refused("req_1", { account: other.id })).toBe("missing")
        expect(yield* refused("req_free")).toBe("conflict")
        expect(yield* refused("req_open")).toBe("conflict")
        expect(yield* refused("req_none")).toBe("missing")
        yield* accounts.refund("req_1", "why", { amount: micro(1n), entry: "first" })
        expect(yield* refused("req_1", { amount: micro(1n), entry: "second" })).toBe("conflict")
        expect(yield* refused("req_1", { amount: micro(2n), entry: "first" })).toBe("conflict")
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("is booked once when many ask at the same time", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const { balance: before } = yield* accounts.get(account)
        yield* charged(account, key, "req_1", 300)
        const results = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? undefined : `own-${i}`)),
          (entry) => Effect.result(accounts.refund("req_1", "why", { entry })),
          { concurrency: "unbounded" }
        )
        expect(results.some(({ _tag }) => _tag === "Success")).toBe(true)
        expect((yield* accounts.get(account)).balance).toBe(before)
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("the audit finds a refund of more than the charge", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* charged(account, key, "req_1", 300)
        yield* accounts.refund("req_1", "why")
        yield* query("UPDATE entries SET amount = 301 WHERE id = 'refund_req_1'")
        yield* query(`UPDATE accounts SET balance = balance + 1 WHERE id = '${account}'`)
        expect(yield* differences).toMatchObject([{ table: "entries", column: "amount", id: "refund_req_1" }])
      }).pipe(Effect.provide(layer()))
    )
  })
}
