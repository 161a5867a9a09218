import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { Host, key, TestGateway } from "@tollgate/testing"
import type { Provider } from "@tollgate/gateway/upstream/Provider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { request } from "node:http"
import type { Socket } from "node:net"
import { ask, question } from "@tollgate/testing/ask"
import { calls } from "@tollgate/testing/models"
import { closedPort, httpUpstream, providerAt, providerCredential, tcpUpstream } from "@tollgate/testing/upstream"

const bearer = { authorization: `Bearer ${key}` }
const stories = "reseller.social_b.user_stories"
const storiesPath = "/apis/v1/reseller/social_b/v2/fetch_user_stories"

/** Gemini's operations cost a flat amount here, because calls without a price are refused. */
const priced: ReadonlyArray<Operation> = operations.map((operation) =>
  operation.price.contract === "model_tokens"
    ? { ...operation, price: { contract: "per_request", amount: usd("0.001") } }
    : operation
)

const through = <A, E>(
  providers: Readonly<Record<string, Provider>>,
  effect: Effect.Effect<A, E, Host | TestGateway>,
  operations = priced
) => effect.pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ providers, operations })))))

const rerankThrough = (provider: Provider) => through({ rerank: provider }, ask("POST", "/v1/rerank", bearer, question))

const codeOf = (answer: { readonly json: () => unknown }): unknown =>
  (answer.json() as { readonly error: { readonly code: unknown } }).error.code

