import { describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream, deepResearchStream, generateContentStream, messagesStream } from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { fail, json, respond, scripted, Unsent } from "./scripted.ts"
import { choice, collect, data, events, hang } from "./streamScripted.ts"

const question = { model: "m", messages: [] }
const asked = { path: { model: "m" }, body: { contents: [] } }
const done = "[DONE]"

const bodyOf = (request: { readonly body: unknown } | undefined): unknown => {
  const { body } = (request?.body ?? {}) as { readonly body?: Uint8Array }
  return JSON.parse(new TextDecoder().decode(body))
}

describe("the request", () => {
  it.effect("asks for a stream with usage, in the OpenAI style", () =>
    Effect.gen(function* () {
      const { layer, sent } = events([data(done)], { bindings: { "deep_research.search": { path: "/v1/research" } } })
      yield* Effect.provide(Stream.runDrain(chatCompletionsStream(question)), layer)
      yield* Effect.provide(Stream.runDrain(deepResearchStream({ ...question, stream_options: { a: 1 } })), layer)
      expect(sent.map(({ url }) => url.pathname)).toEqual(["/v1/chat/completions", "/v1/research"])
      expect(sent[0]?.request.headers["accept"]).toBe("text/event-stream")
      expect(bodyOf(sent[0]?.request)).toEqual({ ...question, stream: true, stream_options: { include_usage: true } })
      expect(bodyOf(sent[1]?.request)).toMatchObject({ stream: true, stream_options: { include_usage: true, a: 1 } })
    })
  )

  it.effect("may turn usage off", () =>
    Effect.gen(function* () {
      const { layer, sent } = events([data(done)])
      const stream_options = { include_usage: false }
      yield* Effect.provide(Stream.runDrain(chatCompletionsStream({ ...question, stream_options })), layer)
      expect(bodyOf(sent[0]?.request)).toMatchObject({ stream_options })
    })
  )

  it.effect("asks for a stream in the styles of Anthropic and Gemini", () =>
    Effect.gen(function* () {
      const { layer, sent } = events([data({ type: "message_stop", candidates: [{ finishReason: "STOP" }] })])
      yield* Effect.provide(Stream.runDrain(messagesStream(question)), layer)
      yield* Effect.provide(Stream.runDrain(generateContentStream(asked)), layer)
      expect(bodyOf(sent[0]?.request)).toEqual({ ...question, stream: true })
      expect(sent[1]?.url.pathname + (sent[1]?.url.search ?? "")).toBe("/v1beta/models/m:streamGenerateContent?alt=sse")
      expect(bodyOf(sent[1]?.request)).toEqual(asked.body)
    })
  )

  it.effect("is not sent while the path is pending", () =>
    Effect.gen(function* () {
      const { layer, sent } = events([])
      const { error } = yield* Effect.provide(collect(deepResearchStream(question)), layer)
      expect(error).toMatchObject({ _tag: "InputInvalid", outcome: "not executed" })
      expect(sent).toHaveLength(0)
    })
  )
})

describe("before the first event", () => {
  it.effect("a refusal is the operation's own error", () =>
    Effect.gen(function* () {
      const { layer } = scripted(
        respond(402, JSON.stringify({ error: { message: "too expensive", code: "budget_exceeded" } }), json)
      )
      const { error, taken } = yield* Effect.provide(collect(chatCompletionsStream(question)), layer)
      expect([error, taken]).toMatchObject([
        { _tag: "OverBudget", message: "too expensive", outcome: "not executed" },
        []
      ])
    })
  )

  it.effect("an answer that is not a stream fails and is kept in the error", () =>
    Effect.gen(function* () {
      const { layer } = scripted(respond(200, '{"choices":[]}', json))
      const { error } = yield* Effect.provide(collect(chatCompletionsStream(question)), layer)
      expect(error).toMatchObject({ _tag: "AnswerInvalid", body: '{"choices":[]}', outcome: "executed" })
      expect(error).toHaveProperty("message", "Expected events, the answer is application/json")
    })
  )

  it.effect("a failed connection says whether the call may have run", () =>
    Effect.gen(function* () {
      const unsent = scripted(fail(new Unsent("no route")))
      const reset = scripted(fail(new Error("reset")))
      const first = yield* Effect.provide(collect(chatCompletionsStream(question)), unsent.layer)
      const second = yield* Effect.provide(collect(chatCompletionsStream(question)), reset.layer)
      expect(first.error).toMatchObject({ _tag: "TransportFailed", outcome: "not executed" })
      expect(second.error).toMatchObject({
        _tag: "OutcomeUnknown",
        idempotencyKey: reset.sent[0]?.request.headers["idempotency-key"],
        cause: { _tag: "TransportFailed" }
      })
    })
  )
})

