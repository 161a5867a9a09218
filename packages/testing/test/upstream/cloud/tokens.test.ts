import { describe, expect, it } from "@effect/vitest"
import { Host, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { inCloud, json, secretIn, serviceAccountAt, tokenEndpoint } from "@tollgate/testing/cloud/standIns"
import { calls, priced, reservedTotal, streams } from "@tollgate/testing/models"
import { closedPort, httpUpstream, providerAt, type Received } from "@tollgate/testing/upstream"
import type { Cloud, SecretSource } from "@tollgate/gateway/upstream/Cloud"
import type { Provider } from "@tollgate/gateway/upstream/Provider"
import type { Route } from "@tollgate/gateway/upstream/Route"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { ServerResponse } from "node:http"

const place = "/v1/projects/acme/locations/europe-west1"

const generated = {
  candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Because." }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 }
}
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Because." }],
  stop_reason: "end_turn",
  usage: { input_tokens: 100, output_tokens: 10 }
}
const completion = {
  id: "c1",
  choices: [{ index: 0, message: { role: "assistant", content: "Because." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
}

/** 100 tokens at 3 USD and 10 at 17 USD per million. */
const charged = 470

/** A server that takes only tokens that were issued and not withdrawn. */
const guarded = (answer: (res: ServerResponse, received: Received) => void) =>
  Effect.gen(function* () {
    const endpoint = yield* tokenEndpoint
    const withdrawn = new Set<string>()
    const server = yield* httpUpstream((res, received) => {
      const token = received.headers.authorization ?? ""
      const [, n] = /^Bearer access-token-(\d+)$/.exec(token) ?? []
      if (n === undefined || Number(n) > endpoint.state.issued || withdrawn.has(token)) {
        return json(res, 401, { error: { code: 401, message: `bad ${token}`, status: "UNAUTHENTICATED" } })
      }
      return answer(res, received)
    })
    return { ...server, endpoint, withdrawn }
  })

const google = (secret: SecretSource): Cloud => ({
  kind: "google",
  project: "acme",
  location: "europe-west1",
  secret
})

const vertexAt = (port: number, tokenUri: string, protocol = "gemini", more: Partial<Provider> = {}) =>
  inCloud(port, protocol, google(secretIn(serviceAccountAt(tokenUri)).source), more)

const to = (operation: string, ...targets: ReadonlyArray<Provider | [Provider, string]>): Route => ({
  operation,
  model: "sandbox",
  to: targets.map((target, i) => {
    const [provider, model] = Array.isArray(target) ? target : [target, undefined]
    return { provider, weight: 1e6 ** -i, ...(model === undefined ? {} : { model }) }
  })
})

const through = <A, E>(routes: ReadonlyArray<Route>, effect: Effect.Effect<A, E, Host | TestGateway>) =>
  Effect.provide(effect, Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ routes, operations: priced }))))

const generate = ask(
  "POST",
  "/v1beta/models/sandbox:generateContent",
  streams.gemini.headers,
  '{"contents":[{"role":"user","parts":[{"text":"Why?"}]}], "n":12345678901234567890}'
)
const generateContent = "models.generate_content"

const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
    const value = yield* Effect.provide(effect, Logger.layer([logger]))
    return { value, log: JSON.stringify(lines) }
  })

