import { describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream, rerank } from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { answer, attempts, inOrder } from "./attempts.ts"
import { json, question, ranking, respond, scripted } from "./scripted.ts"

const never = () => Effect.never

/** Sends headers and half of the body, then stalls. */
const stalled = () => {
  const state = { aborted: false }
  const handler: Parameters<typeof scripted>[0] = (request, url, signal) => {
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(`{"model":"rer`))
        signal.addEventListener("abort", () => {
          state.aborted = true
          controller.error(signal.reason)
        })
      }
    })
    return respond(200, body, json)(request, url, signal)
  }
  return { handler, state }
}

const settle = Effect.promise(() => new Promise((next) => setTimeout(next, 10)))

describe("the deadline", () => {
  it.effect("covers the wait for an answer to the millisecond", () =>
    Effect.gen(function* () {
      const { layer } = scripted(never, { timeout: 5_000 })
      const fiber = yield* Effect.forkChild(Effect.flip(rerank(question).pipe(Effect.provide(layer))))
      yield* TestClock.adjust("4999 millis")
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.join(fiber)).toMatchObject({
        _tag: "OutcomeUnknown",
        outcome: "unknown",
        code: "timeout",
        message: "No whole answer within 5000 ms (it may have run: `resume` asks for its outcome)"
      })
    })
  )

  it.effect("is named if it passes before anything is sent", () =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(never)
      expect(yield* Effect.flip(rerank(question, { timeout: 0 }).pipe(Effect.provide(layer)))).toMatchObject({
        _tag: "TransportFailed",
        outcome: "not executed",
        code: "timeout",
        message: "Not sent within 0 ms"
      })
      expect(sent).toEqual([])
    })
  )

  it.effect("defaults to ten minutes", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(rerank(question).pipe(Effect.provide(scripted(never).layer))))
      yield* TestClock.adjust("599999 millis")
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      expect((yield* Fiber.join(fiber))._tag).toBe("OutcomeUnknown")
    })
  )

  it.effect("covers a body that stalls, and cancels it", () =>
    Effect.gen(function* () {
      const { handler, state } = stalled()
      const { layer } = scripted(handler, { timeout: 1_000 })
      const fiber = yield* Effect.forkChild(Effect.flip(rerank(question).pipe(Effect.provide(layer))))
      yield* settle
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "OutcomeUnknown", cause: { _tag: "TransportFailed" } })
      expect(state.aborted).toBe(true)
    })
  )

  it.effect("aborts the exchange when it passes", () =>
    Effect.gen(function* () {
      let aborted = false
      const { layer } = scripted((_, __, signal) => {
        signal.addEventListener("abort", () => (aborted = true))
        return Effect.never
      })
      const fiber = yield* Effect.forkChild(Effect.flip(rerank(question).pipe(Effect.provide(layer))))
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(fiber)
      expect(aborted).toBe(true)
    })
  )

  it.effect("does not affect an answer in time", () =>
    Effect.gen(function* () {
      const { layer } = scripted((request, url, signal) =>
        Effect.delay(respond(200, JSON.stringify(ranking), json)(request, url, signal), "599 seconds")
      )
      const fiber = yield* Effect.forkChild(rerank(question).pipe(Effect.provide(layer)))
      yield* TestClock.adjust("599 seconds")
      expect(yield* Fiber.join(fiber)).toEqual(ranking)
    })
  )
})

describe("the time of an attempt", () => {
  const ok = answer(200, ranking)
  const failure = (message: string) => ({ failure: { _tag: "OutcomeUnknown", code: "timeout", message } })
  const within = (millis: number) =>
    `No whole answer within ${millis} ms (it may have run: \`resume\` asks for its outcome)`

  it.effect("ends it, and the call goes on with the next, under the same key", () =>
    Effect.gen(function* () {
      const made = yield* attempts(rerank(question), inOrder(never, ok), { attemptTimeout: "2 seconds" })
      expect([made.count, new Set(made.keys).size, made.result]).toMatchObject([2, 1, { success: ranking }])
      expect(made.waits[0]).toBeGreaterThanOrEqual(2_000)
    })
  )

  it.effect("is named if it ends the last one, and the time of the call if that is over", () =>
    Effect.gen(function* () {
      const all = yield* attempts(rerank(question, { attemptTimeout: 2_000 }), never, { attemptTimeout: "1 minute" })
      expect([all.count, all.result]).toMatchObject([4, failure(within(2_000))])
      const some = yield* attempts(rerank(question, { timeout: 5_000 }), never, { attemptTimeout: 2_000 })
      expect([some.count, some.result]).toMatchObject([3, failure(within(5_000))])
    })
  )

  it.effect("ends a stream that does not begin, which is not sent again", () =>
    Effect.gen(function* () {
      const stream = chatCompletionsStream({ model: "m", messages: [] }, { attemptTimeout: 2_000 })
      const made = yield* attempts(Stream.runDrain(stream), never)
      expect([made.count, made.result]).toMatchObject([1, failure(within(2_000))])
    })
  )

  it.effect("is a time", () =>
    Effect.gen(function* () {
      const made = yield* attempts(rerank(question, { attemptTimeout: "soon" as never }), ok)
      expect([made.count, made.result]).toMatchObject([0, { failure: { _tag: "InputInvalid" } }])
      const none = yield* attempts(rerank(question, { attemptTimeout: 0 }), ok)
      expect([none.count, none.result]).toMatchObject([0, { failure: { _tag: "TransportFailed", code: "timeout" } }])
    })
  )
})

describe("interruption", () => {
  it.effect("aborts the exchange", () =>
    Effect.gen(function* () {
      let aborted = false
      const { layer, sent } = scripted((_, __, signal) => {
        signal.addEventListener("abort", () => (aborted = true))
        return Effect.never
      })
      const fiber = yield* Effect.forkChild(rerank(question).pipe(Effect.provide(layer)))
      yield* Effect.yieldNow
      expect(sent).toHaveLength(1)
      yield* Fiber.interrupt(fiber)
      expect(aborted).toBe(true)
    })
  )

  it.effect("cancels a body that is still arriving", () =>
    Effect.gen(function* () {
      const { handler, state } = stalled()
      const fiber = yield* Effect.forkChild(rerank(question).pipe(Effect.provide(scripted(handler).layer)))
      yield* settle
      yield* Fiber.interrupt(fiber)
      expect(state.aborted).toBe(true)
    })
  )
})
