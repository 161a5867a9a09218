import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import {
  HttpClient,
  HttpClientRequest,
  type HttpClientResponse,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { NodeHttpClient } from "../src/index.ts"
import { eventually, serve, tcpServer } from "./net.ts"

const answer = (text: string, headers = "") =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n${headers}\r\n${text}`
const half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"
const url = (port: number, path = "/") => `http://127.0.0.1:${port}${path}`
const echo = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  return HttpServerResponse.text(
    `${request.method} ${request.url} ${request.headers["content-type"]} ${yield* request.text}`
  )
})

describe("requests", () => {
  it.live("sends method, query, headers and bytes, and reads text, JSON and headers", () =>
    Effect.gen(function* () {
      const client = yield* NodeHttpClient.make()
      const response = yield* client.post(url(yield* serve(echo), "/p"), {
        urlParams: { q: "1" },
        body: HttpClientRequest.bodyText(HttpClientRequest.get("/"), "söme", "text/x").body
      })
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers["content-type"], "text/plain")
      assert.strictEqual(yield* response.text, "POST /p?q=1 text/x söme")
      assert.strictEqual(Buffer.from(yield* response.arrayBuffer).toString(), "POST /p?q=1 text/x söme")
    })
  )

  it.live("sends a stream", () =>
    Effect.gen(function* () {
      const client = yield* NodeHttpClient.make()
      const body = Stream.make("one", "two").pipe(Stream.rechunk(1), Stream.encodeText)
      const request = HttpClientRequest.post(url(yield* serve(echo))).pipe(HttpClientRequest.bodyStream(body))
      assert.match(yield* (yield* client.execute(request)).text, /onetwo$/)
    })
  )

  it.live("sends a form with its boundary", () =>
    Effect.gen(function* () {
      const client = yield* NodeHttpClient.make()
      const form = new FormData()
      form.set("a", "1")
      const request = HttpClientRequest.post(url(yield* serve(echo))).pipe(HttpClientRequest.bodyFormData(form))
      const text = yield* (yield* client.execute(request)).text
      assert.match(text, /multipart\/form-data; boundary=[^]*name="a"\r\n\r\n1/)
    })
  )

  it.live("reuses the connection, whichever way the answer is read", () =>
    Effect.gen(function* () {
      let connections = 0
      const { port } = yield* tcpServer((socket) => {
        connections++
        socket.on("data", () => socket.write(answer("hello")))
      })
      const client = yield* NodeHttpClient.make({ connections: 1 })
      assert.strictEqual(yield* (yield* client.get(url(port))).text, "hello")
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText((yield* client.get(url(port))).stream)), "hello")
      assert.strictEqual((yield* (yield* client.get(url(port))).arrayBuffer).byteLength, 5)
      assert.strictEqual(connections, 1)
    })
  )

  it.live("a redirect is an answer, not an order", () =>
    Effect.gen(function* () {
      let requests = 0
      const { port } = yield* tcpServer((socket) =>
        socket.on("data", () => {
          requests++
          socket.write("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
        })
      )
      const response = yield* (yield* NodeHttpClient.make()).get(url(port))
      assert.strictEqual(response.status, 302)
      assert.strictEqual(response.headers["location"], "/elsewhere")
      assert.strictEqual(requests, 1)
    })
  )

  it.live(
    "a reader that stops holds the upstream back",
    () =>
      Effect.gen(function* () {
        const size = 64 * 1024 * 1024
        const { port, sockets } = yield* tcpServer((socket) =>
          socket.once("data", () => {
            socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`)
            socket.write(new Uint8Array(size))
          })
        )
        const go = yield* Deferred.make<void>()
        let read = 0
        const response = yield* (yield* NodeHttpClient.make()).get(url(port))
        const reading = yield* Effect.forkChild(
          Stream.runForEachArray(response.stream, (chunks) => {
            for (const chunk of chunks) read += chunk.byteLength
            return Deferred.await(go)
          })
        )
        yield* eventually(() => read > 0)
        yield* Effect.sleep(100)
        assert.isBelow(read, 1024 * 1024)
        for (const socket of sockets) assert.isAbove(socket.writableLength, size / 4)
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(reading)
        assert.strictEqual(read, size)
      }),
    20_000
  )
})

describe("failures say whether the request can have arrived", () => {
  const failing = (target: string, options?: NodeHttpClient.Options) =>
    Effect.gen(function* () {
      const client = yield* NodeHttpClient.make(options)
      const request = HttpClientRequest.post(target).pipe(HttpClientRequest.bodyText("pay"))
      return yield* Effect.flip(Effect.flatMap(client.execute(request), (response) => response.text))
    })

  it.live("connection refused: not sent", () =>
    Effect.gen(function* () {
      const { port, server } = yield* tcpServer(() => {})
      yield* Effect.promise(() => new Promise((done) => server.close(done)))
      const error = yield* failing(url(port))
      assert.strictEqual(error.reason._tag, "TransportError")
      assert.isTrue(NodeHttpClient.isNotSent(error))
    })
  )

  it.live("a name that does not resolve: not sent", () =>
    Effect.gen(function* () {
      assert.isTrue(NodeHttpClient.isNotSent(yield* failing("http://nowhere.invalid/")))
    })
  )

  it.live("no connection in time: not sent", () =>
    Effect.gen(function* () {
      // The time for connecting includes the TLS handshake, which this peer never answers.
      const { port } = yield* tcpServer((socket) => socket.resume())
      const error = yield* failing(`https://127.0.0.1:${port}/`, { connectTimeout: "100 millis" })
      assert.match(error.message, /Connect Timeout/)
      assert.isTrue(NodeHttpClient.isNotSent(error))
    })
  )

  it.live("TLS that fails: not sent", () =>
    Effect.gen(function* () {
      let received = ""
      const { port } = yield* tcpServer((socket) =>
        socket.on("data", (chunk) => {
          received += chunk.toString("latin1")
          socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")
        })
      )
      const error = yield* failing(`https://127.0.0.1:${port}/`)
      assert.isTrue(NodeHttpClient.isNotSent(error))
      assert.notInclude(received, "pay")
    })
  )

  it.live("a header that cannot be written, or no URL: not sent", () =>
    Effect.gen(function* () {
      const client = yield* NodeHttpClient.make()
      const { port } = yield* tcpServer(() => {})
      assert.isTrue(
        NodeHttpClient.isNotSent(yield* Effect.flip(client.get(url(port), { headers: { "x-bad": "a\nb" } })))
      )
      assert.isTrue(NodeHttpClient.isNotSent(yield* Effect.flip(client.get("no url"))))
    })
  )

  it.live("a reset after the request was read: may have been sent", () =>
    Effect.gen(function* () {
      const { port } = yield* tcpServer((socket) => socket.once("data", () => socket.resetAndDestroy()))
      const error = yield* failing(url(port))
      assert.strictEqual(error.reason._tag, "TransportError")
      assert.isFalse(NodeHttpClient.isNotSent(error))
    })
  )

  it.live("a reset of a kept connection: may have been sent, and is not sent again", () =>
    Effect.gen(function* () {
      let requests = 0
      const { port } = yield* tcpServer((socket) =>
        socket.on("data", () => (++requests === 1 ? socket.write(answer("ok")) : socket.resetAndDestroy()))
      )
      const client = yield* NodeHttpClient.make()
      const post = client.post(url(port))
      yield* Effect.flatMap(post, (response) => response.text)
      assert.isFalse(NodeHttpClient.isNotSent(yield* Effect.flip(post)))
      yield* Effect.sleep(50)
      assert.strictEqual(requests, 2)
    })
  )

  it.live("no answer in time: may have been sent", () =>
    Effect.gen(function* () {
      const { port } = yield* tcpServer((socket) => socket.resume())
      const error = yield* failing(url(port), { headersTimeout: "100 millis" })
      assert.match(error.message, /Headers Timeout/)
      assert.isFalse(NodeHttpClient.isNotSent(error))
    })
  )

  it.live("an answer that stops half way is an error, not a short answer", () =>
    Effect.gen(function* () {
      const { port } = yield* tcpServer((socket) =>
        socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"))
      )
      const error = yield* failing(url(port))
      assert.strictEqual(error.reason._tag, "DecodeError")
      assert.strictEqual(error.response?.status, 200)
      assert.isFalse(NodeHttpClient.isNotSent(error))
    })
  )

  it.live("an answer that stalls fails by the body's own timeout", () =>
    Effect.gen(function* () {
      const { port } = yield* tcpServer((socket) =>
        socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"))
      )
      const error = yield* failing(url(port), { bodyTimeout: "100 millis" })
      assert.strictEqual(error.reason._tag, "DecodeError")
      assert.isFalse(NodeHttpClient.isNotSent(error))
    })
  )
})

describe("tracing", () => {
  const headers = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    HttpServerResponse.jsonUnsafe(request.headers)
  )

  it.live("with a tracer a request has a span and says so to the upstream; interruption still closes", () =>
    Effect.gen(function* () {
      const names: Array<string> = []
      const tracer = Tracer.make({
        span: (options) => {
          names.push(options.name)
          return new Tracer.NativeSpan(options)
        }
      })
      const client = yield* NodeHttpClient.make()
      const sent = yield* client.get(url(yield* serve(headers))).pipe(
        Effect.flatMap((response) => response.json),
        Effect.withTracer(tracer)
      )
      assert.property(sent, "traceparent")
      assert.deepStrictEqual(names, ["GET"])
      const { port, sockets } = yield* tcpServer((socket) => socket.resume())
      const fiber = yield* Effect.forkChild(Effect.withTracer(client.get(url(port)), tracer))
      yield* eventually(() => sockets.size === 1)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* eventually(() => sockets.size === 0))
    })
  )

  it.live("with a tracer a request also ends with its scope", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* tcpServer((socket) => socket.once("data", () => socket.write(half)))
      const client = HttpClient.withScope(yield* NodeHttpClient.make())
      const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
      yield* Effect.scoped(client.get(url(port))).pipe(Effect.withTracer(tracer))
      assert.isTrue(yield* eventually(() => sockets.size === 0))
    })
  )

  it.live("without one nothing is added to the request", () =>
    Effect.gen(function* () {
      const client = yield* NodeHttpClient.make()
      const response = yield* client.get(url(yield* serve(headers)), { headers: { "x-own": "1" } })
      assert.deepStrictEqual(Object.keys(Object(yield* response.json)).sort(), ["connection", "host", "x-own"])
    })
  )
})

