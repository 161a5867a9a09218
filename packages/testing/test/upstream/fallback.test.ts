import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import type { Condition, Route, Target } from "@tollgate/gateway/upstream/Route"
import type { CostBook } from "@tollgate/gateway/exchange/Prices"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { calls, reservedTotal } from "@tollgate/testing/models"
import { closedPort, httpUpstream, providerAt, type Received } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ServerResponse } from "node:http"

// 10 tokens of input and 20 of output cost 370 micro-USD of the small model, and 1,100 of the big one.
const cached = { cacheRead: usd("1"), cacheWrite: usd("1") }
const small = { ...cached, input: usd("3"), output: usd("17"), maxOutput: 1000 }
const big = { ...cached, input: usd("10"), output: usd("50"), maxOutput: 900 }
const costs = { ofSmall: 370, ofBig: 1100 }

const models = {
  small: {
    ...small,
    tiers: { priority: { ...cached, input: usd("6"), output: usd("34") } }
  },
  big
}

const priced: ReadonlyArray<Operation> = operations.map((operation): Operation => {
  const { price } = operation
  return price.contract === "model_tokens" ? { ...operation, price: { ...price, models } } : operation
})

type Protocol = "openai" | "anthropic" | "gemini"

interface Style {
  readonly protocol: Protocol
  readonly operation: string
  readonly path: (model: string) => string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  readonly answer: string
  /** The events of the same answer. */
  readonly events?: string
  readonly overloaded: readonly [status: number, body: object]
  readonly tooLong: object
}

const bearer = { authorization: `Bearer ${key}` }
const data = (...events: ReadonlyArray<object>) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
const content = [{ role: "user", content: "Why?" }]
const openaiErrors = {
  overloaded: [503, { error: { message: "busy", type: "server_error", code: "server_is_overloaded" } }],
  tooLong: { error: { message: "long", type: "invalid_request_error", code: "context_length_exceeded" } }
} as const
const geminiAnswer = {
  candidates: [{ index: 0, content: { parts: [{ text: "word" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20 }
}
const geminiErrors = {
  overloaded: [503, { error: { code: 503, status: "UNAVAILABLE", message: "The model is overloaded. Try later." } }],
  tooLong: {
    error: {
      code: 400,
      status: "INVALID_ARGUMENT",
      message: "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."
    }
  }
} as const
const anthropicErrors = {
  overloaded: [529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }],
  tooLong: {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" }
  }
} as const

const chat: Style = {
  protocol: "openai",
  operation: "chat.completions",
  path: () => "/v1/chat/completions",
  headers: bearer,
  body: { messages: content },
  answer: JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "word" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 20 }
  }),
  ...openaiErrors
}

const messages: Style = {
  protocol: "anthropic",
  operation: "messages",
  path: () => "/v1/messages",
  headers: { "x-api-key": key },
  body: { messages: content, max_tokens: 500 },
  answer: JSON.stringify({
    type: "message",
    content: [{ type: "text", text: "word" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 10, output_tokens: 20 }
  }),
  ...anthropicErrors
}

const styles: Readonly<Record<string, Style>> = {
  chat,
  "chat, streamed": {
    ...chat,
    body: { messages: content, stream: true },
    events: data(
      { choices: [{ index: 0, delta: { content: "word" }, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 20 } }
    )
  },
  responses: {
    ...chat,
    operation: "responses",
    path: () => "/v1/responses",
    body: { input: "Why?" },
    answer: JSON.stringify({
      object: "response",
      status: "completed",
      output: [],
      usage: { input_tokens: 10, output_tokens: 20 }
    })
  },
  messages,
  "messages, streamed": {
    ...messages,
    body: { ...messages.body, stream: true },
    events: data(
      { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "word" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 20 } },
      { type: "message_stop" }
    )
  },
  gemini: {
    protocol: "gemini",
    operation: "models.generate_content",
    path: (model) => `/v1beta/models/${model}:generateContent`,
    headers: { "x-goog-api-key": key },
    body: { contents: [{ role: "user", parts: [{ text: "Why?" }] }] },
    answer: JSON.stringify(geminiAnswer),
    ...geminiErrors
  },
  "gemini, streamed": {
    protocol: "gemini",
    operation: "models.stream_generate_content",
    path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    headers: { "x-goog-api-key": key },
    body: { contents: [{ role: "user", parts: [{ text: "Why?" }] }] },
    answer: "",
    events: data(geminiAnswer),
    ...geminiErrors
  }
}

const callOf = ({ body, headers, path, protocol }: Style, more: object = {}, others: Record<string, string> = {}) =>
  ask(
    "POST",
    path("small"),
    { ...headers, ...others },
    JSON.stringify(protocol === "gemini" ? { ...body, ...more } : { model: "small", ...body, ...more })
  )

const json = { "content-type": "application/json" }
const answering = ({ answer, events }: Style) =>
  httpUpstream((res) =>
    events === undefined
      ? res.writeHead(200, json).end(answer)
      : res.writeHead(200, { "content-type": "text/event-stream" }).end(events)
  )
const saying = (status: number, body: object | string, headers: Record<string, string> = json) =>
  httpUpstream((res: ServerResponse) =>
    res.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body))
  )
