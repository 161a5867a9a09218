import { describe, expect, it } from "@effect/vitest"
import { Upstreams } from "@tollgate/gateway"
import { Carrier, type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Provider } from "@tollgate/gateway/upstream/Provider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { exchange, providerAt } from "@tollgate/testing/upstream"
import { allowances } from "@tollgate/contract/Tier"
import { one } from "@tollgate/contract/price/Price"

type Fate = number | NotCarried["why"] | Effect.Effect<Incoming, NotCarried>

/** A scripted upstream that records the calls by provider. */
const script = (fates: Record<string, Fate>) => {
  const heard: Array<string> = []
  const carrier = Layer.succeed(Carrier, {
    carry: ({ origin }) =>
      Effect.suspend((): Effect.Effect<Incoming, NotCarried> => {
        const name = origin.slice("http://".length)
        heard.push(name)
        const fate = fates[name] ?? 200
        if (typeof fate === "object") return fate
        return typeof fate === "number"
          ? Effect.succeed({ status: fate, headers: {}, body: new Uint8Array() })
          : Effect.fail(new NotCarried({ why: fate }))
      })
  })
  return { heard, carrier }
}

const provider = (name: string, breaker: boolean): Provider => ({
  ...providerAt(1),
  name,
  baseUrl: `http://${name}`,
  breaker
})

const accounts = ["acct_1", "acct_2"] as const

const exchangeOf = (account: string) => ({
  ...exchange(),
  principal: { account, allowance: allowances.Free, multiplier: one }
})

/** `call` is made by two accounts in turn. */
const over = <A, E>(
  fates: Record<string, Fate>,
  names: ReadonlyArray<string>,
  effect: (parts: {
    readonly call: Effect.Effect<string>
    readonly callAs: (account: string) => Effect.Effect<string>
    readonly heard: ReadonlyArray<string>
  }) => Effect.Effect<A, E>,
  breaker = true
) => {
  const { carrier, heard } = script(fates)
  const to = names.map((name, i) => ({ provider: provider(name, breaker), weight: i === 0 ? 1e12 : 1 }))
  let calls = 0
  const program = Upstreams.use(({ call }) => {
    const callAs = (account: string) =>
      Effect.match(call(exchangeOf(account)), {
        onSuccess: (called) => (called.kind === "whole" ? `${called.provider} ${called.answer.status}` : "stream"),
        onFailure: ({ refusal }) =>
          [refusal.code, refusal.status, refusal.retryAfter].filter((part) => part !== undefined).join(" ")
      })
    return effect({ heard, callAs, call: Effect.suspend(() => callAs(accounts[calls++ % 2 === 0 ? 0 : 1])) })
  })
  return program.pipe(
    Effect.provide(Upstreams.layer([{ operation: "rerank", to }]).pipe(Layer.provide(carrier))),
    Random.withSeed("breaker")
  )
}

const times = <A>(count: number, effect: Effect.Effect<A>) => Effect.all(Array.from({ length: count }, () => effect))

const shut = (millis: number) => `upstream_unreachable 503 ${millis}`

