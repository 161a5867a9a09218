import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Ledger } from "@tollgate/gateway"
import type { Reservation } from "@tollgate/gateway/ledger/Ledger"
import { type Period, periodEnd, periodStart } from "@tollgate/gateway/ledger/Period"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { differences, funded, ledgerOn, reserve, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

const day = 86_400_000

type Columns = Record<"spent" | "reserved" | "quota_from" | "quota_spent", number>

const balanceOf = (key: string) =>
  Effect.map(
    query(`SELECT spent, reserved, quota_from, quota_spent FROM keys WHERE id = '${key}'`),
    ([row]) => row as Columns
  )

type Command =
  | { readonly do: "reserve"; readonly key: number; readonly most: number }
  | { readonly do: "settle"; readonly call: number; readonly micros: number }
  | { readonly do: "release" | "mark_unknown"; readonly call: number }

type Step =
  | { readonly do: "commands"; readonly together: ReadonlyArray<Command> }
  | { readonly do: "wait"; readonly millis: number }
  | { readonly do: "next_period"; readonly off: number }
  | { readonly do: "terms"; readonly quota: number; readonly period: Period; readonly budget: number | null }
  | { readonly do: "rotate"; readonly key: number }

const index = fc.nat(5)
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("reserve" as const), key: index, most: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("settle" as const), call: index, micros: fc.nat(22) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("release" as const, "mark_unknown" as const), call: index }) }
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("commands" as const),
      together: fc.array(command, { minLength: 1, maxLength: 4 })
    })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), millis: fc.nat(2 * day) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("next_period" as const), off: fc.integer({ min: -1, max: 1 }) })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("terms" as const),
      quota: fc.nat(60),
      period: fc.constantFrom("day" as const, "month" as const),
      budget: fc.option(fc.nat(200))
    })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rotate" as const), key: index }) }
)

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((all, one) => all + one, 0)

const runSteps = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const { account, accounts, key } = yield* funded
  const ledger = yield* Ledger
  const keys = [key]
  const open: Array<Reservation> = []
  const settled: Array<{ readonly at: number; readonly micros: number }> = []
  let terms = { quota: 40, period: "day" as Period, budget: null as number | null }
  const setTerms = Effect.suspend(() =>
    accounts.changeKey(keys.at(-1) ?? key, {
      quota: { amount: micro(BigInt(terms.quota)), period: terms.period },
      budget: terms.budget === null ? null : micro(BigInt(terms.budget))
    })
  )

  const reservedNow = () => sum(open.map(({ amount }) => Number(amount)))
  const spentSince = (start: number) => sum(settled.filter(({ at }) => at >= start).map(({ micros }) => micros))

  const runTogether = Effect.fnUntraced(function* (together: ReadonlyArray<Command>) {
    const now = yield* Clock.currentTimeMillis
    // Two commands never end the same call: the gateway's path rules that out.
    const endable = [...open]
    const effects = together.flatMap((one): ReadonlyArray<Effect.Effect<boolean, unknown, Ledger>> => {
      if (one.do === "reserve") {
        return [
          Effect.map(reserve(account, keys[one.key % keys.length]!, one.most), (result) => {
            if (typeof result !== "string") open.push(result)
            return typeof result !== "string"
          })
        ]
      }
      const [call] = endable.splice(one.call % Math.max(1, endable.length), 1)
      if (call === undefined) return []
      const close = () => void open.splice(open.indexOf(call), 1)
      if (one.do === "settle") {
        return [
          Effect.map(settle(call, one.micros), (charge) => {
            close()
            settled.push({ at: now, micros: Number(charge.micros) })
            expect(Number(charge.micros)).toBe(Math.min(one.micros, Number(call.amount)))
            return false
          })
        ]
      }
      if (one.do === "mark_unknown") return [Effect.as(ledger.markUnknown(call), false)]
      return [Effect.as(Effect.map(ledger.release(call, 500), close), false)]
    })
    const before = {
      reserved: reservedNow(),
      inPeriod: spentSince(periodStart(terms.period, now)),
      inAll: spentSince(0)
    }
    const granted = yield* Effect.all(effects, { concurrency: "unbounded" })
    const fits = (amount: number, at: typeof before) =>
      at.inPeriod + at.reserved + amount <= terms.quota && at.inAll + at.reserved + amount <= (terms.budget ?? Infinity)
    const [only] = together
    if (together.length === 1 && only?.do === "reserve") expect(granted).toEqual([fits(only.most, before)])
    if (granted.includes(true)) {
      expect(
        fits(0, { reserved: reservedNow(), inPeriod: spentSince(periodStart(terms.period, now)), inAll: spentSince(0) })
      ).toBe(true)
    }
  })

  yield* setTerms
  for (const one of steps) {
    const now = yield* Clock.currentTimeMillis
    if (one.do === "wait") yield* TestClock.adjust(one.millis)
    else if (one.do === "next_period") yield* TestClock.setTime(Math.max(now, periodEnd(terms.period, now) + one.off))
    else if (one.do === "commands") yield* runTogether(one.together)
    else if (one.do === "terms") {
      terms = one
      yield* setTerms
    } else keys.push((yield* accounts.rotateKey(keys[one.key % keys.length]!, 1e12)).id)

    const found = yield* balanceOf(key)
    expect({ spent: found.spent, reserved: found.reserved, inPeriod: found.quota_spent }).toEqual({
      spent: spentSince(0),
      reserved: reservedNow(),
      inPeriod: spentSince(found.quota_from)
    })
    expect(periodStart(terms.period, found.quota_from)).toBe(found.quota_from)
    for (const id of keys) {
      expect(yield* accounts.getKey(id)).toMatchObject({
        spent: BigInt(spentSince(0)),
        reserved: BigInt(reservedNow())
      })
    }
  }
  expect(yield* differences).toEqual([])
})