/** The error as the first event of a stream. */
const beginningWith = (error: object) =>
  httpUpstream((res) => res.writeHead(200, { "content-type": "text/event-stream" }).end(data(error)))

const at = (name: string, port: number, protocol: Protocol, prices?: CostBook): Target => ({
  provider: { ...providerAt(port, 1_000), name, protocol, ...(prices && { prices }) },
  weight: 1
})
const all = ["rate_limited", "unreachable", "overloaded", "too_long"] as const
const or = (target: Target, model: string | undefined = "big", when: ReadonlyArray<Condition> = all): Target => ({
  ...target,
  when,
  ...(model === "" ? {} : { model })
})

const through = <A, E>(
  route: Omit<Route, "operation">,
  { operation }: Style,
  effect: Effect.Effect<A, E, Host | TestGateway>
) =>
  effect.pipe(
    Effect.provide(
      Host.layerNode.pipe(
        Layer.provideMerge(TestGateway.layer({ operations: priced, routes: [{ operation, ...route }] }))
      )
    )
  )

const modelIn = ({ body, url }: Received, { protocol }: Style): unknown =>
  protocol === "gemini" ? /models\/([^:]+):/.exec(url)?.[1] : (JSON.parse(body) as { model: unknown }).model

const failures = (style: Style): ReadonlyArray<readonly [Condition, string, ReturnType<typeof saying>]> => [
  ["rate_limited", "rate limited", saying(429, "{}", { "retry-after": "9" })],
  ["unreachable", "credential refused", saying(401, "{}")],
  ["overloaded", "overloaded", saying(...style.overloaded)],
  ["too_long", "too long", saying(400, style.tooLong)],
  ...(style.events === undefined
    ? []
    : ([
        ["overloaded", "overloaded", beginningWith(style.overloaded[1])],
        ["too_long", "too long", beginningWith(style.tooLong)]
      ] as const))
]

