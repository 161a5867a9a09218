import { describe, expect, it } from "@effect/vitest"
import { chatCompletions, generateContent, messages, quote, rerank, withBudget } from "@tollgate/client"
import { observe } from "../src/observe/observe.ts"
import { metrics } from "../src/observe/metrics.ts"
import { spans } from "../src/observe/spans.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { answer, attempts, inOrder, refusal } from "./attempts.ts"
import { attributesOf, endOf, eventsOf, tracer } from "./observeTracer.ts"
import { fail, question, ranking, scripted } from "./scripted.ts"

const charged = (micros: string, body: unknown = ranking, more: Record<string, string> = {}) =>
  answer(200, body, {
    "x-tollgate-cost-micros-usd": micros,
    "x-tollgate-cost-state": "settled",
    "x-request-id": "req_1",
    ...more
  })

const quoted = answer(200, {
  operation_id: "rerank",
  currency: "USD",
  estimate_micros_usd: 10,
  max_micros_usd: 40,
  price_contract: "per_token",
  basis: "tokens",
  expires_at: "2030-01-01T00:00:00.000Z",
  request_id: "req_q"
})

describe("the span of a call", () => {
  it.effect("has the operation, server, status and cost", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      const { layer } = scripted(charged("40"), { baseUrl: "https://name:word@gateway.invalid:8443/base" })
      yield* rerank({ ...question, model: "r1" }).pipe(Effect.provide(layer), Effect.provide(observed()))
      expect(made.map(({ kind, name }) => [name, kind])).toEqual([["rerank r1", "client"]])
      expect(attributesOf(made[0])).toEqual({
        "gen_ai.operation.name": "rerank",
        "gen_ai.request.model": "r1",
        "http.request.method": "POST",
        "http.response.status_code": 200,
        "server.address": "gateway.invalid",
        "server.port": 8443,
        "tollgate.operation": "rerank",
        "tollgate.mode": "call",
        "tollgate.result": "success",
        "tollgate.request.id": "req_1",
        "tollgate.attempts": 1,
        "tollgate.replayed": false,
        "tollgate.recovered": false,
        "tollgate.cost.state": "settled",
        "tollgate.charge": 40
      })
      expect(eventsOf(made[0])).toEqual([{ name: "tollgate.attempt", "tollgate.attempt": 1 }])
      expect(endOf(made[0])).toBe("success")
    })
  )

  const runObserved = <E>(call: Effect.Effect<unknown, E, never>, observed: Layer.Layer<never>) =>
    Effect.exit(Effect.provide(call, observed))

  it.effect("of a model call follows OpenTelemetry's conventions, with cached tokens as input", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      const usage = { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 5 } }
      const openai = scripted(answer(200, { model: "m-2026", choices: [], usage })).layer
      yield* runObserved(Effect.provide(chatCompletions({ model: "m", messages: [] }), openai), observed())
      const anthropic = scripted(
        answer(200, { model: "c", content: [], usage: { input_tokens: 1, output_tokens: 2 } })
      ).layer
      yield* runObserved(Effect.provide(messages({ model: "c", messages: [] }), anthropic), observed())
      const counts = { promptTokenCount: 7, candidatesTokenCount: 1, thoughtsTokenCount: 1 }
      const gemini = scripted(answer(200, { modelVersion: "g-1", candidates: [], usageMetadata: counts })).layer
      yield* runObserved(
        Effect.provide(generateContent({ path: { model: "g" }, body: { contents: [] } }), gemini),
        observed()
      )
      expect(made.map(({ name }) => name)).toEqual(["chat m", "chat c", "generate_content g"])
      const some = made.map((span) =>
        Object.entries(attributesOf(span))
          .filter(([name]) => name.startsWith("gen_ai"))
          .map(([name, value]) => `${name.slice(7)} ${value}`)
          .toSorted()
      )
      expect(some).toEqual([
        [
          "operation.name chat",
          "provider.name openai",
          "request.model m",
          "response.model m-2026",
          "usage.cache_read.input_tokens 5",
          "usage.input_tokens 12",
          "usage.output_tokens 3"
        ],
        [
          "operation.name chat",
          "provider.name anthropic",
          "request.model c",
          "response.model c",
          "usage.input_tokens 1",
          "usage.output_tokens 2"
        ],
        [
          "operation.name generate_content",
          "provider.name gcp.gemini",
          "request.model g",
          "response.model g-1",
          "usage.cache_read.input_tokens 0",
          "usage.input_tokens 7",
          "usage.output_tokens 2"
        ]
      ])
    })
  )

  it.effect("has an event for each attempt", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      const limited = refusal(429, "rate_limited", { "retry-after": "1" })
      const call = rerank(question).pipe(Effect.provide(observed()))
      yield* attempts(call, inOrder(limited, refusal(502, "somebody's text"), charged("1")))
      expect(eventsOf(made[0])).toMatchObject([
        {
          "tollgate.attempt": 1,
          "error.type": "RateLimited",
          "http.response.status_code": 429,
          "tollgate.outcome": "not executed"
        },
        { "tollgate.attempt": 2, "error.type": "UpstreamFailed", "tollgate.outcome": "unknown" },
        { "tollgate.attempt": 3 }
      ])
      expect(JSON.stringify(eventsOf(made[0]))).not.toContain("somebody")
      expect(attributesOf(made[0])).toMatchObject({ "tollgate.attempts": 3, "tollgate.result": "success" })
      expect(attributesOf(made[0])).not.toHaveProperty("error.type")
    })
  )

  it.effect("records a failure by tag, outcome and known code", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      const { layer } = scripted(refusal(503, "billing_unavailable", { "x-request-id": "req_2" }))
      yield* runObserved(Effect.provide(rerank(question), layer), observed())
      expect(attributesOf(made[0])).toMatchObject({
        "error.type": "Unavailable",
        "http.response.status_code": 503,
        "tollgate.result": "failed",
        "tollgate.outcome": "not executed",
        "tollgate.error.code": "billing_unavailable",
        "tollgate.request.id": "req_2",
        "tollgate.cost.state": "none"
      })
      expect(endOf(made[0])).toBe("Unavailable: not executed")
      const reset = scripted(fail(new Error("reset"))).layer
      yield* runObserved(Effect.provide(rerank(question), reset), observed())
      expect(attributesOf(made[1])).toMatchObject({ "tollgate.outcome": "unknown", "tollgate.cost.state": "unknown" })
      yield* runObserved(Effect.provide(rerank({ ...question, query: "" }), reset), observed())
      expect(attributesOf(made[2])).toMatchObject({
        "error.type": "InputInvalid",
        "tollgate.attempts": 0,
        "tollgate.cost.state": "none"
      })
    })
  )

  it.effect("records amounts of any size, and whether the answer was replayed", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      const replayed = {
        "idempotent-replayed": "true",
        "x-tollgate-replayed-cost-micros-usd": "9007199254740991"
      }
      const { layer } = scripted(charged("0", ranking, replayed))
      yield* rerank(question).pipe(Effect.provide(layer), Effect.provide(observed()))
      expect(attributesOf(made[0])).toMatchObject({
        "tollgate.charge": 9007199254740991,
        "tollgate.replayed": true,
        "tollgate.recovered": false
      })
    })
  )

  it.effect("ends when the call is interrupted, with outcome unknown unless nothing was sent", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      const { layer, sent } = scripted(() => Effect.never)
      const interrupted = Effect.fnUntraced(function* (call: ReturnType<typeof rerank>) {
        const before = sent.length
        const fiber = yield* Effect.forkChild(runObserved(Effect.provide(call, layer), observed()))
        while (sent.length === before) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      })
      yield* interrupted(rerank(question))
      expect(endOf(made[0])).toBe("Interrupt")
      expect(attributesOf(made[0])).toMatchObject({ "error.type": "interrupted", "tollgate.outcome": "unknown" })
      yield* interrupted(rerank(question).pipe(withBudget("1")))
      expect(made.slice(1).map((span) => [span.name, attributesOf(span)["tollgate.outcome"]])).toEqual([
        ["rerank", "not executed"],
        ["quote rerank", "unknown"]
      ])
    })
  )

  it.effect("is the parent of its budget's quote", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      const { layer } = scripted((request, url, signal) =>
        (request.headers["x-tollgate-cost-mode"] === "quote" ? quoted : charged("7"))(request, url, signal)
      )
      const both = Effect.andThen(rerank(question).pipe(withBudget("1")), quote(rerank, question))
      yield* both.pipe(Effect.provide(layer), Effect.provide(observed()))
      expect(made.map(({ name, parent }) => [name, Option.getOrUndefined(parent)])).toEqual([
        ["rerank", undefined],
        ["quote rerank", made[0]],
        ["quote rerank", undefined]
      ])
      expect(attributesOf(made[1])).toMatchObject({
        "tollgate.mode": "quote",
        "tollgate.quote.estimate_micros_usd": 10,
        "tollgate.quote.max_micros_usd": 40
      })
      expect(attributesOf(made[0])).not.toHaveProperty("tollgate.quote.max_micros_usd")
    })
  )

  it.effect("of a quote is not a model call", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      yield* runObserved(
        Effect.provide(quote(chatCompletions, { model: "m", messages: [] }), scripted(quoted).layer),
        observed()
      )
      expect(made[0]?.name).toBe("quote chat.completions")
      expect(attributesOf(made[0])).toMatchObject({ "gen_ai.request.model": "m", "tollgate.result": "success" })
      expect(attributesOf(made[0])).not.toHaveProperty("gen_ai.operation.name")
    })
  )

  it.effect("is a child of the caller's span, and follows its sampling", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      const { layer } = scripted(charged("1"))
      const call = Effect.provide(rerank(question), layer)
      yield* call.pipe(Effect.annotateSpans("tenant", "t1"), Effect.withSpan("job"), Effect.provide(observed()))
      expect(Option.getOrUndefined(made[1]!.parent)).toBe(made[0])
      expect(attributesOf(made[1])).toMatchObject({ tenant: "t1" })
      yield* call.pipe(Effect.withSpan("job", { sampled: false }), Effect.provide(observed()))
      expect([attributesOf(made[3]), eventsOf(made[3]), endOf(made[3])]).toEqual([{}, [], "success"])
    })
  )
})

