import { describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream, generateContentStream, type StreamOptions } from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { scripted } from "./scripted.ts"
import { choice, collect, data, events, hang } from "./streamScripted.ts"

const ask = (options?: StreamOptions) => chatCompletionsStream({ model: "m", messages: [] }, options)

/** The reader needs event loop iterations to get from one chunk to the next. */
const iterations = Effect.promise(async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
})

const pass = (millis: number) => Effect.andThen(iterations, Effect.andThen(TestClock.adjust(millis), iterations))

describe("time", () => {
  it.effect("runs out between two chunks", () =>
    Effect.gen(function* () {
      const { layer, seen } = events([data(choice("a")), hang])
      const fiber = yield* Effect.forkChild(Effect.provide(collect(ask()), layer))
      yield* pass(299_999)
      expect([fiber.pollUnsafe(), seen.closed]).toEqual([undefined, 0])
      yield* pass(1)
      const { error, taken } = yield* Fiber.join(fiber)
      expect(taken).toHaveLength(1)
      expect(error).toMatchObject({
        _tag: "StreamTimedOut",
        millis: 300_000,
        events: 1,
        outcome: "executed"
      })
      expect(seen.closed).toBe(1)
    })
  )

  it.effect("runs out after what the client's or the call's options say", () =>
    Effect.gen(function* () {
      for (const [client, options, millis] of [
        [{ idleTimeout: "2 seconds" }, {}, 2_000],
        [{ idleTimeout: "2 seconds" }, { idleTimeout: 900 }, 900]
      ] as const) {
        const { layer } = events([data(choice("a")), ": alive\n\n", hang], client)
        const fiber = yield* Effect.forkChild(Effect.provide(collect(ask(options)), layer))
        yield* pass(millis)
        expect((yield* Fiber.join(fiber)).error).toMatchObject({ _tag: "StreamTimedOut", millis, outcome: "executed" })
      }
    })
  )

  it.effect("runs out before there is an answer", () =>
    Effect.gen(function* () {
      const { layer } = scripted(() => Effect.never)
      const fiber = yield* Effect.forkChild(Effect.provide(collect(ask({ timeout: 500 })), layer))
      yield* pass(500)
      const { error } = yield* Fiber.join(fiber)
      expect(error).toMatchObject({ _tag: "OutcomeUnknown", cause: { _tag: "TransportFailed" } })
    })
  )

  it.effect("is short for what may follow a complete answer", () =>
    Effect.gen(function* () {
      const { layer, seen } = events([data(choice("a"), "[DONE]"), hang])
      const fiber = yield* Effect.forkChild(Effect.provide(collect(ask()), layer))
      yield* pass(2_000)
      const { error, taken } = yield* Fiber.join(fiber)
      expect([error, taken.length, seen.closed]).toEqual([undefined, 1, 1])
    })
  )
})

describe("leaving", () => {
  it.effect("closes the connection", () =>
    Effect.gen(function* () {
      const { layer, seen } = events([data(choice("a")), data(choice("b")), hang])
      const taken = yield* Effect.provide(Stream.runCollect(Stream.take(ask(), 1)), layer)
      expect([taken.length, seen.closed]).toEqual([1, 1])
    })
  )

  it.effect("by interruption closes the connection too", () =>
    Effect.gen(function* () {
      const { layer, seen } = events([data(choice("a")), hang])
      const fiber = yield* Effect.forkChild(Effect.provide(collect(ask()), layer))
      yield* iterations
      expect(seen.closed).toBe(0)
      yield* Fiber.interrupt(fiber)
      expect(seen.closed).toBe(1)
    })
  )
})

describe("the charge", () => {
  const charged = (steps: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const told: Array<unknown> = []
      const onCharge = (charge: unknown) => Effect.sync(() => void told.push(charge))
      const { layer } = events(steps)
      const { error, taken } = yield* Effect.provide(collect(ask({ onCharge })), layer)
      return { error, taken, told }
    })
  const comment = ": cost_micros_usd=123 cost_state=settled\n\n"

  it.effect("is reported once, after the last event", () =>
    Effect.gen(function* () {
      const apart = yield* charged([data(choice("a"), "[DONE]"), ": hm\n\n", comment])
      expect(apart).toMatchObject({
        error: undefined,
        taken: [{}],
        told: [{ state: "settled", micros: 123, usd: "0.000123" }]
      })
      const together = yield* charged([data(choice("a"), "[DONE]") + comment])
      expect(together.told).toHaveLength(1)
    })
  )

  it.effect("is not reported if the gateway does not send it", () =>
    Effect.gen(function* () {
      for (const other of [
        "",
        ": cost_micros_usd=x cost_state=settled\n\n",
        ": cost_micros_usd=1 cost_state=odd\n\n"
      ]) {
        expect((yield* charged([data("[DONE]") + other])).told).toEqual([])
      }
    })
  )

  it.effect("is reported with an error too", () =>
    Effect.gen(function* () {
      const { error, told } = yield* charged([data({ error: { message: "no" } }) + comment])
      expect(error).toMatchObject({ _tag: "StreamFailed", charge: { state: "settled", micros: 123, usd: "0.000123" } })
      expect(told).toHaveLength(1)
      expect(JSON.stringify(error)).toContain('"micros":123')
      expect((yield* charged([data(choice("a"), { error: {} })])).error).toMatchObject({ charge: { state: "unknown" } })
    })
  )
})

describe("an answer of Gemini's", () => {
  const finished = (index: number) => ({ candidates: [{ index, finishReason: "STOP" }] })
  const more = (index: number) => ({ candidates: [{ index }] })

  it.effect.each([
    ["when more events follow a finished candidate", [finished(0), more(0)], undefined],
    ["when each candidate is", [more(0), more(1), finished(0), more(0), finished(1)], undefined],
    ["when its usage follows", [finished(0), { usageMetadata: {} }], undefined],
    ["not when one has not ended", [finished(0), more(1)], "StreamTruncated"],
    ["not when nothing has", [{ usageMetadata: {} }], "StreamTruncated"]
  ] as const)("is whole %s", ([, said, tag]) =>
    Effect.gen(function* () {
      const { layer } = events([data(...said)])
      const stream = generateContentStream({ path: { model: "m" }, body: { contents: [] } })
      const { error, taken } = yield* Effect.provide(collect(stream), layer)
      expect([error?._tag, taken.length]).toEqual([tag, said.length])
    })
  )

  it.effect("is not complete while any candidate is unfinished", () =>
    Effect.gen(function* () {
      const { layer, seen } = events([data(finished(0)), hang])
      const stream = generateContentStream({ path: { model: "m" }, body: { contents: [] } })
      const fiber = yield* Effect.forkChild(Effect.provide(collect(stream), layer))
      yield* pass(299_999)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* pass(1)
      expect([(yield* Fiber.join(fiber)).error, seen.closed]).toEqual([undefined, 1])
    })
  )

  it.effect("is complete when the prompt is blocked", () =>
    Effect.gen(function* () {
      const { layer } = events([data({ promptFeedback: { blockReason: "SAFETY" } })])
      const stream = generateContentStream({ path: { model: "m" }, body: { contents: [] } })
      const { error, taken } = yield* Effect.provide(collect(stream), layer)
      expect([error, taken.length]).toEqual([undefined, 1])
    })
  )
})
