import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { calls, priced } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ServerResponse } from "node:http"

// Upstreams that answer otherwise than their protocol says, behind callers of another one.

const provider = (port: number, protocol: string) => ({
  name: "upstream",
  baseUrl: `http://127.0.0.1:${port}`,
  protocol,
  headers: {},
  forwardedHeaders: [],
  deadlineMillis: 5_000,
  idleMillis: 5_000,
  answerBytes: 33_554_432,
  eventBytes: 1_048_576,
  connections: 16,
  private: true,
  breaker: false
})

interface Setup {
  readonly operation: string
  readonly protocol: string
  readonly lossy?: "refuse" | "skip" | "drop"
  readonly lacks?: ReadonlyArray<string>
  readonly answer: (res: ServerResponse, body: string) => void
}

const upstream = ({ answer, lacks, lossy, operation, protocol }: Setup) =>
  Effect.map(
    httpUpstream((res, { body }) => answer(res, body)),
    ({ port, received }) => ({
      received,
      host: Host.layerNode.pipe(
        Layer.provideMerge(
          TestGateway.layer({
            operations: priced,
            routes: [
              {
                operation,
                to: [
                  {
                    provider: { ...provider(port, protocol), ...(lacks === undefined ? {} : { lacks }) },
                    weight: 1,
                    ...(lossy === undefined ? {} : { lossy })
                  }
                ]
              }
            ]
          })
        )
      )
    })
  )

const json = (res: ServerResponse, body: object | string, status = 200) => {
  res.writeHead(status, { "content-type": "application/json" })
  res.end(typeof body === "string" ? body : JSON.stringify(body))
}

