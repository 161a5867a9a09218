import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Ledger } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { differences, exchange, funded, ledgerOn, reserve, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"

export const callSuite = ({ single }: Driver): void => {
  const layer = () => ledgerOn(single())

  describe("a call", () => {
    it.effect("is charged once, even if it is settled twice", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const call = yield* reserved(account, key, 10)
        const first = yield* settle(call, 7)
        expect(first).toEqual({ state: "settled", micros: 7 })
        expect(yield* settle(call, 9)).toEqual(first)
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 7n, reserved: 0n })
        const twice = yield* reserved(account, key, 10)
        const charges = yield* Effect.all([settle(twice, 5), settle(twice, 6)], { concurrency: 2 })
        expect(charges).toEqual([
          { state: "settled", micros: 5 },
          { state: "settled", micros: 5 }
        ])
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 12n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("is settled if one commit marks it unknown and settles it; a released call stays released", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const ledger = yield* Ledger
        const unknown = yield* reserved(account, key, 10)
        const [, charge] = yield* Effect.all([ledger.markUnknown(unknown), settle(unknown, 4)], { concurrency: 2 })
        expect(charge).toEqual({ state: "settled", micros: 4 })
        const released = yield* reserved(account, key, 10)
        yield* ledger.release(released, 500)
        expect(yield* settle(released, 4)).toEqual({ state: "none" })
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 4n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("is charged to its key even if the key was revoked meanwhile", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const call = yield* reserved(account, key, 10)
        yield* accounts.revokeKey(key)
        yield* settle(call, 3)
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 3n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )
  })

  describe("a key", () => {
    it.effect("that was deleted from the store is refused, whatever its budget was", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { budget: micro(0n) })
        yield* SqlClient.use((sql) => sql`DELETE FROM keys WHERE id = ${key}`)
        expect(yield* reserve(account, key, 10)).toBe("invalid_credential")
        // An OAuth token has no key and spends from the account alone.
        expect(yield* reserve(account, "", 10)).toMatchObject({ amount: 10n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("with a budget below its spend has 0 USD left, not a negative amount", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* settle(yield* reserved(account, key, 10), 10)
        const open = yield* reserved(account, key, 5)
        yield* accounts.changeKey(key, { budget: micro(4n) })
        const refused = yield* Ledger.use((ledger) => Effect.flip(ledger.reserve(exchange(account, key, 1), undefined)))
        expect(refused.refusal).toMatchObject({
          code: "over_budget",
          message: expect.stringMatching(/budget has 0 USD left/)
        })
        // A call that was reserved before is still charged.
        expect(yield* settle(open, 5)).toEqual({ state: "settled", micros: 5 })
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 15n, budget: 4n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )
  })
}
