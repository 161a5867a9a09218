import { describe, expect, it } from "@effect/vitest"
import { contractVersion } from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { refusal, inTurn } from "./attempts.ts"
import { ask, pacedClient, times, together, well } from "./paceSetup.ts"

const tags = (results: ReadonlyArray<{ readonly _tag: string }>) => [...new Set(results.map(({ _tag }) => _tag))]
const patient = { patienceMillis: Infinity }

describe("requests per minute", () => {
  it.effect("go at once while there are any, and then as they come back", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tier: "Free", ...patient } })
      expect(tags(yield* together(client, times(63, ask.rerank)))).toEqual(["Success"])
      expect(client.times.slice(0, 60)).toEqual(times(60, () => 0))
      // Half a second later than they come back: on their way requests may come closer to each other.
      expect(client.times.slice(60)).toEqual([1_500, 2_500, 3_500])
    })
  )

  it.effect("are those that the caller sets, if the tier allows more", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tier: "Growth", rpm: 2, ...patient } })
      yield* together(client, times(4, ask.rerank))
      expect(client.times).toEqual([0, 0, 30_500, 60_500])
    })
  )

  it.effect("are unlimited while nobody says what they are, and with pacing turned off", () =>
    Effect.gen(function* () {
      for (const pace of [undefined, false as const]) {
        const client = pacedClient(pace === undefined ? {} : { pace })
        yield* together(client, times(500, ask.rerank))
        expect([client.times.length, new Set(client.times).size]).toEqual([500, 1])
      }
    })
  )

  it.effect("are not used by what needs no credential", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { rpm: 1 } })
      yield* together(
        client,
        times(5, () => contractVersion())
      )
      expect(client.times).toEqual(times(5, () => 0))
    })
  )

  it.effect("are used by each attempt of a call", () =>
    Effect.gen(function* () {
      const handler = inTurn(refusal(503), refusal(503), well())
      const client = pacedClient({ pace: { rpm: 2 }, retry: { attempts: 3, backoffMillis: 1 } }, handler)
      expect(tags(yield* together(client, [ask.rerank()]))).toEqual(["Success"])
      expect([client.times[0], client.times[2]]).toEqual([0, 30_500])
    })
  )

  it.effect("are used by a quote, which uses no tokens and no place", () =>
    Effect.gen(function* () {
      const { quote, chatCompletions } = yield* Effect.promise(() => import("@tollgate/client"))
      const client = pacedClient({ pace: { rpm: 3, tpm: 10, concurrency: 1 } })
      yield* together(
        client,
        times(4, () => quote(chatCompletions, { max_tokens: 10_000 }))
      )
      expect(client.times).toEqual([0, 0, 0, 20_500])
    })
  )
})

describe("an operation's own limit", () => {
  it.effect("is kept always, and keeps no other operation waiting", () =>
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

  it.effect("is kept beside the key's, of which it takes nothing while it is in the way", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { rpm: 6, ...patient } })
      yield* together(client, [...times(7, ask.search), ...times(3, ask.rerank)])
      const at = (path: string) => client.times.filter((_, i) => client.paths()[i] === path)
      // The first request that comes back is of no use to a search, which comes first as soon as it is.
      expect(at("/v1/rerank")).toEqual([0, 10_500, 40_500])
      expect(at("/v1/deep-research").slice(5)).toEqual([20_500, 30_500])
    })
  )
})

describe("tokens per minute", () => {
  it.effect("are reckoned as the gateway does, and hold up only what uses some", () =>
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

  it.effect("are kept for a large request, however many small ones come after it", () =>
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

  it.effect("are kept for it from those of another operation too", () =>
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

  it.effect("let a request go that needs more than there are in a minute, when all are there", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { tpm: 600, ...patient } })
      yield* together(client, [ask.chat(10), ask.chat(90_000)])
      expect(client.times).toEqual([0, 1_500])
    })
  )
})

describe("a wait", () => {
  it.effect("that is longer than the patience is none: the call fails at once and says how long", () =>
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

  it.effect("is as long as the patience of retries, if it is not said", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { rpm: 2 }, retry: { attempts: 1, patienceMillis: 30_000 } })
      const results = yield* together(client, times(3, ask.rerank))
      expect(results[2]).toMatchObject({ failure: { _tag: "PaceExceeded", retryAfter: 30_500 } })
    })
  )

  it.effect("is over when the call is given up, whose turn others get", () =>
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
