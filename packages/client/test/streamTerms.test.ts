import { describe, expect, it } from "@effect/vitest"
import {
  chatCompletionsStream,
  type Options,
  Policy,
  withBudget,
  withIdempotencyKey,
  withMaxPrice
} from "@tollgate/client"
import { budget } from "@tollgate/client/budget"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { fail, json, respond, scripted, Unsent } from "./scripted.ts"
import { choice, collect, data } from "./streamScripted.ts"

type Handler = Parameters<typeof scripted>[0]

const ask = chatCompletionsStream({ model: "m", messages: [] })

const whole = (more = "") => respond(200, data(choice("a"), "[DONE]") + more, { "content-type": "text/event-stream" })

const answering = (answers: ReadonlyArray<Handler>, options: Partial<Options> = {}) => {
  let at = 0
  return scripted((...args) => answers[Math.min(at++, answers.length - 1)]!(...args), options)
}

describe("a stream", () => {
  const headersFor = (through: (effect: Effect.Effect<void, unknown>) => Effect.Effect<void, unknown>) =>
    Effect.gen(function* () {
      const { layer, sent } = answering([whole()])
      yield* through(Effect.provide(Stream.runDrain(ask), layer))
      return sent[0]?.request.headers
    })

  it.effect("is sent with the caller's cap", () =>
    Effect.gen(function* () {
      expect((yield* headersFor(withMaxPrice("0.01")))?.["x-tollgate-max-price-usd"]).toBe("0.01")
    })
  )

  it.effect("is sent with the caller's idempotency key", () =>
    Effect.gen(function* () {
      expect((yield* headersFor(withIdempotencyKey("k1")))?.["idempotency-key"]).toBe("k1")
    })
  )
})

describe("a stream is requested", () => {
  const sentFor = (answers: ReadonlyArray<Handler>) =>
    Effect.gen(function* () {
      const { layer, sent } = answering(answers, { retry: Policy.standard })
      const fiber = yield* Effect.forkChild(Effect.provide(collect(ask), layer))
      for (let i = 0; i < 4; i++) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* TestClock.adjust(5_000)
      }
      return { ...(yield* Fiber.join(fiber)), sent: sent.length }
    })

  it.effect("again if nothing was sent or the server says that nothing ran", () =>
    Effect.gen(function* () {
      expect(yield* sentFor([fail(new Unsent("no")), whole()])).toMatchObject({ sent: 2, exit: "Success" })
      const limited = respond(429, "{}", { ...json, "retry-after": "1" })
      expect(yield* sentFor([limited, whole()])).toMatchObject({ sent: 2, exit: "Success" })
    })
  )

  it.effect("once if it may have run", () =>
    Effect.gen(function* () {
      const reset = yield* sentFor([fail(new Error("reset")), whole()])
      expect([reset.sent, reset.error]).toMatchObject([1, { _tag: "OutcomeUnknown", outcome: "unknown" }])
      expect((yield* sentFor([respond(502, "{}", json), whole()])).sent).toBe(1)
    })
  )

  it.effect("once if a part of it arrived", () =>
    Effect.gen(function* () {
      const cut = respond(200, data(choice("a")), { "content-type": "text/event-stream" })
      const { error, sent, taken } = yield* sentFor([cut, whole()])
      expect([sent, taken.length, error]).toMatchObject([1, 1, { _tag: "StreamTruncated" }])
    })
  )
})

