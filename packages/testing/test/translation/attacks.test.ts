import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { calls, priced } from "@tollgate/testing/models"
import { httpUpstream, type Received } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { ServerResponse } from "node:http"

// Callers and upstreams that mean harm, on either side of a translation.

const secret = "sk-ant-operator-secret-0123456789"

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
  connections: 1,
  private: true,
  breaker: false,
  credential: { header: "x-api-key", value: Redacted.make(secret) }
})

interface Setup {
  readonly operation: string
  readonly protocol: string
  readonly path: string
  readonly answer: (res: ServerResponse, received: Received) => void
}

type Send = (body: object | string, headers?: Record<string, string>) => ReturnType<typeof ask>

const test = <E>(
  name: string,
  { answer, operation, path, protocol }: Setup,
  use: (send: Send, received: ReadonlyArray<Received>) => Effect.Effect<unknown, E, Host | TestGateway>
) =>
  it.live(name, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { port, received } = yield* httpUpstream(answer)
        const host = Host.layerNode.pipe(
          Layer.provideMerge(
            TestGateway.layer({
              operations: priced,
              routes: [{ operation, to: [{ provider: provider(port, protocol), weight: 1 }] }]
            })
          )
        )
        const send: Send = (body, headers) =>
          ask(
            "POST",
            path,
            { authorization: `Bearer ${key}`, ...headers },
            typeof body === "string" ? body : JSON.stringify(body)
          )
        yield* Effect.provide(use(send, received), host)
      })
    )
  )

const json = (res: ServerResponse, body: object | string, status = 200) => {
  res.writeHead(status, { "content-type": "application/json" })
  res.end(typeof body === "string" ? body : JSON.stringify(body))
}
const events = (
  res: ServerResponse,
  all: ReadonlyArray<{ readonly type: string; readonly [field: string]: unknown }>
) => {
  res.writeHead(200, { "content-type": "text/event-stream" })
  res.end(all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""))
}

const usage = { input_tokens: 10, output_tokens: 5 }
const head = { id: "msg_1", type: "message", role: "assistant", model: "sandbox", stop_sequence: null }
const hello = { ...head, content: [{ type: "text", text: "Hello" }], stop_reason: "end_turn", usage }
const started = { type: "message_start", message: { ...head, content: [], stop_reason: null, usage } }
const opened = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }
const said = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Rivers" } }
const closed = { type: "content_block_stop", index: 0 }
const finished = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } }
const stopped = { type: "message_stop" }

const chat = (answer: Setup["answer"]): Setup => ({
  operation: "chat.completions",
  protocol: "anthropic",
  path: "/v1/chat/completions",
  answer
})
const asking = (content: unknown, more: object = {}) => ({
  model: "sandbox",
  messages: [{ role: "user", content }],
  ...more
})

