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
import { isDeepStrictEqual } from "node:util"
import { differences, funded, ledgerOn, reserve, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import * as Model from "./quotaModel.ts"
import type { ModelCommand, ModelResult, Terms } from "./quotaModel.ts"
import { query } from "./query.ts"

// A part runs with the tests. The whole: QUOTA_SEEDS=2000 vitest run sqliteEmbedded
const quotaSeeds = Number(process.env.QUOTA_SEEDS ?? 75)

const day = 86_400_000

type Columns = Record<"spent" | "reserved" | "quota_from" | "quota_spent", number>

const balanceOf = (key: string) =>
  Effect.map(
    query(`SELECT spent, reserved, quota_from, quota_spent FROM keys WHERE id = '${key}'`),
    ([row]) => row as Columns
  )

const columnsOf = (model: Model.Model): Columns => ({
  spent: Model.spentSince(model, 0),
  reserved: Model.reservedIn(model),
  quota_from: model.quotaFrom,
  quota_spent: Model.spentSince(model, model.quotaFrom)
})

type Command =
  | { readonly do: "reserve"; readonly key: number; readonly most: number; readonly cap: number | undefined }
  | { readonly do: "settle"; readonly call: number; readonly micros: number }
  | { readonly do: "release" | "mark_unknown"; readonly call: number }

type Step =
  | { readonly do: "commands"; readonly together: ReadonlyArray<Command> }
  /** Also back. */
  | { readonly do: "clock"; readonly millis: number }
  | { readonly do: "next_period"; readonly off: number }
  | ({ readonly do: "terms" } & Terms)
  | { readonly do: "rotate"; readonly key: number }

const index = fc.nat(5)
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("reserve" as const),
      key: index,
      most: fc.nat(20),
      cap: fc.option(fc.integer({ min: 20, max: 30 }), { nil: undefined })
    })
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("settle" as const), call: index, micros: fc.nat(40) }) },
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
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("clock" as const), millis: fc.integer({ min: -2 * day, max: 2 * day }) })
  },
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

