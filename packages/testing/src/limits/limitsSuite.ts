import { describe, expect, it } from "@effect/vitest"
import { type Allowance, allowances } from "@tollgate/contract/Tier"
import { one } from "@tollgate/contract/price/Price"
import { Limits, UpstreamRpm } from "@tollgate/gateway"
import type { Authenticated } from "@tollgate/gateway/exchange/Exchange"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { apart } from "./apart.ts"
import { cases, type Step } from "./cases.ts"
import { type Asked, exchange, principal } from "./exchange.ts"

type Principal = NonNullable<Authenticated["principal"]>
type Admission = Effect.Success<ReturnType<Limits["Service"]["admit"]>>

const admit = (asked?: Asked) =>
  Limits.use((limits) =>
    Effect.flatMap(limits.admit(exchange(asked)), (admission) =>
      Effect.as(
        Effect.onError(admission.takeTokens(exchange(asked)), () => admission.end(0)),
        admission
      )
    )
  )
const refused = (asked?: Asked) => Effect.map(Effect.flip(admit(asked)), (error) => error.refusal)
const headersNow = (by: Principal = principal()) =>
  Limits.use((limits) => limits.count({ ...exchange(), principal: by }))

const times = (count: number, asked?: Asked) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.flatMap(admit(asked), ({ end }) => end(undefined)))

const gap = fc.oneof(fc.constant(0), fc.nat({ max: 300 }), fc.nat({ max: 90_000 }))
const huge: Allowance = { rpm: 1_000_000, tpm: 1_000_000_000, concurrency: 1_000 }

const carryOut = Effect.fnUntraced(function* (first: Allowance, steps: ReadonlyArray<Step>) {
  const calls: Array<Admission> = []
  let by = principal(first)
  for (const { ask, at, end, left, now, refused: expected, times = 1, used } of steps) {
    if (at !== undefined) yield* TestClock.setTime(at)
    if (now !== undefined) by = principal({ ...by.allowance, ...now })
    let told = calls.at(-1)?.limits
    for (let i = 0; ask !== undefined && i < times; i++) {
      if (expected !== undefined) expect(yield* refused({ ...ask, by })).toMatchObject(expected)
      else {
        const admitted = yield* admit({ ...ask, by })
        calls.push(admitted)
        told = admitted.limits
      }
    }
    if (end !== undefined) yield* calls[end]!.end(used)
    if (left !== undefined) expect(ask === undefined ? yield* headersNow(by) : told).toMatchObject(left)
  }
})

export interface SuiteDriver {
  /** Limits by the clock of the test. */
  readonly layer: Layer.Layer<Limits, unknown>
  /** How many random histories are tried. */
  readonly runs: number
}

