import { describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream } from "@tollgate/client/stream/chatCompletionsStream"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Context from "effect/Context"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { limits } from "@tollgate/contract/Tier"
import { chatCompletions as chatOperation } from "@tollgate/contract/operations/chatCompletions"
import { Client } from "../src/Client.ts"
import { write } from "../src/request.ts"
import { open } from "../src/stream/open.ts"
import { Pace } from "../src/pace/Pace.ts"
import { paceOf } from "../src/pace/registry.ts"
import { answer, inTurn } from "./attempts.ts"
import { ask, type Handler, options, pacedClient, times, well } from "./paceSetup.ts"
import { credential, fail, Unsent } from "./scripted.ts"
import { choice, data, events, hang } from "./streamScripted.ts"

const never: Handler = () => Effect.never
const at = (pace: number) => ({ pace: { concurrency: pace } })

describe("clients of one credential at one address", () => {
  it.effect("have their limits together, whatever each of them was told", () =>
    Effect.gen(function* () {
      const one = pacedClient({ pace: { rpm: 3 } })
      const other = pacedClient({})
      yield* Effect.forEach(times(2, ask.rerank), one.fork)
      yield* Effect.forEach(times(5, ask.rerank), other.fork)
      expect([one.times.length, other.times.length]).toEqual([2, 1])
    })
  )

  it.effect("have nothing to do with those of another credential, or at another address", () =>
    Effect.gen(function* () {
      const pace = { rpm: 1 }
      const clients = [
        pacedClient({ pace }),
        pacedClient({ pace, credential: "tg_another" }),
        pacedClient({ pace, baseUrl: "http://another.invalid" }),
        pacedClient({ pace, baseUrl: "http://gateway.invalid/tenant" })
      ]
      yield* Effect.forEach(clients, (client) => client.fork(ask.rerank()))
      expect(clients.map((client) => client.times)).toEqual([[0], [0], [0], [0]])
    })
  )

  it.effect("are told apart by the credential of the moment, also after one was turned down", () =>
    Effect.gen(function* () {
      let asked = 0
      const changing = Effect.sync(() => Redacted.make(asked++ === 0 ? "tg_old" : "tg_new"))
      const client = pacedClient(
        { pace: { rpm: 1, patienceMillis: 61_000 }, credential: changing },
        inTurn(answer(401), well())
      )
      yield* client.fork(ask.rerank())
      expect(client.times).toEqual([0, 0])
      yield* client.fork(ask.rerank())
      expect(client.times).toEqual([0, 0])
      yield* TestClock.adjust("60500 millis")
      expect(client.times).toEqual([0, 0, 60_500])
    })
  )
})

describe("a place among the calls at a time", () => {
  it.effect("is free again when a call is answered, breaks, or is given up, and at no other time", () =>
    Effect.gen(function* () {
      const client = pacedClient(at(1), inTurn(never, fail(new Unsent("refused")), well()))
      const first = yield* client.fork(ask.chat(10))
      const others = yield* Effect.forEach(
        times(3, () => ask.chat(10)),
        client.fork
      )
      yield* TestClock.adjust("20 seconds")
      expect(client.times).toEqual([0])
      yield* Fiber.interrupt(first)
      // The gateway sees it a little later.
      yield* TestClock.adjust("99 millis")
      expect(client.times).toEqual([0])
      yield* TestClock.adjust("1 second")
      expect(client.times).toEqual([0, 20_100, 20_200, 20_200])
      const results = yield* Effect.forEach(others, Fiber.join)
      expect(results.map(({ _tag }) => _tag)).toEqual(["Failure", "Success", "Success"])
    })
  )

  it.effect("is not waited for longer than the patience lasts", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { concurrency: 1, patienceMillis: 5_000 } }, never)
      yield* client.fork(ask.chat(10))
      const second = yield* client.fork(ask.chat(10))
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(second)).toMatchObject({ failure: { _tag: "PaceExceeded", retryAfter: 1_000 } })
      expect(client.times).toEqual([0])
    })
  )

  /** A fiber that reads on, once it has read an event. */
  const reading = <A, E, R>(stream: Stream.Stream<A, E, R>) =>
    Effect.gen(function* () {
      const read = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(Stream.runForEach(stream, () => Deferred.succeed(read, undefined)))
      yield* Deferred.await(read)
      return fiber
    })

  const whole = data(choice("a"), choice("b"), "[DONE]")
  const conversation = chatCompletionsStream({ messages: [] })
  const alone = { ...options, pace: { concurrency: 1 } }
  it.live("is a stream's until it ends, is left, or breaks", () =>
    Effect.gen(function* () {
      const reads = [
        [[whole], Stream.runDrain(conversation)],
        [[data(choice("a")), hang], Stream.runDrain(Stream.take(conversation, 1))],
        [[data(choice("a")), new Error("reset")], Stream.runDrain(conversation)],
        [[data(choice("a")), hang], Effect.flatMap(reading(conversation), Fiber.interrupt)],
        [[data({ error: { message: "no" } })], Stream.runDrain(conversation)]
      ] as const
      for (const [i, [steps, read]] of reads.entries()) {
        const made = events(steps, { ...alone, baseUrl: `http://${i}.invalid` })
        const pace = paceOf(yield* Clock.Clock, `http://${i}.invalid`, credential)
        yield* Effect.exit(Effect.provide(read, made.layer))
        expect([i, made.sent.length, pace.busy]).toEqual([i, 1, 0])
        expect(pace.places.wait(1, pace.now + 100)).toBe(0)
      }
    })
  )

  it.live("is a stream's no more when nobody reads it", () =>
    Effect.gen(function* () {
      const made = events([hang], { ...alone, baseUrl: "http://unread.invalid" })
      const pace = paceOf(yield* Clock.Clock, "http://unread.invalid", credential)
      const opened = Effect.gen(function* () {
        const client = yield* Client
        const bound = client.bound(chatOperation)!
        yield* open(client, bound, yield* write(client, bound, { messages: [] }))
        expect(pace.busy).toBe(1)
      })
      yield* Effect.scoped(opened).pipe(Effect.provide(made.layer))
      expect(pace.busy).toBe(0)
    })
  )

  it.live("is taken while a stream is read", () =>
    Effect.gen(function* () {
      const made = events([data(choice("a")), hang], { ...alone, baseUrl: "http://held.invalid" })
      const fiber = yield* Effect.provide(reading(conversation), made.layer)
      const second = Stream.runDrain(conversation).pipe(Effect.provide(made.layer))
      const result = yield* Effect.timeoutOption(second, "50 millis")
      expect([result._tag, made.sent.length]).toEqual(["None", 1])
      yield* Fiber.interrupt(fiber)
    })
  )
})

