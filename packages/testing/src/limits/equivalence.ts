import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { it } from "@effect/vitest"
import { expect } from "vitest"
import type { Allowance } from "@tollgate/contract/Tier"
import { Limits } from "@tollgate/gateway"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { apart } from "./apart.ts"
import { byTestClock, type Driver } from "./Driver.ts"
import { exchange, principal } from "./exchange.ts"

/** More for a campaign: TOLLGATE_LIMIT_HISTORIES=1000. */
const histories = countOf("TOLLGATE_LIMIT_HISTORIES", 3, 8)

const limit = (most: number) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: most }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, most * 100, 2_500_000_000) }
  )

const allowance: fc.Arbitrary<Allowance> = fc.record({ rpm: limit(8), tpm: limit(3_000), concurrency: limit(3) })

const gap = {
  none: { weight: 4, arbitrary: fc.constant(0) },
  short: { weight: 8, arbitrary: fc.nat({ max: 5_000 }) },
  long: { weight: 2, arbitrary: fc.nat({ max: 200_000 }) },
  back: { weight: 1, arbitrary: fc.integer({ min: -30_000, max: -1 }) }
}

const stepAfter = (gap: fc.Arbitrary<number>) =>
  fc.record({
    gap,
    does: fc.constantFrom("admit", "admit", "admit", "end", "end", "count", "state" as const),
    at: fc.constantFrom("rerank", "image", "deep", "chat" as const),
    key: fc.constantFrom("one", "two"),
    /** Sometimes the operator changes the limits. */
    allowance: fc.option(allowance, { nil: undefined, freq: 8 }),
    tokens: fc.oneof(fc.nat({ max: 2_000 }), fc.constant(10_000_000_000)),
    used: fc.option(fc.oneof(fc.nat({ max: 5_000 }), fc.constantFrom(0, Number.MAX_SAFE_INTEGER)), { nil: undefined }),
    slot: fc.nat()
  })

const stepsAfter = (gap: fc.Arbitrary<number>) => fc.array(stepAfter(gap), { minLength: 40, maxLength: 120 })

/**
 * A clock that is set back stays within minutes: a store may have forgotten what a lease held, or a key owed, at the later
 * time, and does not remember it at the earlier one.
 */
const history = fc.oneof(
  stepsAfter(fc.oneof(gap.none, gap.short, gap.long)),
  stepsAfter(fc.oneof(gap.none, gap.short, gap.back))
)

type Step = typeof history extends fc.Arbitrary<ReadonlyArray<infer A>> ? A : never

/** Stores list groups in orders of their own, and forget those that are full. */
const ordered = (state: Effect.Success<ReturnType<Limits["Service"]["state"]>>) =>
  state && {
    ...state,
    groups: state.groups
      .filter(({ limit, remaining }) => remaining < limit)
      .toSorted((one, other) => one.id.localeCompare(other.id))
  }

/** Carries the same steps out, and returns everything that a caller was told. */
const tell = (first: Allowance, steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const limits = yield* Limits
    const told: Array<unknown> = []
    const open: Array<{ readonly end: (used: number | undefined) => Effect.Effect<void> }> = []
    let current = first
    let now = 1_000_000
    for (const { allowance, at, does, gap, key, slot, tokens, used } of steps) {
      now += gap
      yield* TestClock.setTime(now)
      current = allowance ?? current
      const by = principal(current, key)
      const asked = exchange({ at, by, tokens })
      if (does === "state") told.push(ordered(yield* limits.state(by)))
      else if (does === "count") told.push(yield* Effect.result(limits.count(asked)))
      else if (does === "end") {
        const call = open[slot % Math.max(1, open.length)]
        // Some end twice.
        if (call !== undefined) yield* call.end(used)
        if (slot % 3 === 0) open.splice(slot % Math.max(1, open.length), 1)
      } else {
        const admission = yield* Effect.result(limits.admit(asked))
        if (Result.isFailure(admission)) {
          told.push(admission.failure.refusal, admission.failure.headers)
          continue
        }
        const { success } = admission
        const taken = yield* Effect.result(success.takeTokens(asked))
        told.push(Result.isFailure(taken) ? taken.failure.refusal : "taken", success.limits)
        if (Result.isFailure(taken)) yield* success.end(0)
        else open.push(success)
      }
    }
    return told
  })

/** Whatever happens, a caller is told the same by this store as by limits in memory. */
export const equivalence = (name: string, driver: Effect.Effect<Driver, unknown>): void => {
  it.live(`${name} decide as limits in memory do, whatever happens`, () =>
    Effect.gen(function* () {
      const storeOf = yield* Effect.flatMap(driver, ({ join }) => join)
      const shared = byTestClock(Effect.succeed(storeOf))
      const run = (first: Allowance, steps: ReadonlyArray<Step>, layer: Layer.Layer<Limits, unknown>) =>
        Effect.runPromise(
          Effect.scoped(
            Effect.flatMap(Layer.build(Layer.provideMerge(apart(layer), TestClock.layer())), (context) =>
              Effect.provideContext(tell(first, steps), context as Context.Context<Limits>)
            )
          )
        )
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(allowance, history, async (first, steps) => {
            const told = await run(first, steps, shared)
            expect(told).toEqual(await run(first, steps, Limits.layerMemory))
          }),
          { numRuns: histories, endOnFailure: true }
        )
      )
    }).pipe(Effect.scoped)
  )
}