const raw = (head: string, body = "") => `HTTP/1.1 ${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** A TCP server that answers every request with the same bytes. */
const rawUpstream = (answer: string | Buffer) => tcpUpstream((socket) => socket.on("data", () => socket.write(answer)))

describe("an upstream that is unreachable or disconnects", () => {
  it.live("refuses the connection: 502 upstream_unreachable, 503 for managed operations", () =>
    Effect.gen(function* () {
      const provider = providerAt(yield* closedPort)
      const native = yield* rerankThrough(provider)
      expect([native.status, codeOf(native)]).toEqual([502, "upstream_unreachable"])
      const managed = yield* through({ [stories]: provider }, ask("GET", storiesPath, bearer))
      expect([managed.status, codeOf(managed)]).toEqual([503, "upstream_unreachable"])
      expect(native.text + managed.text).not.toContain(String(provider.baseUrl.split(":")[2]))
      expect(native.text + managed.text).not.toContain("ECONN")
    })
  )

  it.live("has an unknown host name: 502 upstream_unreachable, without the name", () =>
    Effect.gen(function* () {
      const answer = yield* rerankThrough({ ...providerAt(1), baseUrl: "http://internal-name.invalid" })
      expect([answer.status, codeOf(answer)]).toEqual([502, "upstream_unreachable"])
      expect(answer.text).not.toContain("internal-name")
    })
  )

  for (const [what, behave] of [
    ["closes before any byte", (socket: Socket) => socket.once("data", () => socket.end())],
    ["resets before any byte", (socket: Socket) => socket.once("data", () => socket.resetAndDestroy())],
    [
      "breaks off in its head",
      (socket: Socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Le"))
    ],
    [
      "breaks off in its body",
      (socket: Socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"))
    ],
    ["sends no HTTP", (socket: Socket) => socket.once("data", () => socket.end("220 mail.example ESMTP\r\n"))]
  ] as const) {
    it.live(`${what}: 502 upstream_failed, 503 for managed operations, after one attempt`, () =>
      Effect.gen(function* () {
        let connections = 0
        const { port } = yield* tcpUpstream((socket) => {
          connections++
          behave(socket)
        })
        const native = yield* rerankThrough(providerAt(port))
        expect([native.status, codeOf(native)]).toEqual([502, "upstream_failed"])
        expect(connections).toBe(1)
        const managed = yield* through({ [stories]: providerAt(port) }, ask("GET", storiesPath, bearer))
        expect([managed.status, codeOf(managed)]).toEqual([503, "upstream_failed"])
        expect(connections).toBe(2)
      })
    )
  }

  it.live("misses the deadline: upstream_timeout, before its head or in its body, and the connection is closed", () =>
    Effect.gen(function* () {
      for (const sent of ["", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"]) {
        let closed = 0
        const { port } = yield* tcpUpstream((socket) =>
          socket.on("close", () => closed++).once("data", () => socket.write(sent))
        )
        const answer = yield* rerankThrough(providerAt(port, 1_000))
        expect([answer.status, codeOf(answer)]).toEqual([502, "upstream_timeout"])
        yield* Effect.promise(() => expect.poll(() => closed).toBe(1))
      }
    })
  )
})

describe("what an upstream answers", () => {
  for (const status of [600, 999]) {
    it.live(`${status}, which is no status, is 502 upstream_failed, and whether it ran is not known`, () =>
      Effect.gen(function* () {
        const { port } = yield* rawUpstream(raw(`${status} Odd\r\nContent-Type: application/json`, '{"results":[]}'))
        yield* through(
          { rerank: providerAt(port) },
          Effect.gen(function* () {
            const answer = yield* ask("POST", "/v1/rerank", bearer, question)
            expect([answer.status, codeOf(answer)]).toEqual([502, "upstream_failed"])
            expect(answer.headers["x-should-retry"]).toBe("false")
            expect(yield* calls).toMatchObject([{ state: "unknown", charged: 0 }])
          })
        )
      })
    )
  }

  for (const [status, type, body] of [
    ["418 I'm a teapot", "text/plain; charset=koi8-r", "\u00c0\u00c1 no JSON"],
    ["400 Bad", "application/problem+json", `{"title" : "No",\n\t"n":1.0}`],
    ["500 Oops", "text/html", "<h1>Oops</h1>"],
    ["200 OK", "application/json;charset=UTF-8", `{"b":1,  "results":[], "big":12345678901234567890}`],
    ["203 Other", "application/json", `{"results": []}`],
    ["404 Gone", "application/x-weird", ""],
    ["409 Conflict", "application/json", `{"error":"theirs"}`],
    ["599 Odd", "application/json", "{"]
  ] as const) {
    it.live(`${status} keeps status, bytes and content type`, () =>
      Effect.gen(function* () {
        const { port } = yield* rawUpstream(Buffer.from(raw(`${status}\r\nContent-Type: ${type}`, body)))
        const answer = yield* rerankThrough(providerAt(port))
        expect([answer.status, answer.headers["content-type"], Buffer.from(answer.bytes).toString()]).toEqual([
          Number(status.slice(0, 3)),
          type,
          body
        ])
        expect(answer.headers["x-request-id"]).toMatch(/^req_/)
      })
    )
  }

  it.live("without a content type stays application/octet-stream: nothing is guessed", () =>
    Effect.gen(function* () {
      const { port } = yield* rawUpstream(raw("404 Not Found", "gone"))
      const answer = yield* rerankThrough(providerAt(port))
      expect([answer.status, answer.text]).toEqual([404, "gone"])
      expect(answer.headers["content-type"]).toBe("application/octet-stream")
    })
  )

  it.live("passes every byte value through, chunked or not", () =>
    Effect.gen(function* () {
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256))
      const { port } = yield* httpUpstream((res, { url }) => {
        res.writeHead(404, {
          "content-type": "image/png",
          ...(url.includes("chunked") ? {} : { "content-length": bytes.length })
        })
        if (!url.includes("chunked")) return void res.end(bytes)
        for (let i = 0; i < bytes.length; i += 9_999) res.write(bytes.subarray(i, i + 9_999))
        res.end()
      })
      for (const query of ["", "?chunked=1"]) {
        const answer = yield* through({ [stories]: providerAt(port) }, ask("GET", storiesPath + query, bearer))
        expect(Buffer.from(answer.bytes).equals(bytes)).toBe(true)
        expect(answer.headers["content-type"]).toBe("image/png")
      }
    })
  )

  it.live("redirects are neither followed nor shown", () =>
    Effect.gen(function* () {
      const { port: elsewhere, received } = yield* httpUpstream((res) => res.end("{}"))
      for (const status of [301, 302, 303, 307, 308]) {
        const { port } = yield* httpUpstream((res) =>
          res
            .writeHead(status, { location: `http://127.0.0.1:${elsewhere}/internal`, refresh: "0;url=/x" })
            .end("moved")
        )
        const answer = yield* rerankThrough(providerAt(port))
        expect([answer.status, codeOf(answer)]).toEqual([503, "upstream_misconfigured"])
        expect(answer.text + JSON.stringify(answer.headers)).not.toMatch(/location|internal|refresh|moved/)
        expect(answer.headers["x-tollgate-cost-micros-usd"]).toBeUndefined()
      }
      expect(received).toEqual([])
    })
  )

  it.live("only headers about the body are passed on", () =>
    Effect.gen(function* () {
      const { port } = yield* httpUpstream((res) =>
        res
          .writeHead(200, {
            "content-type": "application/json",
            "content-language": "de",
            etag: `"1"`,
            "set-cookie": ["session=theirs", "b=c"],
            server: "their-server/1",
            via: "1.1 their-proxy",
            "x-powered-by": "theirs",
            "x-request-id": "theirs",
            "x-ratelimit-remaining": "theirs",
            "x-tollgate-cost-micros-usd": "theirs",
            "x-tollgate-cost-state": "theirs",
            "access-control-allow-origin": "https://their.example",
            "access-control-allow-credentials": "true",
            "strict-transport-security": "theirs",
            "www-authenticate": "theirs",
            "retry-after": "97531",
            "keep-alive": "timeout=97531",
            "proxy-authenticate": "theirs",
            trailer: "x-theirs",
            upgrade: "theirs",
            connection: "x-hop",
            "x-hop": "theirs"
          })
          .end('{"results":[]}')
      )
      const answer = yield* rerankThrough(providerAt(port))
      expect(answer.headers).toMatchObject({
        "content-language": "de",
        etag: `"1"`,
        "x-request-id": expect.stringMatching(/^req_/)
      })
      expect(JSON.stringify(answer.headers)).not.toMatch(/theirs|their-|their\.|97531|x-hop|session/)
      expect(answer.headers).not.toHaveProperty("access-control-allow-credentials")
    })
  )

  it.live("links and file names are passed on, without the upstream's own address", () =>
    Effect.gen(function* () {
      const { port } = yield* httpUpstream((res) => {
        const own = `http://127.0.0.1:${port}`
        res
          .writeHead(201, {
            "content-type": "application/json",
            "content-disposition": `attachment; filename="a, b.txt"; filename*=UTF-8''%e2%82%ac.txt`,
            link: [
              `<${own}/v1/rerank?page=2&of=https%3A%2F%2Fx>; rel="next"`,
              `<${own.toUpperCase()}/v1/rerank>; rel=first`,
              `<//u:p@127.0.0.1:${port}/a>; rel=a`,
              `<${own}.example/>; rel=other`
            ],
            location: "https://files.example/7?a=1"
          })
          .end('{"results":[]}')
      })
      expect((yield* rerankThrough(providerAt(port))).headers).toMatchObject({
        "content-disposition": `attachment; filename="a, b.txt"; filename*=UTF-8''%e2%82%ac.txt`,
        link: `</v1/rerank?page=2&of=https%3A%2F%2Fx>; rel="next", </v1/rerank>; rel=first, </a>; rel=a, <http://127.0.0.1:${port}.example/>; rel=other`,
        location: "https://files.example/7?a=1"
      })
    })
  )

  it.live("a link that repeats the gateway's credential is left out, however it is escaped", () =>
    Effect.gen(function* () {
      const secret = providerCredential.replace("Bearer ", "")
      const escaped = [...secret].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("")
      const half = secret.replaceAll("-", "%2D")
      for (const key of [secret, secret.toUpperCase(), escaped, half, btoa(secret), encodeURIComponent(btoa(secret))]) {
        const { port } = yield* httpUpstream((res) =>
          res
            .writeHead(200, {
              "content-type": "application/json",
              link: `</v1/rerank?key=${key}&page=2>; rel=next`,
              location: `https://files.example/7?key=${key}`,
              "content-disposition": `attachment; filename="${key}"`
            })
            .end('{"results":[]}')
        )
        const { headers } = yield* rerankThrough(providerAt(port))
        expect([headers.link, headers.location, headers["content-disposition"]], key).toEqual([
          undefined,
          undefined,
          undefined
        ])
      }
    })
  )

  it.live("a refusal of the gateway's credential is 503 upstream_misconfigured, without its text", () =>
    Effect.gen(function* () {
      for (const status of [401, 403]) {
        const { port } = yield* httpUpstream((res) => res.writeHead(status).end(`key ${providerCredential} is blocked`))
        const answer = yield* rerankThrough(providerAt(port))
        expect([answer.status, codeOf(answer)]).toEqual([503, "upstream_misconfigured"])
        expect(answer.text).not.toContain("blocked")
      }
    })
  )
})