describe("a budget", () => {
  const quoted = respond(
    200,
    JSON.stringify({
      operation_id: "chat.completions",
      currency: "USD",
      estimate_micros_usd: 400,
      max_micros_usd: 600,
      price_contract: "model_tokens",
      basis: "",
      expires_at: "2026-01-01T00:00:00Z",
      request_id: "r"
    }),
    json
  )
  const twice = (comment: string) =>
    Effect.gen(function* () {
      const { layer, sent } = answering([quoted, whole(comment), quoted, whole(comment)])
      const both = Effect.andThen(Stream.runDrain(ask), Stream.runDrain(ask))
      const result = yield* both.pipe(withBudget("0.001"), Effect.provide(layer), Effect.result)
      return { result, sent }
    })

  it.effect("gets back what a stream did not use", () =>
    Effect.gen(function* () {
      const { result, sent } = yield* twice(": cost_micros_usd=100 cost_state=settled\n\n")
      expect(result._tag).toBe("Success")
      expect(sent[1]?.request.headers["x-tollgate-max-price-usd"]).toBe("0.0006")
    })
  )

  it.effect("gets back everything if nothing was charged", () =>
    Effect.gen(function* () {
      expect((yield* twice(": cost_micros_usd=0 cost_state=none\n\n")).result._tag).toBe("Success")
    })
  )

  it.effect("deducts the maximum if the gateway does not tell the charge, and refuses the next call", () =>
    Effect.gen(function* () {
      const asked = (request: HttpClientRequest) => request.headers["x-tollgate-idempotency-mode"] === "charge"
      const answers: ReadonlyArray<Handler> = [
        respond(404, "{}", json),
        respond(200, JSON.stringify({ request_id: "r", cost_state: "pending" }), json),
        respond(200, JSON.stringify({ cost_state: "settled", cost_micros_usd: -100 }), json),
        respond(200, "<html>", json),
        fail(new Error("lost"))
      ]
      for (const told of answers) {
        let at = 0
        const calls = [quoted, whole(), quoted]
        const { layer, sent } = scripted((request, ...more) =>
          asked(request) ? told(request, ...more) : calls[at++]!(request, ...more)
        )
        const both = Effect.andThen(Stream.runDrain(ask), Stream.runDrain(ask))
        const result = yield* both.pipe(withBudget("0.001"), Effect.provide(layer), Effect.result)
        expect(result).toMatchObject({
          _tag: "Failure",
          failure: { _tag: "BudgetExceeded", left: { usd: "0.0004", micros: 400 } }
        })
        const asks = sent.filter(({ request }) => asked(request))
        expect(asks.length).toBeGreaterThan(0)
        const [first] = asks
        expect(first?.request.headers["idempotency-key"]).toBe(sent[1]?.request.headers["idempotency-key"])
        expect(first?.request.body._tag).toBe("Empty")
      }
    })
  )

  it.live("is whole again once the gateway says that it does not know the end, and is asked again until then", () =>
    Effect.gen(function* () {
      const states = ["pending", "pending", "unknown"]
      let asks = 0
      let at = 0
      const calls = [quoted, whole()]
      const { layer } = scripted((request, ...more) => {
        if (request.headers["x-tollgate-idempotency-mode"] !== "charge") return calls[at++]!(request, ...more)
        return respond(200, JSON.stringify({ request_id: "r", cost_state: states[asks++] }), json)(request, ...more)
      })
      yield* Effect.gen(function* () {
        yield* Stream.runDrain(ask)
        for (let i = 0; i < 100 && asks < 3; i++) yield* Effect.sleep("50 millis")
        yield* Effect.sleep("10 millis")
        expect(yield* budget()).toMatchObject({
          spent: { micros: 0 },
          reserved: { micros: 0 },
          left: { micros: 1_000 }
        })
        expect(asks).toBe(3)
      }).pipe(withBudget("0.001"), Effect.provide(layer))
    })
  )

  it.effect("learns the charge before it refuses a call, also if the gateway was busy at first", () =>
    Effect.gen(function* () {
      let asks = 0
      let at = 0
      const calls = [quoted, whole(), quoted, whole()]
      const { layer } = scripted((request, ...more) => {
        if (request.headers["x-tollgate-idempotency-mode"] !== "charge") return calls[at++]!(request, ...more)
        const told = JSON.stringify({ request_id: "r", cost_state: "settled", cost_micros_usd: 100 })
        return respond(asks++ === 0 ? 503 : 200, told, json)(request, ...more)
      })
      const report = yield* Stream.runDrain(ask).pipe(
        Effect.andThen(Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))),
        Effect.andThen(Stream.runDrain(Stream.take(ask, 1))),
        Effect.andThen(budget()),
        withBudget("0.001"),
        Effect.provide(layer)
      )
      expect(report?.spent.micros).toBe(100)
      expect(asks).toBeGreaterThan(1)
    })
  )
})
