import { describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream, type HookRequest, type HookResponse, Policy, quote, rerank } from "@tollgate/client"
import * as Console from "effect/Console"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { answer } from "./attempts.ts"
import { credential, json, question, ranking, respond, scripted } from "./scripted.ts"

const ranked = respond(200, JSON.stringify(ranking), { ...json, "x-request-id": "req_1" })

describe("hooks", () => {
  it.live("run once for each attempt, see no credential, and may add headers", () =>
    Effect.gen(function* () {
      const seen: Array<HookRequest | HookResponse> = []
      let attempts = 0
      const { layer, sent } = scripted((...args) => (attempts++ === 0 ? respond(503, "{}", json) : ranked)(...args), {
        baseUrl: "http://someone:password@gateway.invalid/base",
        retry: { ...Policy.standard, backoffMillis: 0 },
        pace: false,
        beforeRequest: async (request) => {
          seen.push(request)
          return { "X-Trace": `t${seen.length}`, authorization: "Bearer mine" }
        },
        afterResponse: (response) => {
          seen.push(response)
        }
      })
      yield* Effect.provide(rerank(question), layer)
      expect(sent.map(({ request }) => request.headers["x-trace"])).toEqual(["t1", "t3"])
      expect(sent.map(({ request }) => request.headers.authorization)).toEqual(
        [credential, credential].map((one) => `Bearer ${one}`)
      )
      expect(seen).toMatchObject([
        {
          operation: "rerank",
          method: "POST",
          url: "http://gateway.invalid/base/v1/rerank",
          body: expect.any(Uint8Array)
        },
        { status: 503, request: { operation: "rerank" } },
        { operation: "rerank" },
        { status: 200, headers: { "x-request-id": "req_1" } }
      ])
      const shown = JSON.stringify(seen)
      for (const secret of [credential, "password", "authorization"]) expect(shown).not.toContain(secret)
    })
  )

  it.effect("before a request have the time that is left after pacing", () =>
    Effect.gen(function* () {
      let runs = 0
      const beforeRequest = () => (++runs < 3 ? {} : Effect.never)
      const pace = { rpm: 2, patienceMillis: 60_000 }
      const { layer } = scripted(answer(200, ranking), { pace, timeout: "35 seconds", beforeRequest })
      const calls = Effect.all([rerank(question), rerank(question), Effect.flip(rerank(question))], { concurrency: 3 })
      const fiber = yield* Effect.forkChild(Effect.provide(calls, layer))
      yield* TestClock.adjust("35 seconds")
      expect([runs, fiber.pollUnsafe()?._tag]).toEqual([3, "Success"])
    })
  )

  it.effect("after an answer see no credential that the server repeats", () =>
    Effect.gen(function* () {
      let seen: object = {}
      const { layer } = scripted(answer(200, ranking, { "x-echo": `Bearer ${credential}` }), {
        afterResponse: ({ headers }) => {
          seen = headers
        }
      })
      yield* Effect.provide(rerank(question), layer)
      expect(seen).toMatchObject({ "x-echo": "Bearer [credential]" })
    })
  )

  it.effect("cannot replace the key and the cap of a call", () =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(ranked, {
        beforeRequest: () => ({ "Idempotency-Key": "other", "X-Tollgate-Max-Price-Usd": "100" })
      })
      yield* Effect.provide(rerank(question, { idempotencyKey: "mine", maxPrice: "0.01" }), layer)
      expect(sent[0]?.request.headers).toMatchObject({ "idempotency-key": "mine", "x-tollgate-max-price-usd": "0.01" })
    })
  )

  it.effect("may be effects, and run for quotes and streams too", () =>
    Effect.gen(function* () {
      const statuses: Array<number> = []
      const { layer, sent } = scripted(respond(418, "{}", json), {
        beforeRequest: () => Effect.succeed({ "x-trace": "t" }),
        afterResponse: ({ status }) => Effect.sync(() => statuses.push(status))
      })
      yield* Effect.ignore(Effect.provide(quote(rerank, question), layer))
      yield* Effect.ignore(Effect.provide(Stream.runDrain(chatCompletionsStream({ model: "m", messages: [] })), layer))
      expect(sent.map(({ request }) => request.headers["x-trace"])).toEqual(["t", "t"])
      expect(statuses).toEqual([418, 418])
    })
  )

  it.effect.each([
    ["throws", () => expect.fail("no")],
    ["rejects", () => Promise.reject(new Error("no"))],
    ["fails", () => Effect.fail(new Error("no"))]
  ] as const)("before a request that %s fails the call, and nothing is sent", ([, beforeRequest]) =>
    Effect.gen(function* () {
      let runs = 0
      const { layer, sent } = scripted(ranked, {
        retry: Policy.standard,
        beforeRequest: () => {
          runs++
          return beforeRequest()
        }
      })
      const error = yield* Effect.flip(Effect.provide(rerank(question), layer))
      expect(error).toMatchObject({ _tag: "InputInvalid", outcome: "not executed", cause: { message: "no" } })
      expect(error.message).toContain("beforeRequest")
      expect([runs, sent]).toEqual([1, []])
    })
  )

  it.effect("that add an impossible header fail the call", () =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(ranked, { beforeRequest: () => ({ "x-a": "a\r\nb: c" }) })
      const error = yield* Effect.flip(Effect.provide(rerank(question), layer))
      expect(error).toMatchObject({ _tag: "InputInvalid", message: expect.stringContaining("x-a") })
      expect(sent).toEqual([])
    })
  )

  it.effect("after an answer that fail or never end do not lose it", () =>
    Effect.gen(function* () {
      const shown: Array<unknown> = []
      const own = { ...console, warn: (text: unknown) => void shown.push(text) }
      const call = (afterResponse: () => unknown) => {
        const { layer } = scripted(ranked, { afterResponse })
        return Effect.provide(rerank(question), layer).pipe(Effect.provideService(Console.Console, own))
      }
      const unending = yield* Deferred.make<void>()
      for (const hook of [() => expect.fail("no"), () => Deferred.await(unending), () => Promise.reject("no")]) {
        expect((yield* call(hook)).results).toHaveLength(1)
      }
      yield* Effect.promise(() => new Promise((done) => setTimeout(done)))
      expect(shown).toEqual(["afterResponse failed", "afterResponse failed"])
    })
  )
})

describe("scenarios", () => {
  const names = { social_a: "a", social_b: "b", social_c: "c", reseller: "r", traffic_analytics: "t", provider: "Acme" }

  it.effect("are set for the client or for one call, under the operator's name", () =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(ranked, { names, scenario: "stall" })
      yield* Effect.provide(rerank(question), layer)
      yield* Effect.provide(rerank(question, { scenario: "slow; ms=5" }), layer)
      expect(sent.map(({ request }) => request.headers["x-acme-scenario"])).toEqual(["stall", "slow; ms=5"])
      const without = scripted(ranked)
      yield* Effect.provide(rerank(question), without.layer)
      expect(Object.keys(without.sent[0]?.request.headers ?? {})).not.toContain("x-tollgate-scenario")
    })
  )
})