describe("Vertex", () => {
  it.live("serves Gemini's protocol at its own path with a token of the service account", () =>
    Effect.gen(function* () {
      const server = yield* guarded((res) => json(res, 200, generated))
      yield* through(
        [to(generateContent, [vertexAt(server.port, server.endpoint.tokenUri), "gemini-x@001"])],
        Effect.gen(function* () {
          const answer = yield* generate
          expect([answer.status, answer.json()]).toEqual([200, generated])
          expect(yield* calls).toMatchObject([{ state: "settled", charged }])
        })
      )
      expect(server.endpoint.state.problems).toEqual([])
      const [received] = server.received
      expect(received?.url).toBe(`${place}/publishers/google/models/gemini-x@001:generateContent`)
      expect(received?.headers).not.toHaveProperty("x-goog-api-key")
      expect(received?.body).toBe('{"contents":[{"role":"user","parts":[{"text":"Why?"}]}], "n":12345678901234567890}')
    })
  )

  it.live("streams Gemini's protocol", () =>
    Effect.gen(function* () {
      const server = yield* guarded((res) =>
        res.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(generated)}\r\n\r\n`)
      )
      const { body, headers, path } = streams.gemini
      yield* through(
        [to("models.stream_generate_content", vertexAt(server.port, server.endpoint.tokenUri))],
        Effect.gen(function* () {
          expect((yield* ask("POST", path, headers, body("Why?"))).text).toContain("Because.")
          expect(yield* calls).toMatchObject([{ state: "settled", charged }])
        })
      )
      expect(server.received[0]?.url).toBe(`${place}/publishers/google/models/sandbox:streamGenerateContent?alt=sse`)
    })
  )

  it.live("serves Anthropic's protocol by rawPredict and streamRawPredict", () =>
    Effect.gen(function* () {
      const start = { type: "message_start", message: { ...message, content: [], stop_reason: null } }
      const events = [
        start,
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Because." } },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 10 } },
        { type: "message_stop" }
      ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      const server = yield* guarded((res, { url }) =>
        url.endsWith(":rawPredict")
          ? json(res, 200, message)
          : res.writeHead(200, { "content-type": "text/event-stream" }).end(events.join(""))
      )
      const { body, headers, path } = streams.anthropic
      yield* through(
        [to("messages", [vertexAt(server.port, server.endpoint.tokenUri, "anthropic"), "claude-x@20260101"])],
        Effect.gen(function* () {
          const beta = { ...headers, "anthropic-beta": "one-2026" }
          expect((yield* ask("POST", path, beta, body("Why?", { stream: false }))).status).toBe(200)
          expect((yield* ask("POST", `${path}?beta=true`, headers, body("Why?"))).text).toContain("message_stop")
          expect(yield* calls).toMatchObject([
            { state: "settled", charged },
            { state: "settled", charged }
          ])
          const counted = yield* ask("POST", `${path}/count_tokens`, headers, body("Why?", { stream: false }))
          expect([counted.status, counted.text]).toEqual([400, expect.stringContaining("does not offer")])
        })
      )
      const at = `${place}/publishers/anthropic/models/claude-x@20260101`
      expect(server.received.map(({ url }) => url)).toEqual([`${at}:rawPredict`, `${at}:streamRawPredict`])
      const [sent, streamed] = server.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
      expect([sent?.anthropic_version, "model" in (sent ?? {}), streamed?.stream]).toEqual([
        "vertex-2023-10-16",
        false,
        true
      ])
      expect(server.received[0]?.headers["anthropic-beta"]).toBe("one-2026")
      // One token for all calls.
      expect(server.endpoint.state.issued).toBe(1)
    })
  )

  it.live("serves OpenAI's protocol below endpoints/openapi", () =>
    Effect.gen(function* () {
      const server = yield* guarded((res) => json(res, 200, completion))
      const { body, headers, path } = streams.openai
      yield* through(
        [to("chat.completions", [vertexAt(server.port, server.endpoint.tokenUri, "openai"), "meta/llama-x"])],
        Effect.gen(function* () {
          expect((yield* ask("POST", path, headers, body("Why?", { stream: false }))).status).toBe(200)
          expect(yield* calls).toMatchObject([{ state: "settled", charged }])
        })
      )
      expect(server.received[0]?.url).toBe(`${place}/endpoints/openapi/chat/completions`)
      expect(server.received[0]?.body).toContain('"model":"meta/llama-x"')
    })
  )
})

describe("Entra's client credentials", () => {
  it.live("give the token for an upstream of OpenAI's protocol, at its own address", () =>
    Effect.gen(function* () {
      const server = yield* guarded((res) => json(res, 200, completion))
      const { file, source } = secretIn(server.endpoint.state.secret)
      const cloud: Cloud = {
        kind: "azure",
        tenant: "tenant-1",
        clientId: "client-1",
        secret: source,
        authority: `http://127.0.0.1:${server.endpoint.port}`,
        scope: "https://cognitiveservices.azure.com/.default"
      }
      const provider = inCloud(server.port, "openai", cloud, { baseUrl: `http://127.0.0.1:${server.port}/openai` })
      const { body, headers, path } = streams.openai
      const chat = ask("POST", path, headers, body("Why?", { stream: false }))
      yield* through(
        [to("chat.completions", provider)],
        Effect.gen(function* () {
          expect((yield* chat).status).toBe(200)
          // The secret was changed at Entra, the token withdrawn, and the file has the new one.
          server.withdrawn.add("Bearer access-token-1")
          server.endpoint.state.secret = file.text = "the-next-secret"
          expect((yield* chat).status).toBe(200)
        })
      )
      expect(server.endpoint.state.problems).toEqual([])
      expect(server.received.map(({ url }) => url)).toEqual(Array(3).fill("/openai/v1/chat/completions"))
    })
  )
})

