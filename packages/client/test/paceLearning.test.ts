import { describe, expect, it } from "@effect/vitest"
import type { RateLimits } from "@tollgate/contract/RateLimits"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { inOrder, refusal } from "./attempts.ts"
import { ask, type Handler, limitsHeaders, pacedClient, times, runAll, ok } from "./paceSetup.ts"
import { fail, Unsent } from "./scripted.ts"

const requests = (limit: number, remaining: number, reset?: number): RateLimits => ({
  limitRequests: limit,
  remainingRequests: remaining,
  ...(reset === undefined ? {} : { resetRequests: reset })
})

describe("headers", () => {
  it.effect("set the limit and the remaining count", () =>
    Effect.gen(function* () {
      const client = pacedClient({}, inOrder(ok(limitsHeaders(requests(60, 2))), ok()))
      yield* client.fork(ask.rerank())
      yield* Effect.forEach(times(4, ask.rerank), client.fork)
      expect(client.times).toEqual([0, 0, 0])
    })
  )

  it.effect("raise the estimated use, as when another process uses the key", () =>
    Effect.gen(function* () {
      const handler = inOrder(ok(), ok(limitsHeaders(requests(60, 0))), ok())
      const client = pacedClient({ pace: { tier: "Free" } }, handler)
      yield* Effect.forEach(times(3, ask.rerank), client.fork)
      expect(client.times).toEqual([0, 0])
      yield* TestClock.adjust("1500 millis")
      expect(client.times).toEqual([0, 0, 1_500])
    })
  )

  it.effect("lower the estimated use, as when tokens are refunded", () =>
    Effect.gen(function* () {
      const left = limitsHeaders({ limitTokens: 1_000, remainingTokens: 900 })
      const client = pacedClient({ pace: { tpm: 1_000 } }, ok(left))
      yield* client.fork(ask.chat(1_000))
      yield* client.fork(ask.chat(800))
      expect(client.times).toEqual([0, 0])
    })
  )

  it.effect("do not discard requests still in flight", () =>
    Effect.gen(function* () {
      const slow: Handler = (request, url, signal) =>
        Effect.delay(ok(limitsHeaders(requests(10, 9)))(request, url, signal), "1 second")
      const client = pacedClient({ pace: { rpm: 10 } }, slow)
      yield* Effect.forEach(times(10, ask.rerank), client.fork)
      yield* TestClock.adjust("1 second")
      // Each answer says that nine remain.
      yield* Effect.forEach(times(10, ask.rerank), client.fork)
      yield* TestClock.adjust("5400 millis")
      expect(client.times).toHaveLength(10)
      yield* TestClock.adjust("100 millis")
      expect(client.times).toHaveLength(11)
    })
  )

  it.effect("correct the assumed tier", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tier: "Free" } }, ok(limitsHeaders(requests(600, 590))))
      yield* client.fork(ask.rerank())
      yield* Effect.forEach(times(400, ask.rerank), client.fork)
      expect(client.times).toHaveLength(401)
    })
  )

  it.effect("do not exceed the caller's limit", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { rpm: 3 } }, ok(limitsHeaders(requests(600, 599))))
      yield* Effect.forEach(times(9, ask.rerank), client.fork)
      expect(client.times).toHaveLength(3)
    })
  )

  it.effect("of an operation with its own limit may report that limit", () =>
    Effect.gen(function* () {
      const client = pacedClient({}, ok(limitsHeaders(requests(5, 0))))
      yield* client.fork(ask.search())
      yield* client.fork(ask.search())
      yield* Effect.forEach(times(9, ask.chat.bind(undefined, 10)), client.fork)
      expect(client.paths().filter((path) => path === "/v1/deep-research")).toHaveLength(1)
    })
  )

  it.effect("of a model may report its upstream's limit, which applies to that model only", () =>
    Effect.gen(function* () {
      const handler = inOrder(
        ok(limitsHeaders(requests(60, 59))),
        ok(limitsHeaders(requests(10, 0))),
        ok(limitsHeaders(requests(600, 590))),
        ok()
      )
      const client = pacedClient({}, handler)
      yield* client.fork(ask.rerank())
      yield* client.fork(ask.chat(10))
      yield* client.fork(ask.chat(10))
      expect(client.times).toHaveLength(2)
      yield* TestClock.adjust("6500 millis")
      // 600 is above the key's 60, so it is the key's new limit and not the model's.
      yield* Effect.forEach(times(100, ask.rerank), client.fork)
      expect(client.times).toHaveLength(103)
    })
  )

  it.effect("show a debt by their reset, relative to the gateway's clock", () =>
    Effect.gen(function* () {
      const date = "Tue, 03 Mar 2026 10:00:00 GMT"
      const reset = Date.parse(date) / 1_000 + 90
      const handler = inOrder(ok(limitsHeaders(requests(60, 0, reset), date)), ok())
      const client = pacedClient({}, handler)
      yield* client.fork(ask.rerank())
      yield* client.fork(ask.rerank())
      yield* TestClock.adjust("31 seconds")
      expect(client.times).toEqual([0])
      yield* TestClock.adjust("500 millis")
      expect(client.times).toEqual([0, 31_500])
    })
  )

  it.effect("show a debt even against the client's own estimate", () =>
    Effect.gen(function* () {
      const date = "Tue, 03 Mar 2026 10:00:00 GMT"
      const reset = Date.parse(date) / 1_000 + 90
      const client = pacedClient(
        { pace: { tier: "Free" } },
        inOrder(ok(limitsHeaders(requests(60, 0, reset), date)), ok())
      )
      yield* client.fork(ask.rerank())
      yield* client.fork(ask.rerank())
      yield* TestClock.adjust("29 seconds")
      expect(client.times).toEqual([0])
      yield* TestClock.adjust("1 minute")
      expect(client.times).toHaveLength(2)
    })
  )

  it.effect("with nothing remaining do not clear a debt", () =>
    Effect.gen(function* () {
      const none = limitsHeaders({ limitTokens: 600, remainingTokens: 0 })
      const client = pacedClient({ pace: { tpm: 600, patienceMillis: Infinity } }, inOrder(ok(), ok(none), ok()))
      yield* client.fork(ask.chat(1_800))
      yield* client.fork(ask.rerank())
      yield* client.fork(ask.chat(600))
      yield* TestClock.adjust("1 hour")
      expect(client.times).toEqual([0, 0, 180_500])
    })
  )

  it.effect("with a reset too late to be trusted do not shorten a debt", () =>
    Effect.gen(function* () {
      const date = "Tue, 03 Mar 2026 10:00:00 GMT"
      const reset = Date.parse(date) / 1_000 + 180
      const late = limitsHeaders({ limitTokens: 600, remainingTokens: 0, resetTokens: reset }, date)
      const client = pacedClient({ pace: { tpm: 600, patienceMillis: Infinity } }, inOrder(ok(), ok(late), ok()))
      yield* client.fork(ask.chat(1_800))
      yield* client.fork(ask.rerank())
      yield* client.fork(ask.chat(600))
      yield* TestClock.adjust("1 hour")
      expect(client.times).toEqual([0, 0, 180_500])
    })
  )

  it.effect("apply after any number of broken calls", () =>
    Effect.gen(function* () {
      const broken = times(50, () => fail(new Unsent("refused")))
      const client = pacedClient(
        { pace: { tier: "Free" } },
        inOrder(...broken, ok(limitsHeaders(requests(60, 59))), ok())
      )
      for (const call of times(51, ask.rerank)) yield* Fiber.join(yield* client.fork(call))
      yield* Effect.forEach(times(55, ask.rerank), client.fork)
      expect(client.times).toHaveLength(51 + 55)
    })
  )

  it.effect("without a Date header have no usable reset", () =>
    Effect.gen(function* () {
      const client = pacedClient({}, inOrder(ok(limitsHeaders(requests(60, 59, 2_000_000_000))), ok()))
      yield* client.fork(ask.rerank())
      yield* Effect.forEach(times(59, ask.rerank), client.fork)
      expect(client.times).toHaveLength(60)
    })
  )

  it.effect("with absurd values block nothing", () =>
    Effect.gen(function* () {
      for (const limits of [requests(0, 0), requests(60, 999), { remainingRequests: 0 }, { limitRequests: 60 }]) {
        const client = pacedClient(
          { baseUrl: `http://${JSON.stringify(limits).length}.invalid` },
          ok(limitsHeaders(limits))
        )
        yield* client.fork(ask.rerank())
        yield* Effect.forEach(times(20, ask.rerank), client.fork)
        expect(client.times).toHaveLength(21)
      }
    })
  )

  it.effect("that identify a tier set its concurrency", () =>
    Effect.gen(function* () {
      const free = limitsHeaders({ ...requests(60, 59), limitTokens: 60_000, remainingTokens: 60_000 })
      const handler: Handler = (request, url, signal) =>
        Effect.delay(ok(free)(request, url, signal), url.pathname === "/v1/rerank" ? 0 : "10 seconds")
      const client = pacedClient({}, handler)
      yield* client.fork(ask.rerank())
      yield* Effect.forEach(
        times(7, () => ask.chat(10)),
        client.fork
      )
      expect(client.times).toHaveLength(6)
      yield* TestClock.adjust("10 seconds")
      expect(client.times).toHaveLength(8)
    })
  )
})