describe("an upstream that keeps failing", () => {
  for (const [fate, failures, answered] of [
    ["not sent", 5, "upstream_unreachable 502"],
    ["broken", 10, "upstream_failed 502"],
    ["timeout", 10, "upstream_timeout 502"],
    [500, 10, "a 500"],
    [599, 10, "a 599"]
  ] as const) {
    it.effect(`(${fate}) is not called after ${failures} failures, and tried once more after five seconds`, () =>
      over({ a: fate }, ["a"], ({ call, heard }) =>
        Effect.gen(function* () {
          expect(new Set(yield* times(failures, call))).toEqual(new Set([answered]))
          expect(yield* call).toBe(shut(5_000))
          yield* TestClock.adjust(4_999)
          expect(yield* call).toBe(shut(1))
          expect(heard).toHaveLength(failures)
          yield* TestClock.adjust(1)
          expect(yield* call).toBe(answered)
          expect(yield* call).toBe(shut(10_000))
          expect(heard).toHaveLength(failures + 1)
        })
      )
    )
  }

  for (const fate of ["broken", "timeout", 500] as const) {
    it.effect(`(${fate}) for one account alone stays in use for the others`, () => {
      const fates: Record<string, Fate> = {}
      return over(fates, ["a"], ({ callAs }) =>
        Effect.gen(function* () {
          for (let i = 0; i < 20; i++) {
            fates.a = fate
            yield* times(10, callAs("hostile"))
            fates.a = 200
            expect(yield* callAs("honest")).toBe("a 200")
          }
        })
      )
    })
  }

  it.effect("is paused twice as long each time, up to a minute; a success resets that", () => {
    const fates: Record<string, Fate> = { a: "not sent" }
    return over(fates, ["a"], ({ callAs }) =>
      Effect.gen(function* () {
        const call = callAs("acct_1")
        yield* times(5, call)
        for (const wait of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
          expect(yield* call).toBe(shut(wait))
          yield* TestClock.adjust(wait)
          yield* call
        }
        yield* TestClock.adjust(60_000)
        fates.a = 200
        expect(yield* times(3, call)).toEqual(["a 200", "a 200", "a 200"])
        fates.a = "not sent"
        expect(yield* times(5, call)).not.toContain(shut(5_000))
        expect(yield* call).toBe(shut(5_000))
      })
    )
  })

  for (const well of [200, 204, 400, 404, 422, 429, 401, 302, "too large"] as const) {
    it.effect(`stays in use as long as half of its answers are such as ${well}`, () => {
      const fates: Record<string, Fate> = {}
      return over(fates, ["a"], ({ call }) =>
        Effect.gen(function* () {
          for (let i = 0; i < 10; i++) {
            fates.a = 500
            yield* times(2, call)
            fates.a = well
            yield* times(3, call)
          }
          fates.a = 500
          expect(yield* call).toBe("a 500")
          yield* times(10, call)
          expect(yield* call).toBe(shut(5_000))
        })
      )
    })
  }

  it.effect("loses its calls to another upstream", () =>
    over({ a: "not sent" }, ["a", "b"], ({ call, heard }) =>
      Effect.gen(function* () {
        expect(new Set(yield* times(7, call))).toEqual(new Set(["b 200"]))
        expect(heard.filter((name) => name === "a")).toHaveLength(5)
      })
    )
  )

  it.effect("gets one trial call at a time, and another when that call's caller leaves", () => {
    const fates: Record<string, Fate> = { a: 500 }
    return over(fates, ["a"], ({ call, heard }) =>
      Effect.gen(function* () {
        yield* times(10, call)
        yield* TestClock.adjust(5_000)
        fates.a = Effect.never
        const probe = yield* Effect.forkChild(call, { startImmediately: true })
        expect(yield* call).toBe(shut(5_000))
        expect(heard).toHaveLength(11)
        yield* TestClock.adjust(10_000)
        expect(yield* call).toBe(shut(5_000))
        yield* Fiber.interrupt(probe)
        fates.a = 200
        expect(yield* call).toBe("a 200")
        expect(yield* call).toBe("a 200")
      })
    )
  })

  it.effect("is paused for the same time despite calls that started earlier", () => {
    const late = (fate: Effect.Effect<Incoming, NotCarried>) => Effect.andThen(Effect.sleep(1_000), fate)
    const fates: Record<string, Fate> = {}
    return over(fates, ["a"], ({ call }) =>
      Effect.gen(function* () {
        fates.a = late(Effect.fail(new NotCarried({ why: "timeout" })))
        const failing = yield* Effect.forkChild(call, { startImmediately: true })
        fates.a = late(Effect.succeed({ status: 200, headers: {}, body: new Uint8Array() }))
        const succeeding = yield* Effect.forkChild(call, { startImmediately: true })
        fates.a = 500
        yield* times(10, call)
        yield* TestClock.adjust(1_000)
        expect(yield* Fiber.join(failing)).toBe("upstream_timeout 502")
        expect(yield* Fiber.join(succeeding)).toBe("a 200")
        expect(yield* call).toBe(shut(4_000))
      })
    )
  })

  it.effect("is called every time if its provider has no breaker", () =>
    over(
      { a: 500 },
      ["a"],
      ({ call, heard }) =>
        Effect.gen(function* () {
          yield* times(20, call)
          expect(heard).toHaveLength(20)
        }),
      false
    )
  )
})
