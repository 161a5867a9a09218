import { describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream } from "@tollgate/client"
import { observe } from "@tollgate/client/observe"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Context from "effect/Context"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as limits from "@tollgate/contract/limits"
import { RateLimiter } from "../src/pace/RateLimiter.ts"
import { limiterOf } from "../src/call/paced.ts"
import { answer, inOrder } from "./attempts.ts"
import { ask, type Handler, options, pacedClient, times, ok } from "./paceSetup.ts"
import { credential, fail, Unsent } from "./scripted.ts"
import { choice, data, events, hang } from "./streamScripted.ts"

const never: Handler = () => Effect.never
const at = (pace: number) => ({ pace: { concurrency: pace } })

describe("clients of one credential at one address", () => {
  it.effect("share their limits", () =>
    Effect.gen(function* () {
      const one = pacedClient({ pace: { rpm: 3 } })
      const other = pacedClient({})
      yield* Effect.forEach(times(2, ask.rerank), one.fork)
      yield* Effect.forEach(times(5, ask.rerank), other.fork)
      expect([one.times.length, other.times.length]).toEqual([2, 1])
    })
  )

  it.effect("do not share limits with other credentials or addresses", () =>
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

  it.effect("are separated by the current credential, also after a 401", () =>
    Effect.gen(function* () {
      let asked = 0
      const changing = Effect.sync(() => Redacted.make(asked++ === 0 ? "tg_old" : "tg_new"))
      const client = pacedClient(
        { pace: { rpm: 1, patienceMillis: 61_000 }, credential: changing },
        inOrder(answer(401), ok())
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

describe("a slot for a concurrent call", () => {
  it.effect("is released when the call is answered, breaks or is interrupted, and not before", () =>
    Effect.gen(function* () {
      const client = pacedClient(at(1), inOrder(never, fail(new Unsent("refused")), ok()))
      const first = yield* client.fork(ask.chat(10))
      const others = yield* Effect.forEach(
        times(3, () => ask.chat(10)),
        client.fork
      )
      yield* TestClock.adjust("20 seconds")
      expect(client.times).toEqual([0])
      yield* Fiber.interrupt(first)
      // The gateway sees the interruption a little later.
      yield* TestClock.adjust("99 millis")
      expect(client.times).toEqual([0])
      yield* TestClock.adjust("1 second")
      expect(client.times).toEqual([0, 20_100, 20_200, 20_200])
      const results = yield* Effect.forEach(others, Fiber.join)
      expect(results.map(({ _tag }) => _tag)).toEqual(["Failure", "Success", "Success"])
    })
  )

  it.effect("is waited for no longer than the patience", () =>
    Effect.gen(function* () {
      const client = pacedClient({ pace: { concurrency: 1, patienceMillis: 5_000 } }, never)
      yield* client.fork(ask.chat(10))
      const second = yield* client.fork(ask.chat(10))
      yield* TestClock.adjust("5 seconds")
      expect(yield* Fiber.join(second)).toMatchObject({ failure: { _tag: "PaceExceeded", retryAfter: 1_000 } })
      expect(client.times).toEqual([0])
    })
  )

  /** Returns the reading fiber after its first event. */
  const reading = <A, E, R>(stream: Stream.Stream<A, E, R>) =>
    Effect.gen(function* () {
      const read = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(Stream.runForEach(stream, () => Deferred.succeed(read, undefined)))
      yield* Deferred.await(read)
      return fiber
    })

  const whole = data(choice("a"), choice("b"), "[DONE]")
  const conversation = chatCompletionsStream({ model: "m", messages: [] })
  const onePlace = { ...options, pace: { concurrency: 1 } }
  it.live("is held by a stream until it ends, is left or breaks", () =>
    Effect.gen(function* () {
      const reads = [
        [[whole], Stream.runDrain(conversation)],
        [[data(choice("a")), hang], Stream.runDrain(Stream.take(conversation, 1))],
        [[data(choice("a")), new Error("reset")], Stream.runDrain(conversation)],
        [[data(choice("a")), hang], Effect.flatMap(reading(conversation), Fiber.interrupt)],
        [[data({ error: { message: "no" } })], Stream.runDrain(conversation)]
      ] as const
      for (const [i, [steps, read]] of reads.entries()) {
        const made = events(steps, { ...onePlace, baseUrl: `http://${i}.invalid` })
        const limiter = limiterOf(yield* Clock.Clock, `http://${i}.invalid`, credential)
        yield* Effect.exit(Effect.provide(read, made.layer))
        expect([i, made.sent.length, limiter.busy]).toEqual([i, 1, 0])
        expect(limiter.concurrency.wait(1, limiter.now + 100)).toBe(0)
      }
    })
  )

  it.live("is released by a stream that is never read", () =>
    Effect.gen(function* () {
      const running: Array<Fiber.Fiber<unknown, unknown>> = []
      // After the attempt and before the first read.
      const observed = observe(() => ({ attempted: () => running[0]?.interruptUnsafe() }))
      const made = events([hang], { ...onePlace, baseUrl: "http://unread.invalid", observe: observed })
      const limiter = limiterOf(yield* Clock.Clock, "http://unread.invalid", credential)
      const fiber = yield* Effect.forkChild(Stream.runDrain(conversation).pipe(Effect.provide(made.layer)))
      running.push(fiber)
      expect((yield* Fiber.await(fiber))._tag).toBe("Failure")
      expect([made.sent.length, limiter.busy]).toEqual([1, 0])
    })
  )

  it.live("is taken while a stream is read", () =>
    Effect.gen(function* () {
      const made = events([data(choice("a")), hang], { ...onePlace, baseUrl: "http://held.invalid" })
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

  it("is dropped when idle for long, but not while a call is in flight", () => {
    let now = 0
    const clock = clockAt(() => now)
    const used = limiterOf(clock, "a", "one")
    const busy = limiterOf(clock, "a", "two")
    used.end(used.enqueue(claim, Context.empty()), true)
    busy.enqueue(claim, Context.empty())
    now = 600_000
    limiterOf(clock, "a", "three")
    expect(limiterOf(clock, "a", "one")).toBe(used)
    now = 600_001
    limiterOf(clock, "a", "four")
    expect(limiterOf(clock, "a", "one")).not.toBe(used)
    expect(limiterOf(clock, "a", "two")).toBe(busy)
  })

  it("needs no timer while nothing waits, and one for all that wait", () => {
    const clock = clockAt(() => 0)
    const limiter = new RateLimiter(clock)
    limiter.configure({ rpm: 2 })
    const turns = times(2, () => limiter.enqueue(claim, Context.empty()))
    for (const turn of turns) limiter.end(turn, true)
    expect(clock.slept).toBe(0)
    const waiting = times(5, () => limiter.enqueue(claim, Context.empty()))
    expect([clock.slept, clock.sleeping]).toEqual([1, 1])
    for (const turn of waiting) limiter.end(turn, true)
    expect(clock.sleeping).toBe(0)
  })

  it("is at most a full bucket under a lower limit", () => {
    const limiter = new RateLimiter(clockAt(() => 0))
    limiter.configure({ rpm: 100 })
    times(100, () => limiter.enqueue(claim, Context.empty()))
    limiter.configure({ rpm: 10 })
    expect(limiter.wait(limiter.enqueue(claim, Context.empty()))).toBe(6_500)
  })

  it("survives a clock that is set back", () => {
    let now = 5_000_000
    const limiter = new RateLimiter(clockAt(() => now))
    limiter.configure({ rpm: 2 })
    times(2, () => limiter.enqueue(claim, Context.empty()))
    now = 1_000
    const turn = limiter.enqueue(claim, Context.empty())
    expect(limiter.wait(turn)).toBe(30_500)
  })
})
