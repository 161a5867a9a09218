import { describe, expect, it } from "@effect/vitest"
import { Limits } from "@tollgate/gateway"
import { type LimitCommand, LimitStore } from "@tollgate/gateway/driver"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Driver } from "./Driver.ts"
import { equivalence } from "./equivalence.ts"
import { exchange, principal } from "./exchange.ts"

const huge = { rpm: 1_000_000, tpm: 1_000_000_000, concurrency: 1_000 }

type Take = Extract<LimitCommand, { kind: "take" }>

const take = (key: string, rest: Partial<Take> = {}): Take => ({
  kind: "take",
  key,
  rpm: huge.rpm,
  tpm: huge.tpm,
  group: undefined,
  request: true,
  tokens: undefined,
  lease: undefined,
  ...rest
})

const end = (key: string, lease: string | undefined, correction: number | undefined): LimitCommand => ({
  kind: "end",
  key,
  rpm: huge.rpm,
  tpm: huge.tpm,
  lease,
  correction
})

let keys = 0
const newKey = () => `shared_${++keys}`

/** What several gateways on one store do together. */
export const sharedSuite = (name: string, driver: Effect.Effect<Driver, unknown>): void => {
  const gateway = Effect.flatMap(driver, ({ join }) => Effect.flatMap(join, (storeOf) => Layer.build(storeOf())))
  const store = Effect.map(gateway, Context.get(LimitStore))
  const limits = Effect.flatMap(gateway, (context) =>
    Effect.map(Layer.build(Layer.provide(Limits.layerShared, Layer.succeedContext(context))), Context.get(Limits))
  )
  const three = <A, E, R>(one: Effect.Effect<A, E, R>) => Effect.all([one, one, one])

  describe(`${name}, with three gateways`, () => {
    for (const [what, allowance] of [
      ["call at a time", { ...huge, concurrency: 1 }],
      ["request per minute", { ...huge, rpm: 1 }]
    ] as const) {
      it.live(`200 that race for one ${what}: exactly one is admitted`, () =>
        Effect.gen(function* () {
          const all = yield* three(limits)
          const by = principal(allowance, newKey())
          const results = yield* Effect.forEach(
            Array.from({ length: 200 }, (_, i) => all[i % 3]!),
            (one) => Effect.result(one.admit(exchange({ at: "chat", by }))),
            { concurrency: "unbounded" }
          )
          const admitted = results.filter(Result.isSuccess)
          expect(admitted.length).toBe(1)
          const messages = new Set(results.filter(Result.isFailure).map(({ failure }) => failure.refusal.message))
          expect(messages).toEqual(
            new Set([
              `The key's limit of ${what === "call at a time" ? "1 calls at a time" : "1 requests per minute"} is reached; slow down.`
            ])
          )
        }).pipe(Effect.scoped)
      )
    }

    it.live("requests per minute never exceed one burst and the refill, by the time of the store", () =>
      Effect.gen(function* () {
        const stores = yield* three(store)
        const key = newKey()
        const rpm = 600
        const granted: Array<number> = []
        yield* Effect.forEach(
          Array.from({ length: 1_500 }, (_, i) => stores[i % 3]!),
          ({ run }) =>
            Effect.map(run([take(key, { rpm }), take(key, { rpm })]), (answers) => {
              for (const { isGranted, now } of answers) if (isGranted) granted.push(now)
            }),
          { concurrency: 30 }
        )
        granted.sort((a, b) => a - b)
        expect(granted.length).toBeGreaterThanOrEqual(rpm)
        const first = granted[0]!
        const excess = granted.map((to, i) => (i + 1 - rpm) * 60_000 - rpm * (to - first))
        expect(Math.max(...excess)).toBeLessThanOrEqual(0)
      }).pipe(Effect.scoped)
    )

    it.live("a call that ends on one gateway makes room on the others", () =>
      Effect.gen(function* () {
        const [one, two] = yield* three(limits)
        const by = principal({ ...huge, concurrency: 1, tpm: 10_000 }, newKey())
        const first = yield* one.admit(exchange({ at: "chat", by }))
        yield* first.takeTokens(exchange({ at: "chat", by, tokens: 4_000 }))
        expect((yield* Effect.flip(two.admit(exchange({ at: "chat", by })))).refusal).toMatchObject({
          retryAfter: 1_000
        })
        expect(yield* two.state(by)).toMatchObject({ concurrency: { limit: 1, running: 1 } })
        yield* first.end(1_000)
        yield* first.end(9_000)
        // Nobody waits for an end, so it is asked for until it is seen.
        const free = Effect.flatMap(two.state(by), (state) =>
          state?.concurrency.running === 0 ? Effect.succeed(state) : Effect.fail("held")
        )
        const state = yield* Effect.eventually(free)
        expect(state.tokens.remaining).toBeGreaterThanOrEqual(9_000)
        yield* two.admit(exchange({ at: "chat", by }))
      }).pipe(Effect.scoped)
    )

    it.live("an end that is repeated changes nothing", () =>
      Effect.gen(function* () {
        const { run } = yield* store
        const key = newKey()
        const lease = { id: "one", most: 1 }
        yield* run([take(key, { tokens: 100, tpm: 1_000, lease })])
        const other = take(key, { tpm: 1_000, lease: { id: "two", most: 1 } })
        expect((yield* run([other]))[0]).toMatchObject({ isGranted: false, running: 1 })
        yield* run([end(key, "one", 500), end(key, "one", 500), end(key, "one", 500)])
        yield* run([end(key, "one", 500), end(key, "other", 500), end(newKey(), "one", undefined)])
        const [answer] = yield* run([other])
        expect(answer).toMatchObject({ isGranted: true, running: 0 })
        const used = answer!.tokensUsed / 60_000
        expect(used).toBeLessThanOrEqual(600)
        // Less what has come back meanwhile: a thousand a minute.
        expect(used).toBeGreaterThan(500)
        yield* run([end(key, "one", 500)])
        expect((yield* run([{ ...other, lease: { id: "three", most: 1 } }]))[0]).toMatchObject({
          isGranted: false,
          running: 1
        })
      }).pipe(Effect.scoped)
    )

    it.live("many commands for many keys at once do not block each other", () =>
      Effect.gen(function* () {
        const stores = yield* three(store)
        const world = newKey()
        const names = Array.from({ length: 40 }, (_, i) => `${world}_${i}`)
        const granted = yield* Effect.forEach(
          Array.from({ length: 90 }, (_, i) => i),
          (i) => {
            // Each in another order.
            const turned = [...names.slice(i % 40), ...names.slice(0, i % 40)]
            return stores[i % 3]!.run(turned.map((key) => take(key, { rpm: 20, group: { id: "g", rpm: 15 } })))
          },
          { concurrency: "unbounded" }
        )
        const counts = granted.flat().filter(({ isGranted }) => isGranted).length
        expect(counts).toBe(40 * 15)
      }).pipe(Effect.scoped)
    )

    it.live("the largest numbers are counted without an error", () =>
      Effect.gen(function* () {
        const { run } = yield* store
        const key = newKey()
        const most = 2_500_000_000
        const tokens = 1_000_000_000_000_000
        const all = { rpm: most, tpm: most, tokens }
        expect((yield* run([take(key, all)]))[0]).toMatchObject({ isGranted: true })
        yield* run([{ ...end(key, undefined, tokens), rpm: most, tpm: most } as LimitCommand])
        const [after] = yield* run([take(key, all)])
        expect(after!.isGranted).toBe(false)
        expect(after!.tokensUsed).toBeGreaterThan(most * 3_500_000)
        expect(after!.tokensUsed).toBeLessThanOrEqual(most * 3_600_000)
        yield* run([{ ...end(key, undefined, -tokens), rpm: most, tpm: most } as LimitCommand])
        expect((yield* run([take(key, all)]))[0]).toMatchObject({ isGranted: true, tokensUsed: 0 })
      }).pipe(Effect.scoped)
    )
  })

  equivalence(name, driver)
}
