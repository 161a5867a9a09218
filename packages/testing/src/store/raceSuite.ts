import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Ledger } from "@tollgate/gateway"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { differences, exchange, funded, ledgerOn, reserve } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"

const tally = (results: ReadonlyArray<unknown>) => ({
  reserved: results.filter((result) => typeof result !== "string").length,
  refused: [...new Set(results.filter((result) => typeof result === "string"))]
})

export const raceSuite = ({ shared, single }: Driver): void => {
  describe("a race", () => {
    it.effect("of 1,000 reservations for a balance, a budget or a quota of ten never exceeds it", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const race = Effect.map(
          Effect.all(
            Array.from({ length: 1_000 }, () => reserve(account, key, 1)),
            { concurrency: "unbounded" }
          ),
          tally
        )
        yield* accounts.changeKey(key, { budget: micro(10n) })
        expect(yield* race).toEqual({ reserved: 10, refused: ["balance_reserved"] })
        yield* accounts.changeKey(key, { budget: null, dayBudget: micro(20n) })
        expect(yield* race).toEqual({ reserved: 10, refused: ["balance_reserved"] })
        yield* accounts.changeKey(key, { dayBudget: null })
        const { balance } = yield* accounts.get(account)
        yield* accounts.adjust(account, 30n - balance, "all but ten")
        expect(yield* race).toEqual({ reserved: 10, refused: ["balance_reserved"] })
        expect(yield* accounts.get(account)).toMatchObject({ balance: 30n, reserved: 30n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(single())))
    )

    it.effect("of 100 requests with one idempotency key reserves once", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const claim = { id: "claim", payload: "p", replay: true }
        const attempt = Ledger.use((ledger) =>
          Effect.match(ledger.reserve(exchange(account, key, 5), claim), {
            onSuccess: ({ kind }) => ({ kind }),
            onFailure: ({ refusal }) => refusal.code
          })
        )
        const results = yield* Effect.all(
          Array.from({ length: 100 }, () => attempt),
          { concurrency: "unbounded" }
        )
        expect(tally(results)).toEqual({ reserved: 1, refused: ["idempotency_in_flight"] })
        expect(yield* accounts.getKey(key)).toMatchObject({ reserved: 5n })
      }).pipe(Effect.provide(ledgerOn(single())))
    )

    it.effect("of three attempts at one call reserves once, in whichever order they come", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const orders = [
          [0, 1, 2],
          [0, 2, 1],
          [1, 0, 2],
          [1, 2, 0],
          [2, 0, 1],
          [2, 1, 0]
        ]
        for (const [i, order] of orders.entries()) {
          // They began to arrive before, so that each may have been overtaken.
          const attempt = (count: number) =>
            Ledger.use((ledger) =>
              ledger.reserve(exchange(account, key, 5), undefined, {
                digest: `call ${i}`,
                count,
                since: -10,
                holds: () => false
              })
            )
          // The first command is committed alone, the others in one group.
          const [, ...results] = yield* Effect.all([reserve(account, key, 5), ...order.map(attempt)], {
            concurrency: "unbounded"
          })
          const [first, ...others] = results.map((result) => (typeof result === "string" ? { kind: result } : result))
          expect(first).toMatchObject({ kind: "reserved" })
          expect(others).toMatchObject([
            { kind: "earlier", state: "open" },
            { kind: "earlier", state: "open" }
          ])
          expect(new Set(others.map((other) => ("call" in other ? other.call : ""))).size).toBe(1)
          expect(yield* accounts.getKey(key)).toMatchObject({ reserved: BigInt(10 * (i + 1)) })
        }
      }).pipe(Effect.provide(ledgerOn(single())))
    )

    // Live: one may have to wait a moment for the other's lock.
    it.live("between two gateways on one store never exceeds the budget", () =>
      Effect.gen(function* () {
        const connect = shared()
        const [one, other] = [yield* Layer.build(ledgerOn(connect())), yield* Layer.build(ledgerOn(connect()))]
        yield* Effect.gen(function* () {
          const { account, accounts, key } = yield* funded
          yield* accounts.changeKey(key, { budget: micro(10n) })
          const results: Array<unknown> = []
          for (let i = 0; i < 20; i++) {
            const ledger = Context.get(i % 2 === 0 ? one : other, Ledger)
            results.push(yield* Effect.provideService(reserve(account, key, 1), Ledger, ledger))
          }
          expect(tally(results)).toEqual({ reserved: 10, refused: ["balance_reserved"] })
          expect(yield* accounts.getKey(key)).toMatchObject({ reserved: 10n })
        }).pipe(Effect.provideContext(one))
      }).pipe(Effect.scoped)
    )
  })
}
