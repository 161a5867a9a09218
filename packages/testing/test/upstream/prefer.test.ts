import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { Speed } from "@tollgate/gateway/upstream/Speed"
import type { Route, Target } from "@tollgate/gateway/upstream/Route"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const rates = (input: string, output: string) => ({
  input: usd(input),
  output: usd(output),
  cacheRead: usd(input),
  cacheWrite: usd(input)
})

const chat = operations.find(({ id }) => id === "chat.completions")!
const priceOf = (model: ReturnType<typeof rates>) =>
  ({ ...(chat.price as Extract<Operation["price"], { contract: "model_tokens" }>), models: { m: model } }) as const

const priced: ReadonlyArray<Operation> = operations.map((operation) =>
  operation.id === chat.id ? { ...operation, price: priceOf(rates("1", "1")) } : operation
)

const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "word" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 20 }
})

const at = (name: string, { port }: { readonly port: number }, model?: ReturnType<typeof rates>): Target => ({
  provider: {
    ...providerAt(port),
    name,
    protocol: "openai",
    ...(model && { prices: { of: () => priceOf(model) } })
  },
  weight: 1
})

const through = <A, E>(route: Omit<Route, "operation" | "model">, effect: Effect.Effect<A, E, Host | TestGateway>) =>
  effect.pipe(
    Effect.provide(
      Host.layerNode.pipe(
        Layer.provideMerge(TestGateway.layer({ operations: priced, routes: [{ operation: chat.id, ...route }] }))
      )
    )
  )

const bearer = { authorization: `Bearer ${key}` }
const callOf = (more: object) =>
  Effect.map(
    ask(
      "POST",
      "/v1/chat/completions",
      bearer,
      JSON.stringify({ model: "m", messages: [{ role: "user", content: "x" }], ...more })
    ),
    ({ headers }) => headers["x-tollgate-upstream"]
  )
const served = (times: number, more: object = {}) => Effect.all(Array.from({ length: times }, () => callOf(more)))

const good = httpUpstream((res) => res.setHeader("content-type", "application/json").end(answer))

describe("the cheapest upstream", () => {
  it.live("of a route is that by its own prices for this request, and comes first", () =>
    Effect.gen(function* () {
      const [one, two, three] = yield* Effect.all([good, good, good])
      const to = [at("unknown", one), at("long", two, rates("1", "9")), at("short", three, rates("9", "1"))]
      yield* through(
        { to, prefer: "cheapest" },
        Effect.gen(function* () {
          // Much input and little output, then the other way round.
          const content = "x".repeat(40_000)
          expect(new Set(yield* served(8, { messages: [{ role: "user", content }], max_tokens: 10 }))).toEqual(
            new Set(["long"])
          )
          expect(new Set(yield* served(8, { max_tokens: 10_000 }))).toEqual(new Set(["short"]))
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("yields to the next one if nothing ran there", () =>
    Effect.gen(function* () {
      const [limited, other] = yield* Effect.all([httpUpstream((res) => res.writeHead(429).end()), good])
      const to = [at("dear", other, rates("5", "5")), at("cheap", limited, rates("1", "1"))]
      yield* through(
        { to, prefer: "cheapest" },
        Effect.gen(function* () {
          expect(yield* served(3)).toEqual(["dear", "dear", "dear"])
          expect(limited.received).toHaveLength(3)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("shares the calls by weight with others that cost as much", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([good, good])
      const to = [at("one", one, rates("1", "1")), at("two", two, rates("1", "1"))]
      yield* through(
        { to, prefer: "cheapest" },
        Effect.map(served(40), (all) => expect(new Set(all)).toEqual(new Set(["one", "two"])))
      )
    }).pipe(Effect.scoped)
  )
})

describe("the fastest upstream", () => {
  it.live("comes first once each has been measured", () =>
    Effect.gen(function* () {
      const slow = yield* httpUpstream((res) => {
        setTimeout(() => res.setHeader("content-type", "application/json").end(answer), 150)
      })
      const fast = yield* good
      yield* through(
        { to: [{ ...at("slow", slow), weight: 1e9 }, at("fast", fast)], prefer: "fastest" },
        Effect.gen(function* () {
          expect((yield* served(10)).slice(2)).toEqual(Array.from({ length: 8 }, () => "fast"))
          expect(slow.received).toHaveLength(1)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("is not the one that fails at once", () =>
    Effect.gen(function* () {
      const failing = yield* httpUpstream((res) => res.writeHead(500).end())
      const other = yield* good
      yield* through(
        { to: [{ ...at("failing", failing), weight: 1e9 }, at("good", other)], prefer: "fastest" },
        Effect.gen(function* () {
          expect((yield* served(10)).slice(2)).toEqual(Array.from({ length: 8 }, () => "good"))
          expect(failing.received).toHaveLength(1)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is measured apart for streams, follows changes, and is forgotten after a minute without a call", () =>
    Effect.gen(function* () {
      const speed = new Speed()
      const clock = yield* Effect.clockWith(Effect.succeed)
      const expected = (isStream = false) => speed.expected(isStream, clock.currentTimeMillisUnsafe())
      const call = Effect.fnUntraced(function* (millis: number, status?: number) {
        const timed = speed.begin(false, clock)
        yield* TestClock.adjust(millis)
        timed(status)
      })
      expect(expected()).toBe(0)
      const timed = speed.begin(false, clock)
      // Others do not all go to a target that was not measured yet.
      expect(expected()).toBeGreaterThan(60_000)
      yield* TestClock.adjust(100)
      timed(200)
      expect([expected(), expected(true)]).toEqual([100, 0])
      yield* call(200, 200)
      expect(expected()).toBe(120)
      // A caller's own mistake says nothing.
      yield* call(1, 400)
      expect(expected()).toBe(120)
      yield* call(1, 429)
      expect(expected()).toBeGreaterThan(60_000)
      yield* call(50, 200)
      expect(expected()).toBe(50)
      yield* call(1)
      expect(expected()).toBeGreaterThan(60_000)
      yield* TestClock.adjust(59_999)
      expect(expected()).toBeGreaterThan(60_000)
      yield* TestClock.adjust(1)
      expect(expected()).toBe(0)
      yield* call(50, 200)
      // A clock that was set back.
      expect(speed.expected(false, clock.currentTimeMillisUnsafe() - 1)).toBe(0)
    })
  )
})
