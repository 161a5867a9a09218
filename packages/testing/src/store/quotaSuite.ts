import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Ledger } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { differences, funded, ledgerOn, reserve, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { balanceOf, runSteps, step } from "./quotaSteps.ts"

// The whole: QUOTA_SEEDS=2000 pnpm test sqliteEmbedded
const seedsFor = (histories = 75): number => countOf("QUOTA_SEEDS", Math.ceil(histories / 12), histories)

const day = 86_400_000

export const quotaSuite = ({ histories, single }: Driver): void => {
  const quotaSeeds = seedsFor(histories)
  const layer = () => ledgerOn(single())

  describe("a budget of a period", () => {
    it.effect("counts a call that spans two periods once, in the period in which it ends", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { dayBudget: micro(10n) })
        yield* settle(yield* reserved(account, key, 4), 4)
        const over = yield* reserved(account, key, 6)
        yield* TestClock.setTime(day)
        // Reserved amounts count in the current period.
        expect(yield* reserve(account, key, 5)).toBe("balance_reserved")
        const next = yield* reserved(account, key, 4)
        expect(yield* balanceOf(key)).toMatchObject({ day_from: day, day_spent: 0, reserved: 10 })
        yield* settle(over, 3)
        yield* Ledger.use((ledger) => ledger.release(next, 500))
        expect(yield* balanceOf(key)).toMatchObject({ spent: 7, reserved: 0, day_from: day, day_spent: 3 })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("counts a charge that is recorded late in the period that has begun since", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const sql = yield* SqlClient
        yield* accounts.changeKey(key, { dayBudget: micro(10n) })
        const late = yield* reserved(account, key, 5)
        yield* TestClock.setTime(day - 1_000)
        yield* sql`ALTER TABLE answers RENAME TO gone`
        const settling = yield* Effect.forkChild(settle({ ...late, keepAnswer: true }, 5))
        yield* Effect.yieldNow
        // Calls that store no answer are served meanwhile.
        yield* TestClock.setTime(day)
        yield* settle(yield* reserved(account, key, 4), 4)
        expect(yield* balanceOf(key)).toMatchObject({ spent: 4, reserved: 5, day_from: day, day_spent: 4 })
        yield* sql`ALTER TABLE gone RENAME TO answers`
        yield* TestClock.adjust("2 seconds")
        expect(yield* Fiber.join(settling)).toEqual({ state: "settled", micros: 5 })
        expect(yield* balanceOf(key)).toMatchObject({ spent: 9, reserved: 0, day_from: day, day_spent: 9 })
        expect(yield* reserve(account, key, 2)).toBe("quota_exceeded")
        expect(yield* reserve(account, key, 1)).toMatchObject({ amount: 1n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("of a day and one of a month hold together, also if they are set after the spending", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const spend = (micros: number) => Effect.flatMap(reserved(account, key, micros), (call) => settle(call, micros))
        yield* spend(3)
        yield* TestClock.setTime(30 * day)
        yield* spend(4)
        yield* accounts.changeKey(key, { dayBudget: micro(6n), monthBudget: micro(10n) })
        expect(yield* reserve(account, key, 3)).toBe("quota_exceeded")
        yield* spend(2)
        expect(yield* balanceOf(key)).toMatchObject({ day_spent: 6, month_spent: 9 })
        // Another month began with this day.
        yield* TestClock.setTime(31 * day)
        yield* spend(6)
        yield* TestClock.setTime(32 * day)
        expect(yield* reserve(account, key, 5)).toBe("quota_exceeded")
        yield* spend(4)
        expect(yield* balanceOf(key)).toMatchObject({ spent: 19, day_spent: 4, month_spent: 10, month_from: 31 * day })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("counts in the period in force while the clock stands before it", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { dayBudget: micro(2n) })
        const spend = Effect.flatMap(reserve(account, key, 1), (result) =>
          typeof result === "string" ? Effect.succeed(result) : Effect.as(settle(result, 1), "charged")
        )
        yield* TestClock.setTime(2 * day)
        expect(yield* spend).toBe("charged")
        yield* TestClock.setTime(day - 1)
        const results: Array<string> = []
        for (let i = 0; i < 40; i++) results.push(yield* spend)
        expect(results.filter((result) => result === "charged")).toHaveLength(1)
        expect(yield* balanceOf(key)).toMatchObject({ spent: 2, day_from: 2 * day, day_spent: 2 })
        // The terms are set again: the period in force stays.
        yield* accounts.changeKey(key, { dayBudget: micro(2n) })
        expect(yield* balanceOf(key)).toMatchObject({ day_from: 2 * day, day_spent: 2 })
        expect(yield* spend).toBe("quota_exceeded")
        expect(yield* differences).toEqual([])
        yield* TestClock.setTime(3 * day)
        expect(yield* spend).toBe("charged")
      }).pipe(Effect.provide(layer()))
    )

    it.effect("is not given twice because calls were refused with the clock ahead", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { dayBudget: micro(2n) })
        yield* settle(yield* reserved(account, key, 2), 2)
        yield* TestClock.setTime(day)
        expect(yield* reserve(account, key, 3)).toBe("quota_exceeded")
        yield* TestClock.setTime(0)
        expect(yield* reserve(account, key, 1)).toBe("quota_exceeded")
      }).pipe(Effect.provide(layer()))
    )

    it.effect(
      "random commands, clocks, terms and rotations: every result and the spend follow from some order of the commands",
      () =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) =>
              Effect.runPromise(
                runSteps(steps).pipe(Effect.provide(layer()), Effect.provide(TestClock.layer()), Effect.scoped)
              )
            ),
            { numRuns: quotaSeeds }
          )
        ),
      quotaSeeds * 1_000 + 300_000
    )
  })
}