describe("what an upstream receives", () => {
  const callerSecrets = {
    authorization: `Bearer ${key}`,
    "x-api-key": "caller-x-api-key",
    "x-goog-api-key": "caller-x-goog",
    cookie: "caller=cookie",
    "proxy-authorization": "Basic caller-proxy",
    "x-forwarded-for": "203.0.113.77",
    "x-custom": "caller-custom",
    "x-tollgate-scenario": "html",
    te: "trailers",
    "accept-encoding": "gzip, br"
  }

  it.live("is the body and the gateway's credential, and nothing about the caller", () =>
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream((res) =>
        res.setHeader("content-type", "application/json").end("{}")
      )
      const body = `{ "query":"q",\n "documents":["a"], "big":12345678901234567890, "z":1.0 }`
      yield* through({ rerank: providerAt(port) }, ask("POST", "/v1/rerank", callerSecrets, body))
      expect(received).toHaveLength(1)
      const [got] = received
      expect(got).toMatchObject({ method: "POST", url: "/v1/rerank", body })
      expect(got?.headers.authorization).toBe(providerCredential)
      expect(Object.keys(got?.headers ?? {}).toSorted()).toEqual([
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "x-request-id"
      ])
      expect(got?.raw).not.toMatch(/caller|tg_|203\.0\.113/)
    })
  )

  it.live("is never the caller's key, even from the query", () =>
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream((res) =>
        res.writeHead(404, { "content-type": "application/json" }).end("{}")
      )
      const provider = providerAt(port)
      const path = "/v1beta/models/m:streamGenerateContent"
      yield* through(
        { "models.stream_generate_content": provider, rerank: provider, [stories]: provider },
        Effect.gen(function* () {
          expect((yield* ask("POST", `${path}?alt=sse&key=${key}`, {}, "{}")).status).toBe(404)
          expect((yield* ask("POST", `${path}?key=${key}&alt=sse&x=%20+y`, {}, "{}")).status).toBe(404)
          expect((yield* ask("POST", `${path}?k%65y=${key}`, {}, "{}")).status).toBe(404)
          expect((yield* ask("POST", `${path}?key=first&key=second`, bearer, "{}")).status).toBe(404)
          for (const hidden of [`/v1/rerank?key=${key}`, `/v1/rerank?api_key=tg%5F${key.slice(3)}`]) {
            expect((yield* ask("POST", hidden, bearer, question)).status).toBe(400)
          }
          expect((yield* ask("GET", `${storiesPath}?user=u&api_key=tg%5F${key.slice(3)}`, bearer)).status).toBe(400)
          expect((yield* ask("GET", `${storiesPath}?key=theirs&user=a%2Bb`, bearer)).status).toBe(404)
        })
      )
      expect(received.map(({ url }) => url)).toEqual([
        `${path}?alt=sse`,
        `${path}?alt=sse&x=%20+y`,
        path,
        path,
        `${storiesPath}?key=theirs&user=a%2Bb`
      ])
    })
  )

  it.live("has the upstream's base path", () =>
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream((res) => res.end("{}"))
      yield* rerankThrough({ ...providerAt(port), baseUrl: `http://127.0.0.1:${port}/behind/proxy` })
      expect(received[0]?.url).toBe("/behind/proxy/v1/rerank")
    })
  )

  it.live("is nothing when the gateway refused the request", () =>
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream((res) => res.end("{}"))
      yield* through(
        { rerank: providerAt(port) },
        Effect.gen(function* () {
          yield* ask("POST", "/v1/rerank", {}, question)
          yield* ask("POST", "/v1/rerank", bearer, "{}")
          yield* ask("POST", "/v1/rerank", { ...bearer, "x-tollgate-cost-mode": "quote" }, question)
          yield* ask("POST", "/v1/rerank", { ...bearer, "x-tollgate-max-price-usd": "x" }, question)
          yield* ask("GET", "/v1/rerank", bearer)
        })
      )
      expect(received).toEqual([])
    })
  )
})