describe("an access token", () => {
  it.live("is asked for once by calls that come together, and sent again once after 401", () =>
    Effect.gen(function* () {
      const server = yield* guarded((res) => json(res, 200, generated))
      yield* through(
        [to(generateContent, vertexAt(server.port, server.endpoint.tokenUri))],
        Effect.gen(function* () {
          const many = Effect.all(
            Array.from({ length: 10 }, () => generate),
            { concurrency: "unbounded" }
          )
          expect((yield* many).map(({ status }) => status)).toEqual(Array(10).fill(200))
          expect(server.endpoint.state.issued).toBe(1)
          server.withdrawn.add("Bearer access-token-1")
          expect((yield* many).map(({ status }) => status)).toEqual(Array(10).fill(200))
          expect(server.endpoint.state.issued).toBe(2)
          // It is refused whatever is sent: one call does not ask for tokens without end.
          server.withdrawn.add("Bearer access-token-2")
          const before = server.received.length
          const answer = yield* generate
          expect(answer.status).toBe(503)
          expect(answer.text).not.toContain("access-token")
          expect([server.received.length - before, server.endpoint.state.issued]).toEqual([1, 2])
          expect((yield* calls).reduce((sum, call) => sum + call.charged, 0)).toBe(20 * charged)
          expect(yield* reservedTotal).toBe(0)
        })
      )
    })
  )

  it.live("that ends in mid-stream ends nothing", () =>
    Effect.gen(function* () {
      const server = yield* guarded((res) => {
        const first = { ...generated, candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Be" }] } }] }
        res.writeHead(200, { "content-type": "text/event-stream" }).write(`data: ${JSON.stringify(first)}\n\n`)
        setTimeout(() => {
          server.withdrawn.add("Bearer access-token-1")
          res.end(`data: ${JSON.stringify(generated)}\n\n`)
        }, 300)
      })
      server.endpoint.state.lifetime = 0.2
      const { body, headers, path } = streams.gemini
      yield* through(
        [to("models.stream_generate_content", vertexAt(server.port, server.endpoint.tokenUri))],
        Effect.gen(function* () {
          expect((yield* ask("POST", path, headers, body("Why?"))).text).toContain('"STOP"')
          expect(yield* calls).toMatchObject([{ state: "settled", charged }])
          expect((yield* ask("POST", path, headers, body("Why?"))).text).toContain('"STOP"')
        })
      )
      expect(server.endpoint.state.issued).toBe(2)
    })
  )

  for (const [what, instead, status, text] of [
    ["is refused", (res: ServerResponse) => json(res, 400, { error: "invalid_grant" }), 503, "operator has to fix it"],
    ["is no JSON", (res: ServerResponse) => res.writeHead(200).end("<html>"), 503, "operator has to fix it"],
    ["has a line end in it", (res: ServerResponse) => json(res, 200, { access_token: "a\r\nb: c" }), 503, "fix it"],
    [
      "is a redirect",
      (res: ServerResponse) => res.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      503,
      "fix it"
    ],
    ["fails", (res: ServerResponse) => json(res, 500, {}), 503, "issues no access token"],
    ["is limited", (res: ServerResponse) => json(res, 429, {}), 503, "issues no access token"],
    [
      "is huge",
      (res: ServerResponse) => res.writeHead(200).end(Buffer.alloc(200_000, 0x20)),
      503,
      "issues no access token"
    ],
    ["breaks off", (res: ServerResponse) => res.destroy(), 503, "issues no access token"]
  ] as const) {
    it.live(`whose answer ${what}: nothing is sent or charged, and the next upstream is tried`, () =>
      Effect.gen(function* () {
        const server = yield* guarded((res) => json(res, 200, generated))
        server.endpoint.state.instead = instead
        const next = yield* httpUpstream((res) => json(res, 200, generated))
        const first = vertexAt(server.port, server.endpoint.tokenUri)
        const { log } = yield* logged(
          through(
            [to(generateContent, first)],
            Effect.gen(function* () {
              const answers = yield* Effect.all([generate, generate, generate], { concurrency: 3 })
              for (const answer of answers) {
                expect(answer.status).toBe(status)
                expect(answer.text).toContain("nothing was executed")
                expect(answer.text).toContain(text)
              }
              // Of three calls at a time only the first asks.
              expect(server.endpoint.received).toHaveLength(1)
              expect(yield* reservedTotal).toBe(0)
            })
          )
        )
        expect(log).toContain("no credential for an upstream in a cloud")
        expect(log).not.toMatch(/assertion|eyJ|PRIVATE/)
        const { baseUrl } = inCloud(next.port, "gemini", google(secretIn("").source))
        const { cloud: _, ...plain } = { ...first, name: "plain", baseUrl }
        const answer = yield* through([to(generateContent, first, plain)], generate)
        expect([answer.status, server.received.length, next.received.length]).toEqual([200, 0, 1])
      })
    )
  }

  it.live("whose endpoint cannot be reached, or whose key is no key: nothing is sent", () =>
    Effect.gen(function* () {
      const server = yield* guarded((res) => json(res, 200, generated))
      const away = `http://127.0.0.1:${yield* closedPort}/token`
      const unreached = yield* through([to(generateContent, vertexAt(server.port, away))], generate)
      expect([unreached.status, unreached.headers["retry-after"]]).toEqual([503, "1"])
      const noKey = serviceAccountAt(server.endpoint.tokenUri).replace(/-----BEGIN[^"]*/, "-----BEGIN NOTHING")
      const { log, value } = yield* logged(
        through([to(generateContent, inCloud(server.port, "gemini", google(secretIn(noKey).source)))], generate)
      )
      expect([value.status, log]).toEqual([503, expect.stringContaining("the key cannot sign")])
      expect(server.received).toHaveLength(0)
    })
  )

  it.live("goes to no private address unless the upstream is private", () =>
    Effect.gen(function* () {
      const server = yield* guarded((res) => json(res, 200, generated))
      const answer = yield* through(
        [to(generateContent, vertexAt(server.port, server.endpoint.tokenUri, "gemini", { private: false }))],
        generate
      )
      expect([answer.status, server.endpoint.received.length]).toEqual([503, 0])
    })
  )

  it.live("is redacted in an error that repeats it", () =>
    Effect.gen(function* () {
      const server = yield* guarded((res, { headers }) =>
        json(res, 400, {
          error: { code: 400, message: `not this: ${headers.authorization}`, status: "INVALID_ARGUMENT" }
        })
      )
      const answer = yield* through([to(generateContent, vertexAt(server.port, server.endpoint.tokenUri))], generate)
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("not this: Bearer [redacted]")])
    })
  )
})

describe("an upstream that lacks stream_options", () => {
  it.live("is not asked for the usage that it reports anyway", () =>
    Effect.gen(function* () {
      const chunk = { id: "c1", choices: [{ index: 0, delta: { content: "Because." }, finish_reason: "stop" }] }
      const server = yield* httpUpstream((res) =>
        res
          .writeHead(200, { "content-type": "text/event-stream" })
          .end(`data: ${JSON.stringify({ ...chunk, usage: completion.usage })}\n\ndata: [DONE]\n\n`)
      )
      const { body, headers, path } = streams.openai
      const provider = { ...providerAt(server.port), protocol: "openai" }
      const chat = ask("POST", path, headers, body("Why?"))
      for (const lacks of [[], ["stream_options"]]) {
        yield* through(
          [to("chat.completions", { ...provider, lacks })],
          Effect.gen(function* () {
            expect((yield* chat).text).toContain("Because.")
            expect(yield* calls).toMatchObject([{ state: "settled", charged }])
          })
        )
      }
      const sent = server.received.map(({ body }) => "stream_options" in (JSON.parse(body) as object))
      expect(sent).toEqual([true, false])
    })
  )
})

describe("another protocol, translated for Vertex", () => {
  it.live("is a call of generateContent at its own path", () =>
    Effect.gen(function* () {
      const server = yield* guarded((res) => json(res, 200, generated))
      const { body, headers, path } = streams.openai
      yield* through(
        [to("chat.completions", [vertexAt(server.port, server.endpoint.tokenUri), "gemini-x"])],
        Effect.gen(function* () {
          const answer = yield* ask("POST", path, headers, body("Why?", { stream: false }))
          expect([answer.status, answer.json()]).toMatchObject([
            200,
            { choices: [{ message: { content: "Because." } }] }
          ])
          expect(yield* calls).toMatchObject([{ state: "settled", charged }])
        })
      )
      expect(server.received[0]?.url).toBe(`${place}/publishers/google/models/gemini-x:generateContent`)
    })
  )
})