export const quotaSuite = ({ single }: Driver): void => {
  const layer = () => ledgerOn(single())

  describe("a quota", () => {
    it.effect("counts a call that spans two periods once, in the period in which it ends", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { quota: { amount: micro(10n), period: "day" } })
        yield* settle(yield* reserved(account, key, 4), 4)
        const over = yield* reserved(account, key, 6)
        yield* TestClock.setTime(day)
        // Reserved amounts count in the current period.
        expect(yield* reserve(account, key, 5)).toBe("quota_exceeded")
        const next = yield* reserved(account, key, 4)
        expect(yield* balanceOf(key)).toMatchObject({ quota_from: day, quota_spent: 0, reserved: 10 })
        yield* settle(over, 3)
        yield* Ledger.use((ledger) => ledger.release(next, 500))
        expect(yield* balanceOf(key)).toMatchObject({ spent: 7, reserved: 0, quota_from: day, quota_spent: 3 })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("does not count a charge that is recorded late in the period that has begun since", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const sql = yield* SqlClient
        yield* accounts.changeKey(key, { quota: { amount: micro(10n), period: "day" } })
        const late = yield* reserved(account, key, 5)
        yield* TestClock.setTime(day - 1_000)
        yield* sql`ALTER TABLE answers RENAME TO gone`
        const settling = yield* Effect.forkChild(settle({ ...late, keepAnswer: true }, 5))
        yield* Effect.yieldNow
        // Calls that store no answer are served meanwhile.
        yield* TestClock.setTime(day)
        yield* settle(yield* reserved(account, key, 4), 4)
        expect(yield* balanceOf(key)).toMatchObject({ spent: 4, reserved: 5, quota_from: day, quota_spent: 4 })
        yield* sql`ALTER TABLE gone RENAME TO answers`
        yield* TestClock.adjust("2 seconds")
        expect(yield* Fiber.join(settling)).toEqual({ state: "settled", micros: 5n })
        expect(yield* balanceOf(key)).toMatchObject({ spent: 9, reserved: 0, quota_from: day, quota_spent: 4 })
        expect(yield* reserve(account, key, 7)).toBe("quota_exceeded")
        expect(yield* reserve(account, key, 6)).toMatchObject({ amount: 6n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("keeps its spend when the period changes from day to month and back", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const spend = (micros: number) => Effect.flatMap(reserved(account, key, micros), (call) => settle(call, micros))
        const quota = (period: Period) => accounts.changeKey(key, { quota: { amount: micro(10n), period } })
        yield* spend(1)
        yield* TestClock.setTime(day)
        yield* spend(2)
        yield* quota("month")
        expect(yield* balanceOf(key)).toMatchObject({ quota_from: 0, quota_spent: 3 })
        expect(yield* reserve(account, key, 8)).toBe("quota_exceeded")
        yield* spend(4)
        yield* quota("day")
        expect(yield* balanceOf(key)).toMatchObject({ quota_from: day, quota_spent: 6 })
        yield* accounts.changeKey(key, { quota: null })
        yield* spend(1)
        yield* quota("month")
        expect(yield* balanceOf(key)).toMatchObject({ quota_from: 0, quota_spent: 8 })
        yield* TestClock.setTime(31 * day)
        expect(yield* reserve(account, key, 10)).toMatchObject({ amount: 10n })
        expect(yield* balanceOf(key)).toMatchObject({ quota_from: 31 * day, quota_spent: 0 })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("keeps the spend of the later period if the clock goes back over its start", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { quota: { amount: micro(10n), period: "day" } })
        yield* TestClock.setTime(day)
        yield* settle(yield* reserved(account, key, 8), 8)
        yield* TestClock.setTime(day - 1)
        expect(yield* reserve(account, key, 3)).toBe("quota_exceeded")
        const early = yield* reserved(account, key, 2)
        yield* settle(early, 2)
        yield* TestClock.setTime(day + 1)
        expect(yield* reserve(account, key, 3)).toBe("quota_exceeded")
        expect(yield* reserve(account, key, 2)).toMatchObject({ amount: 2n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect(
      "random commands, periods, terms and rotations: spend and reservations match the calls, and no limit is exceeded",
      () =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) =>
              Effect.runPromise(
                runSteps(steps).pipe(Effect.provide(layer()), Effect.provide(TestClock.layer()), Effect.scoped)
              )
            ),
            { numRuns: 75 }
          )
        ),
      60_000
    )
  })
}