describe("interruption closes the connection to the upstream", () => {
  const interrupts = (
    onData: string,
    use: (request: Effect.Effect<HttpClientResponse.HttpClientResponse, unknown>) => Effect.Effect<unknown, unknown>
  ) =>
    Effect.gen(function* () {
      let asked = 0
      const { port, sockets } = yield* tcpServer((socket) =>
        socket.once("data", () => {
          asked++
          if (onData !== "") socket.write(onData)
        })
      )
      const client = yield* NodeHttpClient.make()
      const fiber = yield* Effect.forkChild(use(client.get(url(port))))
      yield* eventually(() => asked === 1)
      yield* Effect.sleep(20)
      assert.strictEqual(sockets.size, 1)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* eventually(() => sockets.size === 0))
    })
  it.live("while it waits for an answer", () => interrupts("", (request) => request))
  it.live("while it reads the whole answer", () =>
    interrupts(
      half,
      Effect.flatMap((response) => response.text)
    )
  )
  it.live("while it streams the answer", () =>
    interrupts(
      half,
      Effect.flatMap((r) => Stream.runDrain(r.stream))
    )
  )

  it.live("when a stream is left early", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* tcpServer((socket) => socket.once("data", () => socket.write(half)))
      const response = yield* (yield* NodeHttpClient.make()).get(url(port))
      yield* Stream.runHead(response.stream)
      assert.isTrue(yield* eventually(() => sockets.size === 0))
    })
  )

  it.live("while it waits for a connection: the request is never sent", () =>
    Effect.gen(function* () {
      let requests = ""
      const { port } = yield* tcpServer((socket) =>
        socket.on("data", (chunk) => {
          requests += chunk.toString()
        })
      )
      const client = yield* NodeHttpClient.make({ connections: 1 })
      const first = yield* Effect.forkChild(client.get(url(port, "/first")))
      yield* eventually(() => requests.includes("/first"))
      const queued = yield* Effect.forkChild(client.get(url(port, "/queued")))
      yield* Effect.sleep(20)
      yield* Fiber.interrupt(queued)
      yield* Fiber.interrupt(first)
      yield* Effect.sleep(50)
      assert.notInclude(requests, "/queued")
    })
  )

  it.live("when an answer is never read", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* tcpServer((socket) =>
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
          socket.write(new Uint8Array(10_000_000))
        })
      )
      const response = yield* (yield* NodeHttpClient.make({ bodyTimeout: "200 millis" })).get(url(port))
      assert.strictEqual(response.status, 200)
      assert.isTrue(yield* eventually(() => sockets.size === 0))
      assert.strictEqual((yield* Effect.flip(response.text)).reason._tag, "DecodeError")
    })
  )

  it.live("when the layer closes", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* tcpServer((socket) => socket.on("data", () => socket.write(answer("ok"))))
      yield* HttpClient.get(url(port)).pipe(
        Effect.flatMap((r) => r.text),
        Effect.provide(NodeHttpClient.layer())
      )
      assert.isTrue(yield* eventually(() => sockets.size === 0))
    })
  )
})
