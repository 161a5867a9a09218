import { expect } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Ledger } from "@tollgate/gateway"
import type { Reservation } from "@tollgate/ledger/ledger/Ledger"
import { periodEnd, periodStart } from "@tollgate/ledger/ledger/Balance"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { differences, funded, reserve, settle } from "../ledger/ledgerOn.ts"
import * as Model from "./quotaModel.ts"
import type { ModelCommand, ModelResult, Terms } from "./quotaModel.ts"
import { query } from "./query.ts"

const day = 86_400_000

type Columns = Record<"spent" | "reserved" | "day_from" | "day_spent" | "month_from" | "month_spent", number>

/** What the store has of a key's balance. */
export const balanceOf = (key: string) =>
  Effect.map(
    query(`SELECT spent, reserved, day_from, day_spent, month_from, month_spent FROM keys WHERE id = '${key}'`),
    ([row]) => row as Columns
  )

const columnsOf = (model: Model.Model): Columns => {
  const [day, month] = [periodStart("day", model.latest), periodStart("month", model.latest)]
  return {
    spent: Model.spentSince(model, 0),
    reserved: Model.reservedIn(model),
    day_from: day,
    day_spent: Model.spentSince(model, day),
    month_from: month,
    month_spent: Model.spentSince(model, month)
  }
}

type Command =
  | { readonly do: "reserve"; readonly key: number; readonly most: number; readonly cap: number | undefined }
  | { readonly do: "settle"; readonly call: number; readonly micros: number }
  | { readonly do: "release" | "mark_unknown"; readonly call: number }

type Step =
  | { readonly do: "commands"; readonly together: ReadonlyArray<Command> }
  /** Also back. */
  | { readonly do: "clock"; readonly millis: number }
  | { readonly do: "next_period"; readonly period: "day" | "month"; readonly off: number }
  | ({ readonly do: "terms" } & Terms)
  | { readonly do: "rotate"; readonly key: number }

const index = fc.nat(5)
const period = fc.constantFrom("day" as const, "month" as const)
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
/** A random step of a ledger's life. */
export const step: fc.Arbitrary<Step> = fc.oneof(
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
    arbitrary: fc.record({ do: fc.constant("next_period" as const), period, off: fc.integer({ min: -1, max: 1 }) })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("terms" as const),
      day: fc.option(fc.nat(60)),
      month: fc.option(fc.nat(60)),
      budget: fc.option(fc.nat(200))
    })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rotate" as const), key: index }) }
)

const microOrNull = (micros: number | null) => (micros === null ? null : micro(BigInt(micros)))

/** Takes the steps with a ledger and with the model, and compares the two after each. */
export const runSteps = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const { account, accounts, key } = yield* funded
  const ledger = yield* Ledger
  const keys = [key]
  /** Every call that was reserved and perhaps not ended, under the model's name. */
  const reservations = new Map<string, Reservation>()
  let model = Model.empty
  let terms: Terms = { day: 40, month: null, budget: null }
  const setTerms = Effect.gen(function* () {
    yield* accounts.changeKey(keys.at(-1) ?? key, {
      dayBudget: microOrNull(terms.day),
      monthBudget: microOrNull(terms.month),
      budget: microOrNull(terms.budget)
    })
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
    else if (one.do === "next_period") yield* TestClock.setTime(Math.max(now, periodEnd(one.period, now) + one.off))
    else if (one.do === "commands") yield* runTogether(one.together, n)
    else if (one.do === "terms") {
      terms = one
      yield* setTerms
    } else keys.push((yield* accounts.rotateKey(keys[one.key % keys.length]!, 1e12)).id)

    expect(yield* balanceOf(key)).toEqual(columnsOf(model))
    for (const id of keys) {
      expect(yield* accounts.getKey(id)).toMatchObject({
        spent: BigInt(Model.spentSince(model, 0)),
        reserved: BigInt(Model.reservedIn(model))
      })
    }
  }
  expect(yield* differences).toEqual([])
})
