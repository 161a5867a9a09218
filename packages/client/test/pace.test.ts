import { describe, expect, it } from "@effect/vitest"
import { contractVersion } from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { refusal, inOrder } from "./attempts.ts"
import { ask, type Handler, limitsHeaders, pacedClient, times, runAll, ok } from "./paceSetup.ts"

const tags = (results: ReadonlyArray<{ readonly _tag: string }>) => [...new Set(results.map(({ _tag }) => _tag))]
const patient = { patienceMillis: Infinity }

describe("requests per minute", () => {
  it.effect("are sent at once up to the limit, and then as the limit refills", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tier: "Free", ...patient } })
      expect(tags(yield* runAll(client, times(63, ask.rerank)))).toEqual(["Success"])
      expect(client.times.slice(0, 60)).toEqual(times(60, () => 0))
      // Half a second after the limit refills, because requests may move closer runAll in transit.
      expect(client.times.slice(60)).toEqual([1_500, 2_500, 3_500])
    })
  )

  it.effect("follow the caller's limit if the tier allows more", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tier: "Growth", rpm: 2, ...patient } })
      yield* runAll(client, times(4, ask.rerank))
      expect(client.times).toEqual([0, 0, 30_500, 60_500])
    })
  )

  it.effect("are unlimited until a limit is known, and with pacing turned off", () =>
    Effect.gen(function* () {
      for (const pace of [undefined, false as const]) {
        const client = pacedClient(pace === undefined ? {} : { pace })
        yield* runAll(client, times(500, ask.rerank))
        expect([client.times.length, new Set(client.times).size]).toEqual([500, 1])
      }
    })
  )

  it.effect("are not used by open operations", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { rpm: 1 } })
      yield* runAll(
        client,
        times(5, () => contractVersion())
      )
      expect(client.times).toEqual(times(5, () => 0))
    })
  )

  it.effect("are used by each attempt of a call", () =>
    Effect.gen(function* () {
      const handler = inOrder(refusal(503), refusal(503), ok())
      const client = pacedClient({ pace: { rpm: 2 }, retry: { retries: 2, backoffMillis: 1 } }, handler)
      expect(tags(yield* runAll(client, [ask.rerank()]))).toEqual(["Success"])
      expect([client.times[0], client.times[2]]).toEqual([0, 30_500])
    })
  )

  it.effect("are used by a quote, which uses no tokens and no concurrency", () =>
    Effect.gen(function* () {
      const { quote, chatCompletions } = yield* Effect.promise(() => import("@tollgate/client"))
      const client = pacedClient({ pace: { rpm: 3, tpm: 10, concurrency: 1 } })
      yield* runAll(
        client,
        times(4, () => quote(chatCompletions, { model: "m", messages: [], max_tokens: 10_000 }))
      )
      expect(client.times).toEqual([0, 0, 0, 20_500])
    })
  )
})

describe("an operation's own limit", () => {
  it.effect("always applies, and delays no other operation", () =>
    Effect.gen(function* () {
      const client = pacedClient({})
      const searching = yield* Effect.forEach(times(7, ask.search), client.fork)
      yield* client.fork(ask.rerank())
      yield* client.fork(ask.chat(100))
      expect(client.paths().slice(5)).toEqual(["/v1/rerank", "/v1/chat/completions"])
      yield* TestClock.adjust("1 minute")
      expect(client.times).toEqual([0, 0, 0, 0, 0, 0, 0, 12_500, 24_500])
      expect(tags(yield* Effect.forEach(searching, Fiber.join))).toEqual(["Success"])
    })
  )

  it.effect("applies beside the key's, which a blocked call does not use up", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { rpm: 6, ...patient } })
      yield* runAll(client, [...times(7, ask.search), ...times(3, ask.rerank)])
      const at = (path: string) => client.times.filter((_, i) => client.paths()[i] === path)
      // The first refilled request goes to a rerank, because the search limit still blocks the searches.
      expect(at("/v1/rerank")).toEqual([0, 10_500, 40_500])
      expect(at("/v1/deep-research").slice(5)).toEqual([20_500, 30_500])
    })
  )
})

describe("tokens per minute", () => {
  it.effect("are estimated as by the gateway, and delay only calls that use tokens", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tpm: 600 } })
      yield* Effect.forEach(
        times(3, () => ask.chat(300)),
        client.fork
      )
      yield* client.fork(ask.rerank())
      expect(client.paths()).toEqual(["/v1/chat/completions", "/v1/chat/completions", "/v1/rerank"])
      yield* TestClock.adjust("30499 millis")
      expect(client.times).toHaveLength(3)
      yield* TestClock.adjust("1 millis")
      expect(client.times[3]).toBe(30_500)
    })
  )

  it.effect("are kept for a large request ahead of later small ones", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tpm: 600, ...patient } })
      const order: Array<string> = []
      const noting = (name: string, tokens: number) =>
        Effect.tap(ask.chat(tokens), () => Effect.sync(() => order.push(name)))
      yield* client.fork(noting("first", 600))
      yield* client.fork(noting("large", 600))
      yield* Effect.forEach(
        times(20, () => noting("small", 10)),
        client.fork
      )
      yield* TestClock.adjust("60499 millis")
      expect(order).toEqual(["first"])
      yield* TestClock.adjust("1 hour")
      expect(order).toEqual(["first", "large", ...times(20, () => "small")])
    })
  )

  it.effect("are kept for it from other operations too", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tpm: 600, ...patient } })
      yield* client.fork(ask.chat(600))
      yield* client.fork(ask.chat(600))
      yield* Effect.forEach(times(4, ask.search), client.fork)
      yield* TestClock.adjust("1 hour")
      const [first, second, ...searches] = client.paths()
      expect([first, second]).toEqual(["/v1/chat/completions", "/v1/chat/completions"])
      expect(searches).toHaveLength(4)
      expect(client.times.slice(0, 2)).toEqual([0, 60_500])
    })
  )

  it.effect("let a request above the limit pass when the bucket is full", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tpm: 600, ...patient } })
      yield* runAll(client, [ask.chat(10), ask.chat(90_000)])
      expect(client.times).toEqual([0, 1_500])
    })
  )
})