describe("a fallback", () => {
  for (const [name, style] of Object.entries(styles)) {
    for (const [condition, outcome, upstream] of failures(style)) {
      it.live(`answers after "${outcome}", at its own model's price: ${name}`, () =>
        Effect.gen(function* () {
          const failing = yield* upstream
          const good = yield* answering(style)
          const [a, b] = [at("a", failing.port, style.protocol), at("b", good.port, style.protocol)]
          yield* through(
            { to: [a], fallback: [or(b, "big", [condition])] },
            style,
            Effect.gen(function* () {
              const answer = yield* callOf(style)
              expect(answer.status, answer.text).toBe(200)
              expect(answer.text).toContain("word".slice(0, style.operation === "responses" ? 0 : 4))
              expect(answer.headers["x-tollgate-served-model"]).toBe("big")
              expect(answer.headers["x-tollgate-upstream"]).toBe("b")
              expect([failing.received.length, good.received.length]).toEqual([1, 1])
              expect(failing.received.map((received) => modelIn(received, style))).toEqual(["small"])
              expect(good.received.map((received) => modelIn(received, style))).toEqual(["big"])
              const tried = [
                { upstream: "a", outcome },
                { upstream: "b", outcome: "answered", model: "big" }
              ]
              expect(yield* calls).toMatchObject([
                { state: "settled", charged: costs.ofBig, model: "small", upstream: "b", tried: JSON.stringify(tried) }
              ])
              expect(yield* reservedTotal).toBe(0)
            })
          )
        }).pipe(Effect.scoped)
      )

      it.live(`is not tried after "${outcome}" if only other conditions are listed: ${name}`, () =>
        Effect.gen(function* () {
          const failing = yield* upstream
          const good = yield* answering(style)
          const [a, b] = [at("a", failing.port, style.protocol), at("b", good.port, style.protocol)]
          const others = all.filter((each) => each !== condition)
          yield* through(
            { to: [a], fallback: [or(b, "big", others)] },
            style,
            Effect.gen(function* () {
              expect((yield* callOf(style)).status).toBeGreaterThanOrEqual(400)
              expect([failing.received.length, good.received.length]).toEqual([1, 0])
              expect(yield* calls).toMatchObject([{ state: "released", charged: 0 }])
            })
          )
        }).pipe(Effect.scoped)
      )
    }

    for (const [what, status, body] of [
      ["500", 500, { error: { message: "x", code: "server_is_overloaded", type: "overloaded_error" } }],
      ["503 in other words", 503, { error: { message: "Service Unavailable", status: "UNAVAILABLE" } }],
      ["529 in other words", 529, { error: { type: "api_error", message: "x" } }],
      ["503 with a page", 503, "<html>overloaded_error</html>"],
      [
        "503 that tells a story of the overloaded",
        503,
        { error: { message: "the user said: the model is overloaded" } }
      ],
      ["400 of another kind", 400, { error: { type: "invalid_request_error", message: "no: prompt is too long" } }],
      ["400 with 100 kB", 400, { error: { code: "context_length_exceeded", message: "x".repeat(100_000) } }]
    ] as const) {
      it.live(`is not tried after ${what}, which proves nothing: ${name}`, () =>
        Effect.gen(function* () {
          const failing = yield* saying(status, body)
          const good = yield* answering(style)
          yield* through(
            { to: [at("a", failing.port, style.protocol)], fallback: [or(at("b", good.port, style.protocol))] },
            style,
            Effect.gen(function* () {
              const answer = yield* callOf(style)
              expect([answer.status, good.received.length]).toEqual([status, 0])
              expect(answer.headers["x-tollgate-upstream"]).toBe("a")
            })
          )
        }).pipe(Effect.scoped)
      )
    }
  }

  it.live(
    "answers when no connection is made, and costs what the caller's model does if its own name has no price",
    () =>
      Effect.gen(function* () {
        const good = yield* answering(chat)
        const a = at("a", yield* closedPort, "openai")
        yield* through(
          { to: [a], fallback: [or(at("b", good.port, "openai"), "vendor.small-v2")] },
          chat,
          Effect.gen(function* () {
            const answer = yield* callOf(chat)
            expect(answer.headers["x-tollgate-served-model"]).toBe("vendor.small-v2")
            expect(good.received.map((received) => modelIn(received, chat))).toEqual(["vendor.small-v2"])
            expect(yield* calls).toMatchObject([{ state: "settled", charged: costs.ofSmall }])
          })
        )
      }).pipe(Effect.scoped)
  )

  it.live("of several, each is tried once, in their order, after all of the route's own", () =>
    Effect.gen(function* () {
      const limited = yield* Effect.all([0, 1, 2].map(() => saying(429, "{}", { "retry-after": "9" })))
      const long = yield* saying(400, chat.tooLong)
      const good = yield* answering(chat)
      const [one, two, three] = limited.map(({ port }, i) => at(`limited${i}`, port, "openai"))
      yield* through(
        {
          to: [one!, two!],
          fallback: [
            // Passed over until its condition is met.
            or(at("good", good.port, "openai"), "", ["too_long"]),
            or(three!, "", ["rate_limited"]),
            or(at("long", long.port, "openai"), "big", ["rate_limited"])
          ]
        },
        chat,
        Effect.gen(function* () {
          const answer = yield* callOf(chat)
          expect([answer.status, answer.headers["x-tollgate-upstream"]]).toEqual([200, "good"])
          expect([...limited, long, good].map(({ received }) => received.length)).toEqual([1, 1, 1, 1, 1])
          expect(yield* calls).toMatchObject([{ state: "settled", charged: costs.ofSmall }])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("that fails too leaves the more helpful refusal, at no charge", () =>
    Effect.gen(function* () {
      const long = yield* saying(400, chat.tooLong)
      const limited = yield* saying(429, "{}", { "retry-after": "9" })
      yield* through(
        { to: [at("a", long.port, "openai")], fallback: [or(at("b", limited.port, "openai"))] },
        chat,
        Effect.gen(function* () {
          const answer = yield* callOf(chat)
          expect([answer.status, answer.headers["retry-after"]]).toEqual([429, "9"])
          expect(yield* calls).toMatchObject([{ state: "released", charged: 0 }])
          expect(yield* reservedTotal).toBe(0)
        })
      )
    }).pipe(Effect.scoped)
  )
})

describe("the price of a call with a fallback", () => {
  const failing = saying(429, "{}", { "retry-after": "9" })
  const microsOf = (answer: { readonly json: () => unknown }) => answer.json() as { max_micros_usd: number }

  const both = <A, E>(effect: (good: ReadonlyArray<Received>) => Effect.Effect<A, E, Host | TestGateway>) =>
    Effect.gen(function* () {
      const limited = yield* failing
      const good = yield* answering(chat)
      const [a, b] = [at("a", limited.port, "openai"), at("b", good.port, "openai")]
      return yield* through({ to: [a], fallback: [or(b)] }, chat, effect(good.received))
    }).pipe(Effect.scoped)

  it.live("is quoted by the dearest model that may serve", () =>
    Effect.gen(function* () {
      const quote = (more: object) => callOf(chat, more, { "x-tollgate-cost-mode": "quote" })
      const own = yield* both(() => quote({ model: "big" }))
      const answer = yield* both(() => quote({}))
      expect(answer.status).toBe(200)
      // The names differ in length, so the bytes of the requests do.
      expect(microsOf(answer).max_micros_usd).toBeGreaterThan(45_000)
      expect(Math.abs(microsOf(answer).max_micros_usd - microsOf(own).max_micros_usd)).toBeLessThan(100)
    })
  )

  it.live("is reserved by the dearest, and charged by the one that served", () =>
    both(() =>
      Effect.gen(function* () {
        yield* callOf(chat)
        expect(yield* calls).toMatchObject([{ charged: costs.ofBig }])
        expect((yield* calls)[0]?.reserved).toBeGreaterThan(45_000)
      })
    )
  )

  it.live("stays within a cap, whose bound holds for every model", () =>
    both((good) =>
      Effect.gen(function* () {
        const answer = yield* callOf(chat, {}, { "x-tollgate-max-price-usd": "0.006" })
        expect(answer.status, answer.text).toBe(200)
        const sent = JSON.parse(good[0]?.body ?? "{}") as { max_completion_tokens: number }
        // 6,000 micro-USD pay for at most 120 tokens of the big model, and for 352 of the small one.
        expect(sent.max_completion_tokens).toBeGreaterThan(50)
        expect(sent.max_completion_tokens).toBeLessThanOrEqual(120)
        expect(yield* calls).toMatchObject([{ charged: costs.ofBig, cap: 6000 }])
        expect((yield* calls)[0]?.reserved).toBeLessThanOrEqual(6000)
      })
    )
  )

  it.live("above a cap is refused before anything is sent, also if only the fallback is dearer", () =>
    both((good) =>
      Effect.gen(function* () {
        // 500 tokens cost 8,500 micro-USD of the small model, and 25,000 of the big one.
        const answer = yield* callOf(chat, { max_completion_tokens: 500 }, { "x-tollgate-max-price-usd": "0.02" })
        expect([answer.status, good.length]).toEqual([402, 0])
        expect(yield* reservedTotal).toBe(0)
      })
    )
  )

  it.live("above a cap is refused if the cap does not even pay for what the dearer model reads", () =>
    both((good) =>
      Effect.gen(function* () {
        // Up to 3,000 tokens: 9,000 micro-USD of the small model, 30,000 of the big one.
        const long = { messages: [{ role: "user", content: "x".repeat(3000) }] }
        const answer = yield* callOf(chat, long, { "x-tollgate-max-price-usd": "0.02" })
        expect([answer.status, good.length]).toEqual([402, 0])
      })
    )
  )

  it.live("that does not cover the request keeps the fallback out", () =>
    both((good) =>
      Effect.gen(function* () {
        const answer = yield* callOf(chat, { service_tier: "priority" })
        expect([answer.status, good.length]).toEqual([429, 0])
        expect(yield* calls).toMatchObject([{ state: "released", charged: 0 }])
      })
    )
  )

  it.live("of an alias in `to` stays that of the caller's model", () =>
    Effect.gen(function* () {
      const good = yield* answering(chat)
      yield* through(
        { to: [{ ...at("a", good.port, "openai"), model: "big" }] },
        chat,
        Effect.gen(function* () {
          const answer = yield* callOf(chat)
          expect(answer.headers["x-tollgate-served-model"]).toBe("big")
          expect(yield* calls).toMatchObject([{ charged: costs.ofSmall }])
        })
      )
    }).pipe(Effect.scoped)
  )
})

describe("a fallback that speaks another protocol", () => {
  const limited = saying(429, "{}", { "retry-after": "9" })
  const pairs = [
    [chat, messages],
    [styles["chat, streamed"]!, styles["messages, streamed"]!],
    [styles["messages, streamed"]!, styles["chat, streamed"]!],
    [styles["gemini, streamed"]!, styles["messages, streamed"]!],
    [messages, chat]
  ] as const

  for (const [asked, spoken] of pairs) {
    const how = asked.events === undefined ? "whole" : "streamed"
    it.live(`answers in the caller's, at its own price: ${asked.operation} by ${spoken.protocol}, ${how}`, () =>
      Effect.gen(function* () {
        const [failing, good] = yield* Effect.all([limited, answering(spoken)])
        const [a, b] = [at("a", failing.port, asked.protocol), at("b", good.port, spoken.protocol)]
        yield* through(
          { to: [a], fallback: [or(b)] },
          asked,
          Effect.gen(function* () {
            const answer = yield* callOf(asked)
            expect([answer.status, answer.headers["x-tollgate-upstream"]], answer.text).toEqual([200, "b"])
            expect(answer.text).toContain("word")
            expect(good.received.map((received) => modelIn(received, spoken))).toEqual(["big"])
            expect(yield* calls).toMatchObject([{ state: "settled", charged: costs.ofBig, upstream: "b" }])
          })
        )
      }).pipe(Effect.scoped)
    )
  }

  it.live("is asked for no more than its own model writes", () =>
    Effect.gen(function* () {
      const [failing, good] = yield* Effect.all([limited, answering(messages)])
      yield* through(
        { to: [at("a", failing.port, "openai")], fallback: [or(at("b", good.port, "anthropic"))] },
        chat,
        Effect.map(callOf(chat), () =>
          expect(good.received.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([{ max_tokens: 900 }])
        )
      )
    }).pipe(Effect.scoped)
  )

  it.live("and cannot express the request leaves what happened before, unless the route lets it drop that", () =>
    Effect.gen(function* () {
      const [failing, good] = yield* Effect.all([limited, answering(messages)])
      const target = or(at("b", good.port, "anthropic"))
      const answerOf = (fallback: Target) =>
        through(
          { to: [at("a", failing.port, "openai")], fallback: [fallback] },
          chat,
          callOf(chat, { frequency_penalty: 1 })
        )
      const refused = yield* answerOf(target)
      expect([refused.status, refused.headers["retry-after"], good.received.length]).toEqual([429, "9", 0])
      const dropped = yield* answerOf({ ...target, lossy: "drop" })
      expect([dropped.status, dropped.headers["x-tollgate-dropped"]]).toEqual([200, "frequency_penalty"])
    }).pipe(Effect.scoped)
  )
})
