import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Audit, Ledger } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { differences, exchange, funded, ledgerOn, reserve, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

const day = 86_400_000

/** An account that has only this much. */
const fundedWith = Effect.fnUntraced(function* (micros: bigint) {
  const owner = yield* funded
  const { balance } = yield* owner.accounts.get(owner.account)
  yield* owner.accounts.adjust(owner.account, micros - balance, "all but")
  return owner
})

const refusal = (account: string, key: string, most: number) =>
  Ledger.use((ledger) => Effect.flip(ledger.reserve(exchange(account, key, most), undefined)))

export const overdraftSuite = ({ single }: Driver): void => {
  const layer = () => ledgerOn(single())

  describe("a call that costs more than was reserved", () => {
    it.effect("costs what was metered, also above its reservation", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        expect(yield* settle(yield* reserved(account, key, 10), 11)).toEqual({ state: "settled", micros: 11 })
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 11n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("costs no more than its cap; the operator bears the rest", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        expect(yield* settle(yield* reserved(account, key, 10, 15), 15)).toEqual({ state: "settled", micros: 15 })
        expect(yield* settle(yield* reserved(account, key, 10, 15), 40)).toEqual({ state: "settled", micros: 15 })
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 30n, reserved: 0n })
        expect(
          yield* query("SELECT cap, value, charged, charged_nano, loss, loss_nano FROM calls ORDER BY loss")
        ).toEqual([
          { cap: 15, value: 15, charged: 15, charged_nano: 15_000, loss: 0, loss_nano: 0 },
          { cap: 15, value: 40, charged: 15, charged_nano: 15_000, loss: 25, loss_nano: 25_000 }
        ])
        const { differences, totals } = yield* Audit.run
        expect([differences, totals.charged, totals.loss]).toEqual([[], 30n, 25n])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("takes the balance below zero; then every billed call is refused until it is positive", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* fundedWith(20n)
        const [one, other] = [yield* reserved(account, key, 10), yield* reserved(account, key, 10)]
        expect((yield* settle(one, 25)).micros).toBe(25)
        expect((yield* settle(other, 12)).micros).toBe(12)
        expect(yield* accounts.get(account)).toMatchObject({ balance: -17n, reserved: 0n })
        for (const [most, message] of [
          [5, "The call can cost up to 0.000005 USD; the balance is 0 USD. Top up the account."],
          [0, "The balance is used up. Top up the account."]
        ] as const) {
          expect((yield* refusal(account, key, most)).refusal).toMatchObject({ code: "insufficient_balance", message })
        }
        const audit = yield* Audit.run
        expect(audit).toMatchObject({
          differences: [],
          overdrafts: [{ of: "balance", id: account, amount: 17n }],
          totals: { balance: -17n, loss: 0n }
        })
        yield* accounts.topUp(account, micro(17n), "exactly")
        expect(yield* reserve(account, key, 0)).toBe("insufficient_balance")
        yield* accounts.topUp(account, micro(1n), "more")
        expect(yield* reserve(account, key, 2)).toBe("insufficient_balance")
        expect(yield* reserve(account, key, 1)).toMatchObject({ amount: 1n })
        expect(yield* Audit.run).toMatchObject({ differences: [], overdrafts: [] })
      }).pipe(Effect.provide(layer()))
    )

    it.effect("takes a budget below zero; then every billed call of the key is refused", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { budget: micro(10n) })
        yield* settle(yield* reserved(account, key, 10), 13)
        expect((yield* refusal(account, key, 0)).refusal.message).toBe(
          "The key's budget of 0.00001 USD is used up. The owner of the account can raise it."
        )
        expect((yield* refusal(account, key, 1)).refusal.message).toMatch(/budget has 0 USD left/)
        expect(yield* Audit.run).toMatchObject({
          differences: [],
          overdrafts: [{ of: "budget", id: key, amount: 3n }]
        })
        yield* accounts.changeKey(key, { budget: micro(14n) })
        expect(yield* reserve(account, key, 1)).toMatchObject({ amount: 1n })
      }).pipe(Effect.provide(layer()))
    )

    it.effect("takes a quota below zero; then every billed call of the key is refused until the next period", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { dayBudget: micro(10n) })
        yield* settle(yield* reserved(account, key, 10), 13)
        expect(yield* reserve(account, key, 0)).toBe("quota_exceeded")
        expect(yield* Audit.run).toMatchObject({ differences: [], overdrafts: [{ of: "quota", id: key, amount: 3n }] })
        yield* TestClock.setTime(day)
        expect(yield* Audit.run).toMatchObject({ differences: [], overdrafts: [] })
        expect(yield* reserve(account, key, 0)).toMatchObject({ amount: 0n })
      }).pipe(Effect.provide(layer()))
    )
  })
}