/** What a caller notices of limits, wherever they are counted. */
export const limitsSuite = (name: string, driver: SuiteDriver) =>
  describe(name, () => {
    const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Limits>) =>
      it.effect(name, () => Effect.provide(effect(), apart(driver.layer)))

    /** Each run has its own limits and clock. */
    const property = <A>(given: fc.Arbitrary<A>, check: (value: A) => Effect.Effect<void, unknown, Limits>) =>
      fc.assert(
        fc.asyncProperty(given, (value) =>
          Effect.runPromise(Effect.provide(check(value), Layer.provideMerge(apart(driver.layer), TestClock.layer())))
        ),
        { numRuns: driver.runs, endOnFailure: true }
      )

    for (const [name, allowance, steps] of cases) test(name, () => carryOut({ ...huge, ...allowance }, steps))

    test("a refusal says which kind of limit was reached, for the metrics", () =>
      Effect.gen(function* () {
        const kindOf = (asked: Asked) => Effect.map(Effect.flip(admit(asked)), ({ limit }) => limit)
        const few = principal({ ...huge, rpm: 1 }, "key_requests")
        yield* times(1, { by: few })
        expect(yield* kindOf({ by: few })).toBe("requests")
        const one = principal({ ...huge, concurrency: 1 }, "key_concurrency")
        yield* admit({ at: "chat", by: one })
        expect(yield* kindOf({ at: "chat", by: one })).toBe("concurrency")
        const short = principal({ ...huge, tpm: 100 }, "key_tokens")
        yield* admit({ at: "chat", by: short, tokens: 60 })
        expect(yield* kindOf({ at: "chat", by: short, tokens: 60 })).toBe("tokens")
      }))

    describe("requests per minute", () => {
      it("never admit more than one burst plus the refill, in any span of time", () =>
        property(
          fc.record({ rpm: fc.integer({ min: 1, max: 40 }), gaps: fc.array(gap, { minLength: 60, maxLength: 160 }) }),
          ({ gaps, rpm }) =>
            Effect.gen(function* () {
              const by = principal({ ...huge, rpm })
              const admitted: Array<number> = []
              let now = 0
              for (const millis of gaps) {
                yield* TestClock.adjust(millis)
                now += millis
                if (Result.isSuccess(yield* Effect.result(admit({ by })))) admitted.push(now)
              }
              expect(admitted.length).toBeGreaterThanOrEqual(Math.min(rpm, gaps.length))
              const excess = admitted.flatMap((from, i) =>
                admitted.slice(i).map((to, more) => (more + 1 - rpm) * 60_000 - rpm * (to - from))
              )
              expect(Math.max(...excess)).toBeLessThanOrEqual(0)
            })
        ))

      const step = fc.record({
        gap,
        at: fc.constantFrom("rerank", "image", "deep" as const),
        tokens: fc.nat({ max: 3_000 }),
        used: fc.option(fc.nat({ max: 6_000 }), { nil: undefined })
      })

      const allowance = (rpm: number, tpm: number) =>
        fc.record({
          rpm: fc.integer({ min: 1, max: rpm }),
          tpm: fc.integer({ min: 1, max: tpm }),
          concurrency: fc.constant(1)
        })
      const steps = fc.array(step, { minLength: 20, maxLength: 80 })

      it("Retry-After is exact to the millisecond", () =>
        property(fc.record({ allowance: allowance(30, 4_000), steps }), ({ allowance, steps }) =>
          Effect.gen(function* () {
            // Not counted by tokens: an attempt that is refused for its tokens is counted as a request.
            const by = principal({ ...allowance, tpm: huge.tpm })
            for (const { at, gap, tokens, used } of steps) {
              yield* TestClock.adjust(gap)
              const first = yield* Effect.result(admit({ at, by, tokens }))
              if (Result.isSuccess(first)) {
                yield* first.success.end(used)
                continue
              }
              const wait = first.failure.refusal.retryAfter!
              expect(wait).toBeGreaterThan(0)
              yield* TestClock.adjust(wait - 1)
              expect(yield* refused({ at, by, tokens })).toMatchObject({ retryAfter: 1 })
              yield* TestClock.adjust(1)
              yield* Effect.flatMap(admit({ at, by, tokens }), ({ end }) => end(used))
            }
          })
        ))

      it("Retry-After is exact to the millisecond for tokens too", () =>
        property(fc.record({ allowance: allowance(30, 4_000), steps }), ({ allowance, steps }) =>
          Effect.gen(function* () {
            const by = principal({ ...huge, tpm: allowance.tpm })
            for (const { gap, tokens, used } of steps) {
              yield* TestClock.adjust(gap)
              const asked = { at: "chat", by, tokens } as const
              const first = yield* Effect.result(admit(asked))
              if (Result.isSuccess(first)) {
                yield* first.success.end(used)
                continue
              }
              const wait = first.failure.refusal.retryAfter!
              yield* TestClock.adjust(wait - 1)
              expect(yield* refused(asked)).toMatchObject({ retryAfter: 1 })
              yield* TestClock.adjust(1)
              yield* Effect.flatMap(admit(asked), ({ end }) => end(used))
            }
          })
        ))

      it("whoever waits for Retry-After is admitted after two waits at most, one of them for tokens", () =>
        property(fc.record({ allowance: allowance(30, 4_000), steps }), ({ allowance, steps }) =>
          Effect.gen(function* () {
            const by = principal(allowance)
            for (const { at, gap, tokens, used } of steps) {
              yield* TestClock.adjust(gap)
              let admission = yield* Effect.result(admit({ at, by, tokens }))
              for (let waits = 0; Result.isFailure(admission) && waits < 2; waits++) {
                yield* TestClock.adjust(admission.failure.refusal.retryAfter!)
                admission = yield* Effect.result(admit({ at, by, tokens }))
              }
              expect(Result.isSuccess(admission)).toBe(true)
              if (Result.isSuccess(admission)) yield* admission.success.end(used)
            }
          })
        ))

      test("are counted by key, or by account if there is no key", () =>
        Effect.gen(function* () {
          yield* times(60)
          const account: Principal = { account: "acc_1", allowance: allowances.Free, multiplier: one }
          expect((yield* admit({ by: principal(allowances.Free, "key_2") })).limits.remainingRequests).toBe(59)
          expect((yield* admit({ by: account })).limits.remainingRequests).toBe(59)
          expect((yield* admit({ by: account })).limits.remainingRequests).toBe(58)
          yield* refused()
        }))

      test("are not limited without a credential", () =>
        Effect.gen(function* () {
          yield* times(100, { by: undefined })
          expect((yield* admit({ by: undefined })).limits).toEqual({})
        }))

      test("a limit of 0 refuses every request, without Retry-After", () =>
        Effect.gen(function* () {
          for (const none of [{ rpm: 0 }, { tpm: 0 }, { concurrency: 0 }]) {
            const by = principal({ ...allowances.Free, ...none }, JSON.stringify(none))
            expect(yield* refused({ at: "deep", by })).not.toHaveProperty("retryAfter")
          }
        }))
    })

    describe("a group's own limit", () => {
      test("is per key, and counts towards the key's limit too", () =>
        Effect.gen(function* () {
          yield* times(5, { at: "deep" })
          expect(yield* refused({ at: "deep" })).toMatchObject({
            code: "rate_limit_exceeded",
            message: "The key's limit of 5 requests per minute to deep_research is reached; slow down.",
            retryAfter: 12_000
          })
          expect((yield* admit({ at: "deep", by: principal(allowances.Free, "key_2") })).limits).toMatchObject({
            limitRequests: 5,
            remainingRequests: 4,
            resetRequests: 12
          })
          expect((yield* admit()).limits).toMatchObject({ limitRequests: 60, remainingRequests: 54 })
          yield* times(30, { at: "image" })
          expect((yield* refused({ at: "image" })).message).toContain("30 requests per minute to image")
          yield* times(24)
          expect((yield* refused({ at: "image" })).message).toContain("30 requests per minute to image")
          expect((yield* refused()).message).toBe("The key's limit of 60 requests per minute is reached; slow down.")
        }))

      it.effect("is what the operator sets if the upstream's quota is the limit", () =>
        Effect.gen(function* () {
          const by = principal(huge)
          yield* Effect.provide(times(200, { at: "chat", by }), apart(driver.layer))
          const limited = apart(Layer.provide(driver.layer, Layer.succeed(UpstreamRpm, 2)))
          yield* Effect.gen(function* () {
            yield* times(2, { at: "chat", by })
            expect((yield* refused({ at: "chat", by })).message).toContain("2 requests per minute to inference")
          }).pipe(Effect.provide(limited))
        })
      )
    })

    describe("tokens per minute", () => {
      const by = principal({ ...huge, tpm: 10_000 })
      const left = Effect.map(headersNow(by), ({ remainingTokens }) => remainingTokens)

      test("are estimated from the text's bytes and the answer's maximum", () =>
        Effect.gen(function* () {
          expect((yield* admit({ at: "chat", by, tokens: 1_000 })).limits).toMatchObject({
            limitTokens: 10_000,
            remainingTokens: 9_000,
            resetTokens: 6
          })
          expect((yield* admit({ at: "chat", by })).limits.remainingTokens).toBe(9_000 - 4_096)
          expect((yield* admit({ at: "rerank", by, tokens: 1_000 })).limits.remainingTokens).toBe(9_000 - 4_096)
        }))

      test("are told as they are after the call, once it has ended", () =>
        Effect.gen(function* () {
          const call = yield* admit({ at: "chat", by, tokens: 50_000 })
          expect(call.limits.remainingTokens).toBe(0)
          yield* call.end(0)
          expect(call.limits.remainingTokens).toBe(10_000)
        }))

      it("add up to those used, in whatever order calls end", () =>
        property(
          fc.array(
            fc.record({ tokens: fc.integer({ min: 4, max: 900 }), used: fc.nat({ max: 900 }), slot: fc.nat() }),
            {
              maxLength: 10
            }
          ),
          (calls) =>
            Effect.gen(function* () {
              const open = yield* Effect.forEach(calls, (call) =>
                Effect.map(admit({ at: "chat", by, tokens: call.tokens }), ({ end }) => ({ ...call, end }))
              )
              for (const { end, used } of open.toSorted((a, b) => a.slot - b.slot)) yield* end(used)
              expect(yield* left).toBe(10_000 - calls.reduce((sum, { used }) => sum + used, 0))
            })
        ))

      test("a correction refills from its own time, also for a key that was idle", () =>
        Effect.gen(function* () {
          for (const others of [0, 10]) {
            const call = yield* admit({ at: "image", by, tokens: 3 })
            yield* TestClock.adjust("10 minutes")
            yield* Effect.forEach(Array.from({ length: others }), (_, i) =>
              admit({ by: principal(huge, `other_${i}`) })
            )
            yield* call.end(6_003)
            expect(yield* left).toBe(4_000)
            yield* TestClock.adjust("6 seconds")
            expect(yield* left).toBe(5_000)
            yield* TestClock.adjust("1 minute")
          }
        }))
    })
  })