describe("a wait", () => {
  it.effect("longer than the patience fails the call at once, with the delay", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { rpm: 2, patienceMillis: 40_000 } })
      const fibers = yield* Effect.forEach(times(4, ask.rerank), client.fork)
      const last = yield* Fiber.join(fibers[3]!)
      expect(last).toMatchObject({
        _tag: "Failure",
        failure: { _tag: "PaceExceeded", operation: "rerank", outcome: "not executed", retryAfter: 60_500 }
      })
      yield* TestClock.adjust("1 hour")
      expect(client.times).toEqual([0, 0, 30_500])
    })
  )

  const unused = limitsHeaders({ limitTokens: 600, remainingTokens: 600 })

  it.effect("for tokens ends when the calls before return theirs, however many they reserve", () =>
    Effect.gen(function* () {
      const slow: Handler = (...request) => Effect.delay(ok(unused)(...request), "1 second")
      const client = pacedClient({ pace: { tpm: 600, patienceMillis: 30_000 } }, slow)
      expect(
        tags(
          yield* runAll(
            client,
            times(20, () => ask.chat(250))
          )
        )
      ).toEqual(["Success"])
      expect(client.times.slice(0, 3)).toEqual([0, 0, 1_000])
      expect(client.times.at(-1)).toBeLessThan(30_000)
    })
  )

  it.effect("for tokens fails at the end of the patience if none are returned, and says when to look again", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tpm: 600, patienceMillis: 5_000 } }, () => Effect.never)
      const fibers = yield* Effect.forEach(
        times(5, () => ask.chat(300)),
        client.fork
      )
      yield* TestClock.adjust("4999 millis")
      expect(fibers[4]!.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      const last = yield* Fiber.join(fibers[4]!)
      expect(last).toMatchObject({ failure: { _tag: "PaceExceeded", retryAfter: 1_000 } })
      expect(client.times).toEqual([0, 0])
    })
  )

  it.effect("for tokens that no call in flight can return fails at once, and names the option", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tpm: 600, patienceMillis: 5_000 } })
      yield* client.fork(ask.chat(600))
      const second = yield* Fiber.join(yield* client.fork(ask.chat(300)))
      expect(second).toMatchObject({
        failure: { retryAfter: 30_500, message: expect.stringContaining("pace.patienceMillis") }
      })
    })
  )

  it.effect("for a slot of another call may be shorter than a second", () =>
    Effect.gen(function* () {
      const slow: Handler = (...request) => Effect.delay(ok()(...request), 100)
      const client = pacedClient({ pace: { concurrency: 1, patienceMillis: 200 } }, slow)
      expect(
        tags(
          yield* runAll(
            client,
            times(2, () => ask.chat(10))
          )
        )
      ).toEqual(["Success"])
    })
  )

  it.effect("that ends without a turn counts no later calls", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { rpm: 3, concurrency: 1, patienceMillis: 15_000 } }, () => Effect.never)
      yield* client.fork(ask.chat(10))
      const second = yield* client.fork(ask.chat(10))
      yield* TestClock.adjust("14 seconds")
      yield* client.fork(ask.chat(10))
      yield* client.fork(ask.chat(10))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(second)).toMatchObject({ failure: { _tag: "PaceExceeded", retryAfter: 1_000 } })
    })
  )

  it.effect("is limited by the patience of retries by default", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { rpm: 2 }, retry: { retries: 0, patienceMillis: 30_000 } })
      const results = yield* runAll(client, times(3, ask.rerank))
      expect(results[2]).toMatchObject({ failure: { _tag: "PaceExceeded", retryAfter: 30_500 } })
    })
  )

  it.effect("ends when the call is interrupted, and others move up", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { rpm: 2, ...patient } })
      const fibers = yield* Effect.forEach(times(5, ask.rerank), client.fork)
      yield* Fiber.interrupt(fibers[2]!)
      yield* Fiber.interrupt(fibers[4]!)
      yield* TestClock.adjust("1 hour")
      expect(client.times).toEqual([0, 0, 30_500])
      expect(yield* Fiber.join(fibers[3]!)).toMatchObject({ _tag: "Success" })
    })
  )
})
