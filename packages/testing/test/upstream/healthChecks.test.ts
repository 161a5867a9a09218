import { describe, expect, it } from "@effect/vitest"
import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { Breaker } from "@tollgate/gateway/upstream/Breaker"
import { checkHealth } from "@tollgate/gateway/upstream/healthChecks"
import { ProviderStates } from "@tollgate/gateway/upstream/ProviderStates"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask, question } from "@tollgate/testing/ask"
import { httpUpstream, providerAt, providerCredential } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const health = { path: "/health", everyMillis: 10_000 }
const provider = { ...providerAt(1), name: "up", health }

/** The checks of an upstream that answers as `answer` says now. */
const checked = Effect.fnUntraced(function* () {
  const states = new ProviderStates()
  let answer: Effect.Effect<number, NotCarried> = Effect.succeed(200)
  let asked = 0
  const carry = () =>
    Effect.suspend(() => {
      asked++
      return Effect.map(answer, (status) => ({ status, headers: {}, body: new Uint8Array(0) }))
    })
  const fiber = yield* Effect.forkChild(checkHealth({ carry }, states, [provider]))
  yield* TestClock.adjust(0)
  const view = Effect.clockWith((clock) =>
    Effect.sync(() => states.of(provider).breaker?.view(clock.currentTimeMillisUnsafe()))
  )
  return { view, fiber, asked: () => asked, says: (next: typeof answer) => void (answer = next) }
})

describe("a health check", () => {
  for (const [what, failing] of [
    ["answers 500", Effect.succeed(500)],
    ["cannot be reached", Effect.fail(new NotCarried({ why: "not sent" }))],
    ["is silent", Effect.never]
  ] as const) {
    it.effect(`pauses an upstream that ${what} twice, until it answers`, () =>
      Effect.gen(function* () {
        const { asked, says, view } = yield* checked()
        expect([yield* view, asked()]).toEqual([{ state: "closed" }, 1])
        says(failing)
        yield* TestClock.adjust(15_000)
        // Once is no proof.
        expect(yield* view).toEqual({ state: "closed" })
        says(Effect.succeed(404))
        yield* TestClock.adjust(25_000)
        expect(yield* view).toEqual({ state: "closed" })
        says(failing)
        yield* TestClock.adjust(60_000)
        expect(yield* view).toMatchObject({ cause: "unhealthy" })
        says(Effect.succeed(200))
        yield* TestClock.adjust(25_000)
        expect(yield* view).toEqual({ state: "closed" })
      })
    )
  }

  it.effect("asks one at a time, and no more once it is stopped", () =>
    Effect.gen(function* () {
      const { asked, fiber, says } = yield* checked()
      says(Effect.never)
      yield* TestClock.adjust(10_000)
      expect(asked()).toBe(2)
      yield* TestClock.adjust(9_999)
      expect(asked()).toBe(2)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust(3_600_000)
      expect(asked()).toBe(2)
    })
  )

  it("ends a pause for want of a connection, and not one because calls failed", () => {
    const unreached = new Breaker(1_000)
    for (let i = 0; i < 5; i++) unreached.failed(unreached.state, "a", "unreached", 0)
    const failed = new Breaker(1_000)
    for (let i = 0; i < 12; i++) failed.failed(failed.state, i % 2 === 0 ? "a" : "b", "failed", 0)
    expect([unreached.isClosed, failed.isClosed]).toEqual([false, false])
    for (const breaker of [unreached, failed]) breaker.checked(true, 0)
    expect([unreached.isClosed, failed.isClosed]).toEqual([true, false])
    for (let i = 0; i < 5; i++) failed.checked(false, 0)
    expect(failed.view(0)).toMatchObject({ cause: "failed" })
  })

  it.live("sends its upstream's own credential, and a paused upstream gets no call", () =>
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream((res, { method }) =>
        method === "GET" ? res.writeHead(503).end() : res.writeHead(200).end("{}")
      )
      const up = { ...providerAt(port), health: { path: "/health?deep=1", everyMillis: 50 } }
      yield* Effect.gen(function* () {
        yield* Effect.promise(() => expect.poll(() => received.length).toBeGreaterThan(3))
        const answer = yield* ask("POST", "/v1/rerank", { authorization: `Bearer ${key}` }, question)
        expect([answer.status, answer.text]).toEqual([503, expect.stringContaining("paused")])
        const [first] = received
        expect([first?.method, first?.url]).toEqual(["GET", "/health?deep=1"])
        expect(first?.headers.authorization).toBe(providerCredential)
        expect(received.every(({ method }) => method === "GET")).toBe(true)
      }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ providers: { rerank: up } })))))
      // The checks end with their gateway.
      const asked = received.length
      yield* Effect.sleep("300 millis")
      expect(received.length - asked).toBeLessThanOrEqual(1)
    }).pipe(Effect.scoped)
  )
})