/** A billed call is carried to its end instead. */
describe("a caller who leaves a free call", () => {
  const free: ReadonlyArray<Operation> = operations.map((operation) => ({ ...operation, price: { contract: "free" } }))

  it.live("closes the upstream's connection", () =>
    Effect.gen(function* () {
      let arrived = 0
      let closed = 0
      const { port } = yield* tcpUpstream((socket) =>
        socket.once("data", () => arrived++).once("close", () => closed++)
      )
      yield* through(
        { rerank: providerAt(port) },
        Effect.gen(function* () {
          const { baseUrl } = yield* Host
          const caller = request(`${baseUrl}/v1/rerank`, {
            method: "POST",
            headers: { ...bearer, "content-type": "application/json" }
          })
          caller.on("error", () => {}).end(question)
          yield* Effect.promise(() => expect.poll(() => arrived).toBe(1))
          expect(closed).toBe(0)
          caller.destroy()
          yield* Effect.promise(() => expect.poll(() => closed).toBeGreaterThan(0))
        }),
        free
      )
    })
  )

  it.live("by interruption closes it too", () =>
    Effect.gen(function* () {
      let closed = 0
      let arrived = 0
      const { port } = yield* tcpUpstream((socket) =>
        socket.once("data", () => arrived++).once("close", () => closed++)
      )
      yield* through(
        { rerank: providerAt(port) },
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(ask("POST", "/v1/rerank", bearer, question))
          yield* Effect.promise(() => expect.poll(() => arrived).toBe(1))
          yield* Fiber.interrupt(fiber)
          yield* Effect.promise(() => expect.poll(() => closed).toBeGreaterThan(0))
        }),
        free
      )
    })
  )
})