describe("the trace id is sent to the gateway", () => {
  const sentUnder = (layer: Layer.Layer<never>) =>
    Effect.gen(function* () {
      const made = scripted(charged("1"))
      yield* rerank(question).pipe(Effect.provide(made.layer), Effect.provide(layer))
      const { b3, traceparent } = made.sent[0]!.request.headers
      return { b3, traceparent }
    })

  it.effect("in one header, if the call is observed", () =>
    Effect.gen(function* () {
      const { layer, made, observed } = tracer()
      const { b3, traceparent } = yield* sentUnder(observed())
      expect([b3, traceparent]).toEqual([undefined, `00-${made[0]!.traceId}-${made[0]!.spanId}-01`])
      expect(yield* sentUnder(layer)).toEqual({ b3: undefined, traceparent: undefined })
      expect(made).toHaveLength(1)
      expect(yield* sentUnder(Layer.empty)).toEqual({ b3: undefined, traceparent: undefined })
    })
  )

  it.effect("not without a tracer", () =>
    Effect.gen(function* () {
      const expected = { b3: undefined, traceparent: undefined }
      expect(yield* sentUnder(observe(spans))).toEqual(expected)
    })
  )
})

describe("the effect behind a credential", () => {
  it.effect("is traced as a child of the call", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      const credential = Effect.withSpan(Effect.succeed("tg_token"), "token")
      const { layer } = scripted(charged("1"), { credential })
      yield* rerank(question).pipe(Effect.provide(layer), Effect.provide(observed()))
      expect(made.map(({ name }) => name)).toEqual(["rerank", "token"])
      expect(Option.getOrUndefined(made[1]!.parent)).toBe(made[0])
    })
  )
})

describe("an observer", () => {
  it.effect("that fails does not affect the call or other observers", () =>
    Effect.gen(function* () {
      const { made, observed } = tracer()
      const broken = observe(
        () => Effect.die("begin"),
        () => {
          throw new Error("begin")
        },
        () => Effect.succeed({ attempted: () => Effect.die("attempt"), ended: () => Effect.die("end") }),
        spans,
        metrics
      )
      const { layer } = scripted(charged("1"))
      const value = yield* rerank(question).pipe(
        Effect.provide(layer),
        Effect.provide(broken),
        Effect.provide(observed())
      )
      expect([value.model, made.length, endOf(made[0])]).toEqual(["rerank", 1, "success"])
    })
  )
})