const runSteps = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const { account, accounts, key } = yield* funded
  const ledger = yield* Ledger
  const keys = [key]
  /** Every call that was reserved and perhaps not ended, under the model's name. */
  const reservations = new Map<string, Reservation>()
  let model = Model.empty
  let terms: Terms = { quota: 40, period: "day", budget: null }
  const setTerms = Effect.gen(function* () {
    yield* accounts.changeKey(keys.at(-1) ?? key, {
      quota: { amount: micro(BigInt(terms.quota)), period: terms.period },
      budget: terms.budget === null ? null : micro(BigInt(terms.budget))
    })
    model = Model.changeTerms(model, terms, yield* Clock.currentTimeMillis)
  })

  const run = Effect.fnUntraced(function* (command: ModelCommand, key: string) {
    if (command.do === "reserve") {
      const result = yield* reserve(account, key, command.most, command.cap)
      if (typeof result !== "string") reservations.set(command.call, result)
      return typeof result !== "string"
    }
    const reservation = reservations.get(command.call)
    if (reservation === undefined) return yield* Effect.die(command.call)
    if (command.do === "settle") {
      const charge = yield* settle(reservation, command.micros)
      return charge.state === "settled" ? Number(charge.micros) : undefined
    }
    yield* command.do === "release" ? ledger.release(reservation, 500) : ledger.markUnknown(reservation)
    return undefined
  })

  /** The ledger may carry out commands that arrive together in any order, but as if one after the other. */
  const runTogether = Effect.fnUntraced(function* (together: ReadonlyArray<Command>, n: number) {
    const now = yield* Clock.currentTimeMillis
    const known = [...reservations.keys()]
    const commands = together.flatMap((one, i): ReadonlyArray<ModelCommand> => {
      if (one.do === "reserve") return [{ do: "reserve", call: `${n}.${i}`, most: one.most, cap: one.cap }]
      const call = known[known.length - 1 - (one.call % Math.max(1, known.length))]
      return call === undefined ? [] : [one.do === "settle" ? { ...one, call } : { do: one.do, call }]
    })
    const keyOf = (i: number) => keys[i % keys.length] ?? key
    const results = yield* Effect.forEach(commands, (command, i) => run(command, keyOf(i + n)), {
      concurrency: "unbounded"
    })
    const found = yield* balanceOf(key)
    const observed = { results, ...found }
    const outcomes = Model.orders(commands.map((command, i) => ({ command, i }))).map((order) => {
      let after = model
      const expected: Array<ModelResult> = []
      for (const { command, i } of order) {
        const [next, result] = Model.step(after, terms, now, command)
        after = next
        expected[i] = result
      }
      return { after, expected: { results: expected, ...columnsOf(after) } }
    })
    const match = outcomes.find(({ expected }) => isDeepStrictEqual(expected, observed))
    if (match === undefined) expect(observed).toEqual(outcomes[0]?.expected)
    else model = match.after
  })

  yield* setTerms
  for (const [n, one] of steps.entries()) {
    const now = yield* Clock.currentTimeMillis
    if (one.do === "clock") yield* TestClock.setTime(Math.max(0, now + one.millis))
    else if (one.do === "next_period") yield* TestClock.setTime(Math.max(now, periodEnd(terms.period, now) + one.off))
    else if (one.do === "commands") yield* runTogether(one.together, n)
    else if (one.do === "terms") {
      terms = one
      yield* setTerms
    } else keys.push((yield* accounts.rotateKey(keys[one.key % keys.length]!, 1e12)).id)

    expect(yield* balanceOf(key)).toEqual(columnsOf(model))
    expect(periodStart(terms.period, model.quotaFrom)).toBe(model.quotaFrom)
    for (const id of keys) {
      expect(yield* accounts.getKey(id)).toMatchObject({
        spent: BigInt(Model.spentSince(model, 0)),
        reserved: BigInt(Model.reservedIn(model))
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

    it.effect("counts a charge that is recorded late in the period that has begun since", () =>
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
        expect(yield* balanceOf(key)).toMatchObject({ spent: 9, reserved: 0, quota_from: day, quota_spent: 9 })
        expect(yield* reserve(account, key, 2)).toBe("quota_exceeded")
        expect(yield* reserve(account, key, 1)).toMatchObject({ amount: 1n })
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

    it.effect("counts in the period in force while the clock stands before it", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { quota: { amount: micro(2n), period: "day" } })
        const spend = Effect.flatMap(reserve(account, key, 1), (result) =>
          typeof result === "string" ? Effect.succeed(result) : Effect.as(settle(result, 1), "charged")
        )
        yield* TestClock.setTime(2 * day)
        expect(yield* spend).toBe("charged")
        yield* TestClock.setTime(day - 1)
        const results: Array<string> = []
        for (let i = 0; i < 40; i++) results.push(yield* spend)
        expect(results.filter((result) => result === "charged")).toHaveLength(1)
        expect(yield* balanceOf(key)).toMatchObject({ spent: 2, quota_from: 2 * day, quota_spent: 2 })
        // The terms are set again: the period in force stays.
        yield* accounts.changeKey(key, { quota: { amount: micro(2n), period: "day" } })
        expect(yield* balanceOf(key)).toMatchObject({ quota_from: 2 * day, quota_spent: 2 })
        expect(yield* spend).toBe("quota_exceeded")
        expect(yield* differences).toEqual([])
        yield* TestClock.setTime(3 * day)
        expect(yield* spend).toBe("charged")
      }).pipe(Effect.provide(layer()))
    )

    it.effect("is not given twice because calls were refused with the clock ahead", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { quota: { amount: micro(2n), period: "day" } })
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
      quotaSeeds * 100 + 60_000
    )
  })
}