const protocols = [
  {
    name: "OpenAI",
    ask: () => chatCompletionsStream(question),
    some: [choice("a"), choice("b")],
    last: [done],
    events: [choice("a"), choice("b")]
  },
  {
    name: "Anthropic",
    ask: () => messagesStream(question),
    some: [{ type: "message_start" }, { type: "ping" }],
    last: [{ type: "message_stop" }],
    events: [{ type: "message_start" }, { type: "ping" }, { type: "message_stop" }]
  },
  {
    name: "Gemini",
    ask: () => generateContentStream(asked),
    some: [{ candidates: [{ content: {} }, { index: 1 }] }, { candidates: [{ finishReason: "STOP" }] }],
    last: [{ candidates: [{ index: 1, finishReason: "MAX_TOKENS" }] }],
    events: [
      { candidates: [{ content: {} }, { index: 1 }] },
      { candidates: [{ finishReason: "STOP" }] },
      { candidates: [{ index: 1, finishReason: "MAX_TOKENS" }] }
    ]
  }
]

for (const { ask, events: expected, last, name, some } of protocols) {
  describe(`a stream in the style of ${name}`, () => {
    it.effect("emits its events", () =>
      Effect.gen(function* () {
        const { layer } = events([data(...some), data(...last)])
        const { error, taken } = yield* Effect.provide(collect(ask()), layer)
        expect([error, taken]).toEqual([undefined, expected])
      })
    )

    it.effect("that ends too early is truncated", () =>
      Effect.gen(function* () {
        const { layer } = events([data(...some)], {}, { "x-request-id": "r1" })
        const { error, taken } = yield* Effect.provide(collect(ask()), layer)
        expect(taken).toHaveLength(2)
        expect(error).toMatchObject({ _tag: "StreamTruncated", requestId: "r1", events: 2, outcome: "executed" })
      })
    )

    it.effect("that is empty has an unknown outcome", () =>
      Effect.gen(function* () {
        const { error } = yield* Effect.provide(collect(ask()), events([": hi\n\n"]).layer)
        expect(error).toMatchObject({
          _tag: "OutcomeUnknown",
          idempotencyKey: expect.any(String),
          cause: { _tag: "StreamTruncated", events: 0 }
        })
      })
    )

    it.effect("whose connection breaks is truncated, with the cause", () =>
      Effect.gen(function* () {
        const { layer } = events([data(some[0]), new Error("gone")])
        const { error, taken } = yield* Effect.provide(collect(ask()), layer)
        expect(taken).toHaveLength(1)
        expect(error).toMatchObject({ _tag: "StreamTruncated", outcome: "executed", cause: { message: "gone" } })
      })
    )

    it.effect("that is complete succeeds however the connection ends", () =>
      Effect.gen(function* () {
        const { layer } = events([data(...some, ...last), data("junk"), new Error("gone")])
        const { error, taken } = yield* Effect.provide(collect(ask()), layer)
        expect([error, taken]).toEqual([undefined, expected])
      })
    )

    it.effect("with an event that is not JSON fails with its data", () =>
      Effect.gen(function* () {
        for (const junk of ["{", "[]", "1", "null"]) {
          const { layer } = events([data(some[0], junk, some[1], ...last)])
          const { error, taken } = yield* Effect.provide(collect(ask()), layer)
          expect(taken).toEqual([some[0]])
          expect(error).toMatchObject({ _tag: "EventInvalid", data: junk, events: 1, outcome: "executed" })
        }
      })
    )

    it.effect("with an event that is too large fails", () =>
      Effect.gen(function* () {
        const { layer } = events([data(some[0]), `data: "${"x".repeat(8 * 1024 * 1024)}`, hang])
        const { error } = yield* Effect.provide(collect(ask()), layer)
        expect(error).toMatchObject({ _tag: "EventInvalid", events: 1 })
        expect(error).not.toHaveProperty("data")
      })
    )
  })
}

describe("a stream that reports an error", () => {
  it.effect.each([
    [
      { error: { message: "no", type: "server_error", code: "busy" } },
      { message: "no", type: "server_error", code: "busy" }
    ],
    [
      { type: "error", error: { type: "overloaded_error", message: "no" } },
      { message: "no", type: "overloaded_error" }
    ],
    [
      { error: { code: 503, message: "no", status: "UNAVAILABLE" } },
      { message: "no", type: "UNAVAILABLE", code: "503" }
    ],
    [{ error: "no" }, { message: "no" }],
    [{ type: "error" }, { message: "The stream reports an error" }]
  ] as const)("%j", ([event, expected]) =>
    Effect.gen(function* () {
      const { layer } = events([data(choice("a"), event, choice("b"), done)])
      const { error, taken } = yield* Effect.provide(collect(chatCompletionsStream(question)), layer)
      expect(taken).toEqual([choice("a")])
      expect(error).toMatchObject({ _tag: "StreamFailed", events: 1, outcome: "executed", ...expected })
    })
  )

  it.effect("by the event's name alone, or before all else", () =>
    Effect.gen(function* () {
      const { layer } = events(['event: error\ndata: {"message":"no"}\n\n'])
      const { error } = yield* Effect.provide(collect(messagesStream(question)), layer)
      const message = expect.stringMatching(/^no \(/)
      expect(error).toMatchObject({ _tag: "OutcomeUnknown", message, cause: { _tag: "StreamFailed", events: 0 } })
    })
  )

  it.effect("is not one for a null", () =>
    Effect.gen(function* () {
      const { layer } = events([data({ error: null }, done)])
      expect((yield* Effect.provide(collect(chatCompletionsStream(question)), layer)).error).toBeUndefined()
    })
  )
})