describe("a 429", () => {
  it.effect("delays its limit group for Retry-After, and no other", () =>
    Effect.gen(function* () {
      const handler = inOrder(refusal(429, "rate_limit_exceeded", { "retry-after": "7" }), ok())
      const client = pacedClient({}, handler)
      yield* client.fork(ask.chat(10))
      yield* Effect.forEach(
        times(3, () => ask.chat(10)),
        client.fork
      )
      yield* client.fork(ask.rerank())
      expect(client.paths()).toEqual(["/v1/chat/completions", "/v1/rerank"])
      yield* TestClock.adjust("7 seconds")
      expect(client.times).toEqual([0, 0, 7_000, 7_000, 7_000])
    })
  )

  it.effect("delays the refused call once", () =>
    Effect.gen(function* () {
      const handler = inOrder(refusal(429, "rate_limit_exceeded", { "retry-after": "7" }), ok())
      const client = pacedClient({ retry: { retries: 1 } }, handler)
      const [result] = yield* runAll(client, [ask.rerank()])
      expect(result).toMatchObject({ _tag: "Success" })
      expect(client.times[1]).toBeGreaterThanOrEqual(7_000)
      expect(client.times[1]).toBeLessThanOrEqual(7_000 * 1.25)
    })
  )

  it.effect("for a spending quota, or of an upstream or a proxy, delays no other call", () =>
    Effect.gen(function* () {
      for (const [i, code] of ["quota_exceeded", "upstream_rate_limit", undefined].entries()) {
        const handler = refusal(429, code, { "retry-after": "3000" })
        const client = pacedClient({ baseUrl: `http://${i}.invalid` }, handler)
        yield* client.fork(ask.rerank())
        yield* client.fork(ask.rerank())
        expect(client.times).toEqual([0, 0])
      }
    })
  )

  it.effect("of an upstream delays the refused call once", () =>
    Effect.gen(function* () {
      const handler = inOrder(refusal(429, "upstream_rate_limit", { "retry-after": "4" }), ok())
      const client = pacedClient({ retry: { retries: 1 } }, handler)
      const first = yield* client.fork(ask.rerank())
      yield* client.fork(ask.rerank())
      expect(client.times).toEqual([0, 0])
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(first)).toMatchObject({ _tag: "Success" })
      expect(client.times[2]).toBeGreaterThanOrEqual(4_000)
    })
  )

  it.effect("delays nothing for more than an hour", () =>
    Effect.gen(function* () {
      const handler = inOrder(refusal(429, "rate_limit_exceeded", { "retry-after": "999999999" }), ok())
      const client = pacedClient({ pace: { patienceMillis: Infinity }, timeout: "2 hours" }, handler)
      yield* runAll(client, [ask.rerank(), Effect.delay(ask.rerank(), 1)])
      expect(client.times).toEqual([0, 3_600_000])
    })
  )
})