describe("a caller", () => {
  test(
    "whose words are names of every object is refused, and holds no connection",
    chat((res) => json(res, hello)),
    (send, received) =>
      Effect.gen(function* () {
        for (const word of ["constructor", "__proto__", "toString"]) {
          const { status } = yield* send(asking([{ type: "input_audio", input_audio: { data: "x", format: word } }]))
          expect(status).toBe(400)
        }
        expect(received).toEqual([])
        // The upstream takes one at a time.
        expect((yield* send(asking("Hi"))).status).toBe(200)
      })
  )

  test(
    "cannot keep its prompt for an hour where the price does not know of it",
    chat((res) => json(res, hello)),
    (send, received) =>
      Effect.gen(function* () {
        const hour = { cache_control: { type: "ephemeral", ttl: "1h" } }
        const tool = { type: "function", function: { name: "look" }, ...hour }
        for (const body of [asking([{ type: "text", text: "Hi", ...hour }]), asking("Hi", { tools: [tool] })]) {
          const { status, text } = yield* send(body)
          expect([status, text]).toEqual([400, expect.stringContaining("cache_control.ttl")])
        }
        expect(received).toEqual([])
      })
  )

  test(
    "cannot ask for nothing where nothing is no limit",
    {
      operation: "messages",
      protocol: "gemini",
      path: "/v1/messages",
      answer: (res) => json(res, { candidates: [] })
    },
    (send, received) =>
      Effect.gen(function* () {
        for (const limit of ["0", "0.0", "-0", "0e5"]) {
          const { status } = yield* send(JSON.stringify(asking("Hi")).replace("{", `{"max_tokens":${limit},`))
          expect(status).toBe(400)
        }
        expect(received).toEqual([])
      })
  )

  test(
    "learns nothing of how numbers are kept",
    chat((res) => json(res, hello)),
    (send) =>
      Effect.gen(function* () {
        const body = JSON.stringify(asking([{ type: 0 }])).replace('"type":0', '"type":12345678901234567890')
        const { json, status } = yield* send(body)
        expect(status).toBe(400)
        expect(json()).toMatchObject({ error: { param: "12345678901234567890" } })
      })
  )

  test(
    "of generateContent gets one answer, whatever its body says of streams",
    {
      operation: "models.generate_content",
      protocol: "anthropic",
      path: "/v1beta/models/sandbox:generateContent",
      answer: (res, { body }) =>
        body.includes('"stream":true')
          ? events(res, [started, opened, said, closed, finished, stopped])
          : json(res, hello)
    },
    (send) =>
      Effect.gen(function* () {
        const { json } = yield* send({ contents: [{ parts: [{ text: "Hi" }] }], stream: true })
        expect(json()).toMatchObject({ candidates: [{ content: { parts: [{ text: "Hello" }] } }] })
        const [call] = yield* calls
        expect([call?.cost_state, call?.input_tokens, call?.output_tokens]).toEqual(["settled", 10, 5])
      })
  )

  test(
    "of another protocol sends no header of its own but those of the upstream's protocol",
    chat((res) => json(res, hello)),
    (send, received) =>
      Effect.gen(function* () {
        yield* send(asking("Hi"), { cookie: "a=b", "openai-organization": "org", "x-goog-user-project": "p" })
        const headers: Record<string, unknown> = { ...received[0]?.headers }
        expect(headers["x-api-key"]).toBe(secret)
        expect(received[0]?.raw).not.toContain(key)
        for (const name of ["authorization", "cookie", "openai-organization", "x-goog-user-project"]) {
          expect(headers[name]).toBeUndefined()
        }
      })
  )
})

describe("an upstream", () => {
  test(
    "cannot show its credential in an error by writing it with escapes",
    chat((res) =>
      json(res, `{"type":"error","error":{"type":"x","message":"bad ${secret.replace("sk", "\\u0073k")}"}}`, 400)
    ),
    (send) =>
      Effect.gen(function* () {
        const { status, text } = yield* send(asking("Hi"))
        expect(status).toBe(400)
        expect(text).toContain("bad [redacted]")
      })
  )

  test(
    "that goes on after its finish reason does not finish twice",
    chat((res) => events(res, [started, opened, said, finished, said, closed, stopped])),
    (send) =>
      Effect.gen(function* () {
        const { text } = yield* send(asking("Hi", { stream: true }))
        expect(text.indexOf('"finish_reason":"stop"')).toBeGreaterThan(text.lastIndexOf("Rivers"))
        expect(text).toContain("[DONE]")
      })
  )

  test(
    "that breaks off between its finish reason and its usage has not finished",
    chat((res) => events(res, [started, opened, said, closed, { ...finished, usage: {} }])),
    (send) =>
      Effect.gen(function* () {
        const { text } = yield* send(asking("Hi", { stream: true }))
        expect(text).toContain("Rivers")
        expect(text).not.toContain('"finish_reason":"')
        expect(text).toContain('"error"')
      })
  )

  test(
    "that begins without a beginning still sends JSON",
    chat((res) => events(res, [opened, said, closed, finished, stopped])),
    (send) =>
      Effect.gen(function* () {
        const { text } = yield* send(asking("Hi", { stream: true }))
        const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as object)
        expect(chunks.length).toBeGreaterThan(1)
      })
  )

  test(
    "that signs one thought a thousand times sends it to the caller once",
    chat((res) =>
      events(res, [
        started,
        { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "x".repeat(100_000) } },
        ...Array.from({ length: 1_000 }, () => ({
          type: "content_block_delta",
          index: 0,
          delta: { type: "signature_delta", signature: "s" }
        })),
        closed,
        finished,
        stopped
      ])
    ),
    (send) =>
      Effect.gen(function* () {
        const { text } = yield* send(asking("Hi", { stream: true }))
        expect(text).toContain("[DONE]")
        expect(text.length).toBeLessThan(1_000_000)
      })
  )
})