const events = (res: ServerResponse, all: ReadonlyArray<object | string>, end: (res: ServerResponse) => void) => {
  res.writeHead(200, { "content-type": "text/event-stream" })
  res.write(all.map((event) => (typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`)).join(""))
  end(res)
}

const chatBody = (more: object = {}) =>
  JSON.stringify({ model: "sandbox", messages: [{ role: "user", content: "Hi" }], ...more })
const askChat = (more: object = {}, headers = {}) =>
  ask("POST", "/v1/chat/completions", { authorization: `Bearer ${key}`, ...headers }, chatBody(more))

const messageBody = (more: object = {}) =>
  JSON.stringify({ model: "sandbox", max_tokens: 100, messages: [{ role: "user", content: "Hi" }], ...more })
const askMessages = (more: object = {}) => ask("POST", "/v1/messages", { "x-api-key": key }, messageBody(more))

const usage = { input_tokens: 10, output_tokens: 5 }
const message = (content: ReadonlyArray<object>, more: object = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "sandbox",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  usage,
  ...more
})
const started = { type: "message_start", message: message([], { stop_reason: null }) }
const opened = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }
const said = (text: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })

const test = <E>(
  name: string,
  setup: Setup,
  use: (received: ReadonlyArray<{ readonly body: string }>) => Effect.Effect<unknown, E, Host | TestGateway>
) =>
  it.live(name, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { host, received } = yield* upstream(setup)
        yield* Effect.provide(use(received), host)
      })
    )
  )

const ended = Effect.gen(function* () {
  for (;;) {
    const all = yield* calls
    if (all.every(({ state }) => state !== "open")) return all
    yield* Effect.sleep("5 millis")
  }
})

/** The finish reasons in a stream of chunks. */
const finishes = (text: string) => [...text.matchAll(/"finish_reason":"([a-z_]+)"/g)].map(([, reason]) => reason)

describe("a response by an upstream of messages", () => {
  const endings = {
    "an error in mid-stream":
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    "an event that is cut": 'data: {"type":"content_block_delta","ind'
  }
  for (const [name, last] of Object.entries(endings)) {
    test(
      `${name} ends it with the error of responses`,
      {
        operation: "responses",
        protocol: "anthropic",
        answer: (res) => events(res, [started, opened, said("Rivers"), last], (res) => res.end())
      },
      () =>
        Effect.gen(function* () {
          const body = JSON.stringify({ model: "sandbox", input: "Hi", stream: true })
          const { text } = yield* ask("POST", "/v1/responses", { authorization: `Bearer ${key}` }, body)
          const [error] = text.split("\n\n").filter((event) => event.startsWith("event: error\n"))
          const count = text.match(/"sequence_number"/g)?.length ?? 0
          expect(JSON.parse(error?.split("data: ")[1] ?? "{}")).toMatchObject({
            type: "error",
            code: last.includes("Overloaded") ? "overloaded_error" : "upstream_failed",
            param: null,
            sequence_number: count - 1
          })
          expect(text).not.toContain("response.completed")
          yield* ended
        })
    )
  }
})

describe("a chat completion by an upstream of messages", () => {
  const chat = (answer: Setup["answer"], lossy?: Setup["lossy"]): Setup => ({
    operation: "chat.completions",
    protocol: "anthropic",
    answer,
    ...(lossy === undefined ? {} : { lossy })
  })

  test(
    "a stream that ends between two events ends with an error, and never with a finish reason",
    chat((res) => events(res, [started, opened, said("Rivers")], (res) => res.end())),
    () =>
      Effect.gen(function* () {
        const { text } = yield* askChat({ stream: true })
        expect(text).toContain("Rivers")
        expect(finishes(text)).toEqual([])
        expect(text).not.toContain("[DONE]")
        expect(text).toContain('"error"')
        const [call] = yield* ended
        expect(call?.cost_state).toBe("estimated")
      })
  )

  test(
    "a stream that is cut inside an event ends with an error",
    chat((res) =>
      events(res, [started, opened, said("Rivers"), 'data: {"type":"content_block_delta","ind'], (res) =>
        res.socket?.end()
      )
    ),
    () =>
      Effect.gen(function* () {
        const { text } = yield* askChat({ stream: true })
        expect(text).toContain("Rivers")
        expect(finishes(text)).toEqual([])
        expect(text).toContain('"error"')
        yield* ended
      })
  )

  test(
    "an error in mid-stream is one of chat completions",
    chat((res) =>
      events(
        res,
        [
          started,
          opened,
          said("Rivers"),
          'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
        ],
        (res) => res.end()
      )
    ),
    () =>
      Effect.gen(function* () {
        const { text } = yield* askChat({ stream: true })
        expect(finishes(text)).toEqual([])
        expect(text).toContain('{"error":{"message":"Overloaded"')
        yield* ended
      })
  )

  test(
    "a part whose type is no text is refused, and nothing was executed",
    chat((res) => json(res, message([{ type: "text", text: "Hi" }]))),
    (received) =>
      Effect.gen(function* () {
        const odd = { messages: [{ role: "user", content: [{ type: { toString: 1 } }] }] }
        expect((yield* askChat(odd)).status).toBe(400)
        expect((yield* ended).map(({ state }) => state)).toEqual(["released"])
        expect(received).toEqual([])
      })
  )

  test(
    "a stream that changes to another protocol is an error",
    chat((res) =>
      events(
        res,
        [
          started,
          opened,
          said("Rivers"),
          { id: "x", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: "!" } }] },
          { id: "x", object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
          "data: [DONE]\n\n"
        ],
        (res) => res.end()
      )
    ),
    () =>
      Effect.gen(function* () {
        const { text } = yield* askChat({ stream: true })
        expect(finishes(text)).toEqual([])
        expect(text).toContain('"error"')
        yield* ended
      })
  )

  test(
    "a refusal of the upstream is told in the caller's shape, with the upstream's words",
    chat((res) =>
      json(res, { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } }, 400)
    ),
    () =>
      Effect.gen(function* () {
        const { status, text } = yield* askChat()
        expect(status).toBe(400)
        expect(JSON.parse(text)).toEqual({
          error: {
            message: "prompt is too long",
            type: "invalid_request_error",
            param: null,
            code: "invalid_request_error"
          }
        })
        const [call] = yield* ended
        expect(call?.charged).toBe(0)
      })
  )

  test(
    "an answer of another protocol is not delivered, and costs nothing",
    chat((res) => json(res, { id: "x", object: "chat.completion", choices: [] })),
    () =>
      Effect.gen(function* () {
        const { status, text } = yield* askChat()
        expect(status).toBe(502)
        expect(text).toContain("answer_not_metered")
        yield* ended
      })
  )

  test(
    "the digits of a tool's arguments stay",
    chat((res) =>
      json(
        res,
        JSON.stringify(
          message([{ type: "tool_use", id: "toolu_1", name: "look", input: { id: 0, price: 0 } }], {
            stop_reason: "tool_use"
          })
        ).replace('"id":0,"price":0', '"id":12345678901234567890,"price":0.10')
      )
    ),
    (received) =>
      Effect.gen(function* () {
        const call = {
          id: "call_1",
          type: "function",
          function: { name: "look", arguments: '{"id":98765432109876543210}' }
        }
        const { text } = yield* askChat({
          messages: [
            { role: "user", content: "Look" },
            { role: "assistant", content: null, tool_calls: [call] },
            { role: "tool", tool_call_id: "call_1", content: "none" }
          ],
          tools: [{ type: "function", function: { name: "look", parameters: { type: "object", maximum: 0 } } }]
        })
        expect(received[0]?.body).toContain('"input":{"id":98765432109876543210}')
        expect(text).toContain('{\\"id\\":12345678901234567890,\\"price\\":0.10}')
      })
  )

  test(
    "what only its own protocol has is dropped and named where the operator chose that",
    chat((res) => json(res, message([{ type: "text", text: "Hello" }])), "drop"),
    (received) =>
      Effect.gen(function* () {
        const { headers, status } = yield* askChat({
          seed: 7,
          logit_bias: { 50: 1 },
          user: "ada",
          metadata: { a: "b" }
        })
        expect(status).toBe(200)
        expect(headers["x-tollgate-dropped"]).toBe("seed, metadata, logit_bias")
        const sent = JSON.parse(received[0]?.body ?? "") as Record<string, unknown>
        expect(Object.keys(sent).toSorted()).toEqual(["max_tokens", "messages", "metadata", "model"])
        expect(sent["metadata"]).toEqual({ user_id: "ada" })
      })
  )

  test(
    "a thousand tools, and a caller's limit that stays the limit",
    chat((res) => json(res, message([{ type: "text", text: "Hello" }]))),
    (received) =>
      Effect.gen(function* () {
        const tools = Array.from({ length: 1_000 }, (_, i) => ({
          type: "function",
          function: { name: `tool_${i}`, parameters: { type: "object", properties: {} } }
        }))
        const { status } = yield* askChat({ tools, max_completion_tokens: 321, reasoning_effort: "high" })
        expect(status).toBe(200)
        const sent = JSON.parse(received[0]?.body ?? "") as { max_tokens: number; tools: Array<unknown> }
        expect(sent.max_tokens).toBe(321)
        expect(sent.tools).toHaveLength(1_000)
      })
  )

  test(
    "a malformed request is refused before anything is sent",
    chat((res) => json(res, message([]))),
    (received) =>
      Effect.gen(function* () {
        for (const messages of ["Hi", [7], [{ role: "user", content: [{ type: "text", text: 7 }] }]]) {
          const { status } = yield* askChat({ messages })
          expect(status).toBe(400)
        }
        expect(received).toEqual([])
      })
  )

  test(
    "the bound that a cap pays for is the upstream's limit",
    chat((res) => json(res, message([{ type: "text", text: "Hello" }]))),
    (received) =>
      Effect.gen(function* () {
        const { status } = yield* askChat({}, { "x-tollgate-max-price-usd": "0.01" })
        expect(status).toBe(200)
        const { max_tokens } = JSON.parse(received[0]?.body ?? "") as { max_tokens: number }
        // 17 USD per million tokens.
        expect(max_tokens).toBeGreaterThan(500)
        expect(max_tokens * 17).toBeLessThanOrEqual(10_000)
      })
  )
})

describe("a message by an upstream of chat completions", () => {
  const chunk = (delta: object, more: object = {}) => ({
    id: "c",
    object: "chat.completion.chunk",
    model: "sandbox",
    choices: [{ index: 0, delta, finish_reason: null, ...more }]
  })
  const messages = (answer: Setup["answer"], lossy?: Setup["lossy"]): Setup => ({
    operation: "messages",
    protocol: "openai",
    answer,
    ...(lossy === undefined ? {} : { lossy })
  })
  const call = (index: number, text: string, head: object = {}) => ({
    tool_calls: [{ index, ...head, function: { arguments: text, ...("id" in head ? { name: "look" } : {}) } }]
  })

  test(
    "parallel calls are blocks one after the other",
    messages((res) =>
      events(
        res,
        [
          chunk({ role: "assistant", content: "Let me look." }),
          chunk(call(0, '{"a"', { id: "c0", type: "function" })),
          chunk(call(0, ":1}")),
          chunk(call(1, '{"b":2}', { id: "c1", type: "function" })),
          chunk({}, { finish_reason: "tool_calls" }),
          { id: "c", object: "chat.completion.chunk", choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } },
          "data: [DONE]\n\n"
        ],
        (res) => res.end()
      )
    ),
    () =>
      Effect.gen(function* () {
        const { text } = yield* askMessages({ stream: true })
        const seen = [...text.matchAll(/^data: (.*)$/gm)].map(
          ([, data = ""]) => JSON.parse(data) as { type: string; index?: number }
        )
        expect(seen.map(({ index, type }) => (index === undefined ? type : `${type} ${index}`))).toEqual([
          "message_start",
          "content_block_start 0",
          "content_block_delta 0",
          "content_block_stop 0",
          "content_block_start 1",
          "content_block_delta 1",
          "content_block_delta 1",
          "content_block_stop 1",
          "content_block_start 2",
          "content_block_delta 2",
          "content_block_stop 2",
          "message_delta",
          "message_stop"
        ])
        expect(seen.at(-2)).toMatchObject({
          delta: { stop_reason: "tool_use" },
          usage: { input_tokens: 9, output_tokens: 4 }
        })
        const [row] = yield* ended
        expect([row?.input_tokens, row?.output_tokens]).toEqual([9, 4])
      })
  )

  test(
    "calls whose pieces are mixed come one after the other",
    messages((res) =>
      events(
        res,
        [
          chunk(call(0, '{"a"', { id: "c0", type: "function" })),
          chunk(call(1, '{"b"', { id: "c1", type: "function" })),
          chunk(call(0, ":1}")),
          chunk(call(1, ":2}")),
          chunk({}, { finish_reason: "tool_calls" }),
          "data: [DONE]\n\n"
        ],
        (res) => res.end()
      )
    ),
    () =>
      Effect.gen(function* () {
        const { text } = yield* askMessages({ stream: true })
        const inputs = [
          ...text.matchAll(/"index":(\d),"delta":\{"type":"input_json_delta","partial_json":("[^}]*\}?")\}/g)
        ]
        expect(inputs.map(([, index, json = ""]) => [index, JSON.parse(json)])).toEqual([
          ["0", '{"a"'],
          ["0", ":1}"],
          ["1", '{"b"'],
          ["1", ":2}"]
        ])
        expect(text).toContain("message_stop")
        yield* ended
      })
  )

  test(
    "cache marks are named, and the rest is asked",
    messages((res) =>
      json(res, {
        id: "c",
        object: "chat.completion",
        model: "sandbox",
        choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
      })
    ),
    (received) =>
      Effect.gen(function* () {
        const { headers, status } = yield* askMessages({
          system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }]
        })
        expect(status).toBe(200)
        expect(headers["x-tollgate-dropped"]).toBe("cache marks")
        const sent = JSON.parse(received[0]?.body ?? "") as { messages: ReadonlyArray<object> }
        expect(sent.messages[0]).toEqual({ role: "system", content: "Be brief." })
      })
  )
})

describe("a field of its own protocol that an upstream lacks", () => {
  const completion = {
    id: "c",
    object: "chat.completion",
    model: "sandbox",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
  }
  const lacking = (lossy: Setup["lossy"]): Setup => ({
    operation: "chat.completions",
    protocol: "openai",
    lacks: ["seed", "logit_bias"],
    ...(lossy === undefined ? {} : { lossy }),
    answer: (res) => json(res, completion)
  })

  test("is refused, and nothing is sent", lacking(undefined), (received) =>
    Effect.gen(function* () {
      const { status, text } = yield* askChat({ seed: 7 })
      expect(status).toBe(400)
      expect(text).toContain("seed")
      expect(received).toEqual([])
    })
  )

  test("is left out and named, and the rest is sent as it was written", lacking("drop"), (received) =>
    Effect.gen(function* () {
      const { headers, status } = yield* askChat({ seed: 7, temperature: 0.5 })
      expect(status).toBe(200)
      expect(headers["x-tollgate-dropped"]).toBe("seed")
      expect(received[0]?.body).toBe(chatBody({ temperature: 0.5 }))
      const plain = yield* askChat({ temperature: 0.5 })
      expect(plain.headers["x-tollgate-dropped"]).toBeUndefined()
    })
  )
})

describe("a block that never began", () => {
  test(
    "is an error, and no text is lost without a word",
    {
      operation: "chat.completions",
      protocol: "anthropic",
      answer: (res) =>
        events(
          res,
          [
            started,
            said("Rivers"),
            { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
            { type: "message_stop" }
          ],
          (res) => res.end()
        )
    },
    () =>
      Effect.gen(function* () {
        const { text } = yield* askChat({ stream: true })
        expect(finishes(text)).toEqual([])
        expect(text).toContain('"error"')
        yield* ended
      })
  )
})

describe("an upstream that ignores the limit and reports nothing", () => {
  const long = "river ".repeat(200_000)
  const isWithin = Effect.gen(function* () {
    const [call] = yield* ended
    expect([call?.state, call?.cost_state]).toEqual(["settled", "estimated"])
    expect(call?.output_tokens).toBe(4_096)
  })

  test(
    "is estimated within the limit that was sent",
    {
      operation: "chat.completions",
      protocol: "anthropic",
      answer: (res) => json(res, message([{ type: "text", text: long }], { usage: undefined }))
    },
    () => Effect.andThen(askChat(), isWithin)
  )

  test(
    "is estimated within it in a stream that breaks off",
    {
      operation: "chat.completions",
      protocol: "anthropic",
      answer: (res) =>
        events(res, [started, opened, ...Array.from({ length: 40 }, () => said("river ".repeat(5_000)))], (res) =>
          res.end()
        )
    },
    () => Effect.andThen(askChat({ stream: true }), isWithin)
  )
})

describe("an answer without a finish reason is one that stopped, whole and streamed", () => {
  const call = {
    tool_calls: [{ index: 0, id: "c0", type: "function", function: { name: "look", arguments: '{"a":1}' } }]
  }
  const given = { prompt_tokens: 9, completion_tokens: 4 }
  const asChat = (message: object) => (res: ServerResponse, body: string) => {
    const head = { id: "c", model: "sandbox" }
    if (!body.includes('"stream":true')) return json(res, { ...head, choices: [{ index: 0, message }], usage: given })
    const chunk = { ...head, choices: [{ index: 0, delta: message }], usage: given }
    events(res, [chunk, "data: [DONE]\n\n"], (res) => res.end())
  }
  const reasons = (text: string) =>
    [...text.matchAll(/"(?:stop_reason|finish_reason|status)":"([a-z_]+)"/g)].map(([, reason]) => reason)

  test(
    "a message",
    { operation: "messages", protocol: "openai", answer: asChat({ role: "assistant", content: "Hello" }) },
    () =>
      Effect.gen(function* () {
        expect(reasons((yield* askMessages()).text)).toEqual(["end_turn"])
        const { text } = yield* askMessages({ stream: true })
        expect(reasons(text)).toEqual(["end_turn"])
        expect(text).toContain("content_block_stop")
      })
  )

  test("a message with a call", { operation: "messages", protocol: "openai", answer: asChat(call) }, () =>
    Effect.gen(function* () {
      expect(reasons((yield* askMessages()).text)).toEqual(["tool_use"])
      expect(reasons((yield* askMessages({ stream: true })).text)).toEqual(["tool_use"])
    })
  )

  test(
    "a chat completion",
    {
      operation: "chat.completions",
      protocol: "anthropic",
      answer: (res, body) => {
        const whole = message([{ type: "text", text: "Hello" }], { stop_reason: null })
        if (!body.includes('"stream":true')) return json(res, whole)
        const report = { type: "message_delta", delta: {}, usage }
        events(res, [started, opened, said("Hello"), report, { type: "message_stop" }], (res) => res.end())
      }
    },
    () =>
      Effect.gen(function* () {
        expect(reasons((yield* askChat()).text)).toEqual(["stop"])
        expect(reasons((yield* askChat({ stream: true })).text)).toEqual(["stop"])
      })
  )
})