describe("what is kept", () => {
  const clockAt = (read: () => number): Clock.Clock & { slept: number; sleeping: number } => ({
    slept: 0,
    sleeping: 0,
    currentTimeMillisUnsafe: read,
    currentTimeMillis: Effect.sync(read),
    currentTimeNanosUnsafe: () => 0n,
    currentTimeNanos: Effect.succeed(0n),
    monotonicTimeNanosUnsafe: () => 0n,
    monotonicTimeNanos: Effect.succeed(0n),
    sleep(_: Duration.Duration) {
      this.slept++
      return Effect.callback<void>(() => {
        this.sleeping++
        return Effect.sync(() => this.sleeping--)
      })
    }
  })
  const claim = { group: limits.standard, tokens: undefined, concurrent: false }

  it("is forgotten when nobody has used it for long, and not while a call is under way", () => {
    let now = 0
    const clock = clockAt(() => now)
    const used = paceOf(clock, "a", "one")
    const busy = paceOf(clock, "a", "two")
    used.end(used.join(claim, Context.empty()), true)
    busy.join(claim, Context.empty())
    now = 600_000
    paceOf(clock, "a", "three")
    expect(paceOf(clock, "a", "one")).toBe(used)
    now = 600_001
    paceOf(clock, "a", "four")
    expect(paceOf(clock, "a", "one")).not.toBe(used)
    expect(paceOf(clock, "a", "two")).toBe(busy)
  })

  it("needs no timer while there is room, and one for all who wait", () => {
    const clock = clockAt(() => 0)
    const pace = new Pace(clock)
    pace.heed({ rpm: 2 })
    const turns = times(2, () => pace.join(claim, Context.empty()))
    for (const turn of turns) pace.end(turn, true)
    expect(clock.slept).toBe(0)
    const waiting = times(5, () => pace.join(claim, Context.empty()))
    expect([clock.slept, clock.sleeping]).toEqual([1, 1])
    for (const turn of waiting) pace.end(turn, true)
    expect(clock.sleeping).toBe(0)
  })

  it("under a lower limit is a whole bucket and no more", () => {
    const pace = new Pace(clockAt(() => 0))
    pace.heed({ rpm: 100 })
    times(100, () => pace.join(claim, Context.empty()))
    pace.heed({ rpm: 10 })
    expect(pace.wait(pace.join(claim, Context.empty()))).toBe(6_500)
  })

  it("outlives a clock that is set back", () => {
    let now = 5_000_000
    const pace = new Pace(clockAt(() => now))
    pace.heed({ rpm: 2 })
    times(2, () => pace.join(claim, Context.empty()))
    now = 1_000
    const turn = pace.join(claim, Context.empty())
    expect(pace.wait(turn)).toBe(30_500)
  })
})
