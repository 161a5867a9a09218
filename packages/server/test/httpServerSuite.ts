import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { ServerRequest } from "../src/http/serverRequest.ts"
import { NodeHttpServer } from "../src/index.ts"
import { eventually, serveWith, statusLine, wire } from "./net.ts"

const { HttpServerRequest: CurrentRequest } = HttpServerRequest
/** Bounds only a failure, so it is long enough for a busy machine. */
const patience = "4 minutes"
const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
/** `node:http` reads it: a name is there twice. */
const doubled = "GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nX-A: 2\r\n\r\n"
const tunnel = "CONNECT b:80 HTTP/1.1\r\nHost: a\r\n\r\n"
const hello = Effect.succeed(HttpServerResponse.text("hello"))
const echo = Effect.gen(function* () {
  const request = yield* CurrentRequest
  const text = yield* request.text
  return HttpServerResponse.text(`${request.method} ${request.url} ${request.headers["x-name"] ?? "-"} ${text}`)
})
/** Answers 413 itself, like an application with its own error shape. */
const sized = Effect.flatMap(CurrentRequest, (request) => request.arrayBuffer).pipe(
  Effect.map((body) => HttpServerResponse.text(String(body.byteLength))),
  Effect.catchTag("HttpServerError", (error) =>
    error.cause instanceof NodeHttpServer.BodyTooLarge
      ? Effect.succeed(HttpServerResponse.text(`over ${error.cause.limit}`, { status: 413 }))
      : Effect.fail(error)
  )
)
const fetchText = (port: number, init?: RequestInit, path = "/") =>
  Effect.promise(async (signal) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal, ...init })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

/** What a user of the server sees, with the own reader in front of `node:http` or without. */
export const httpServerSuite = (fastReader: boolean): void => {
  const serve = serveWith({ fastReader })

  describe("requests and responses", () => {
    it.live("the application sees method, target, headers and body", () =>
      Effect.gen(function* () {
        const port = yield* serve(echo)
        const { text } = yield* fetchText(port, { method: "POST", body: "söme", headers: { "X-Name": "n" } }, "/a?b=c")
        assert.strictEqual(text, "POST /a?b=c n söme")
      })
    )

    it.live("the body can be read again as text, JSON and bytes", () =>
      Effect.gen(function* () {
        const port = yield* serve(
          Effect.gen(function* () {
            const request = yield* CurrentRequest
            const modified = request.modify({ url: "/other" })
            const bytes = yield* request.arrayBuffer
            const streamed = yield* Stream.runFold(
              modified.stream,
              () => 0,
              (n, chunk) => n + chunk.byteLength
            )
            return HttpServerResponse.jsonUnsafe([yield* request.text, yield* request.json, bytes.byteLength, streamed])
          })
        )
        const { text } = yield* fetchText(port, { method: "POST", body: "[1]" })
        assert.strictEqual(text, `["[1]",[1],3,3]`)
      })
    )

    it.live("a body that is not JSON: 400; a handler that fails: 500", () =>
      Effect.gen(function* () {
        const port = yield* serve(
          Effect.gen(function* () {
            const request = yield* CurrentRequest
            if (request.url === "/fail") return yield* Effect.fail("nope")
            return HttpServerResponse.jsonUnsafe(yield* request.json)
          })
        )
        assert.strictEqual((yield* fetchText(port, { method: "POST", body: "{" })).status, 400)
        assert.strictEqual((yield* fetchText(port, {}, "/fail")).status, 500)
      })
    )

    it.live("keeps the connection alive, also for pipelined requests", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(echo))
        client.send("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nxGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        yield* client.until((text) => text.includes("/2"))
        client.send("GET /3 HTTP/1.1\r\nHost: a\r\n\r\n")
        const text = yield* client.until((text) => text.includes("/3"))
        assert.isTrue(text.indexOf("POST /1 - x") < text.indexOf("GET /2") && text.includes("GET /3"))
      })
    )

    it.live("HEAD and 204 have no body", () =>
      Effect.gen(function* () {
        const client = yield* wire(
          yield* serve(
            Effect.map(CurrentRequest, ({ url }) =>
              url === "/204" ? HttpServerResponse.empty() : HttpServerResponse.text("hello")
            )
          )
        )
        client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET /204 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        const text = yield* client.end
        assert.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*content-length: 5\r\n[^]*\r\n\r\nHTTP\/1\.1 204/i)
        assert.isTrue(text.endsWith("\r\n\r\n"))
        assert.notInclude(text.slice(text.indexOf("204")).toLowerCase(), "content-length")
      })
    )

    it.live("a response header that cannot be written: 500, not a hanging connection", () =>
      Effect.gen(function* () {
        const port = yield* serve(Effect.succeed(HttpServerResponse.text("x", { headers: { "x-bad": "a\nb" } })))
        assert.strictEqual((yield* fetchText(port)).status, 500)
      })
    )

    it.live("a handler may write a response of node:http, and one that fails before it begins is a 500", () =>
      Effect.gen(function* () {
        const app = Effect.gen(function* () {
          const request = yield* CurrentRequest
          assert.instanceOf(request, ServerRequest)
          const req = Object.assign(new IncomingMessage(request.source.socket), {
            httpVersionMajor: 1,
            httpVersionMinor: 1
          })
          const res = request.nodeResponse(req)
          if (request.url === "/fail") return yield* Effect.die("nope")
          yield* Effect.promise(() => new Promise<void>((done) => void res.once("finish", done).end("of node")))
          return HttpServerResponse.empty()
        })
        const client = yield* wire(yield* serve(app))
        client.send(get)
        yield* client.until((text) => text.endsWith("of node"))
        client.send("GET /fail HTTP/1.1\r\nHost: a\r\n\r\n")
        const text = yield* client.until((text) => text.includes(" 500 "))
        assert.strictEqual(text.split("HTTP/1.1 ").length, 3)
      })
    )

    it.live("sets several cookies", () =>
      Effect.gen(function* () {
        const port = yield* serve(
          Effect.succeed(
            HttpServerResponse.text("x").pipe(
              HttpServerResponse.setCookieUnsafe("a", "1"),
              HttpServerResponse.setCookieUnsafe("b", "2")
            )
          )
        )
        assert.deepStrictEqual((yield* fetchText(port)).headers.getSetCookie(), ["a=1", "b=2"])
      })
    )
  })

  describe("streams", () => {
    it.live("echoes a stream while it is still being sent", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(Effect.map(CurrentRequest, (r) => HttpServerResponse.stream(r.stream))))
        client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\none\r\n")
        yield* client.until((text) => text.includes("one"))
        client.send("3\r\ntwo\r\n0\r\n\r\n")
        assert.match(yield* client.end, /one[^]*two\r\n0\r\n\r\n$/)
      })
    )

    it.live("sends the head before the first chunk is ready", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(Effect.succeed(HttpServerResponse.stream(Stream.never))))
        client.send(get)
        assert.strictEqual(statusLine(yield* client.until((text) => text.includes("\r\n\r\n"))), "HTTP/1.1 200 OK")
      })
    )

    for (const [what, request] of [
      ["", get.replace("Host", "Connection: close\r\nHost")],
      [", also before a CONNECT", doubled + tunnel]
    ] as const) {
      it.live(
        `backpressure: a reader that pauses slows the producer down, and gets everything once it resumes${what}`,
        () =>
          Effect.gen(function* () {
            const chunk = new Uint8Array(64 * 1024)
            const total = 1000
            let produced = 0
            const body = Stream.range(1, total).pipe(
              Stream.rechunk(1),
              Stream.map(() => (produced++, chunk))
            )
            const client = yield* wire(yield* serve(Effect.succeed(HttpServerResponse.stream(body))))
            client.socket.pause()
            client.send(request)
            yield* eventually(() => produced > 0)
            let before = -1
            yield* eventually(() => produced === before || ((before = produced), false))
            yield* Effect.sleep(100)
            const held = produced
            assert.isBelow(held, total)
            client.socket.resume()
            const text = yield* client.end
            assert.strictEqual(produced, total)
            assert.isAbove(text.length, total * chunk.length)
          })
      )
    }

    it.live("backpressure: a handler that does not read slows the sender down", () =>
      Effect.gen(function* () {
        const go = yield* Deferred.make<void>()
        let read = 0
        const client = yield* wire(
          yield* serve(
            Effect.gen(function* () {
              const request = yield* CurrentRequest
              yield* Stream.runForEachArray(request.stream, (chunks) => {
                for (const chunk of chunks) read += chunk.byteLength
                return Deferred.await(go)
              })
              return HttpServerResponse.text(`read ${read}`)
            }),
            { maxBodyBytes: 1e9 }
          )
        )
        const size = 64 * 1024 * 1024
        client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\nConnection: close\r\n\r\n`)
        client.socket.write(new Uint8Array(size))
        yield* eventually(() => read > 0)
        yield* Effect.sleep(100)
        assert.isBelow(read, 1024 * 1024)
        assert.isAbove(client.socket.writableLength, size / 4)
        yield* Deferred.succeed(go, undefined)
        assert.include(yield* client.end, `read ${size}`)
      })
    )

    it.live("a stream that fails closes the connection, so the reader sees that the body is incomplete", () =>
      Effect.gen(function* () {
        const body = Stream.concat(Stream.make(new TextEncoder().encode("part")), Stream.fail("broken"))
        const client = yield* wire(yield* serve(Effect.succeed(HttpServerResponse.stream(body))))
        client.send(get)
        const text = yield* client.end
        assert.include(text, "part")
        assert.notInclude(text, "0\r\n\r\n")
      })
    )
  })

  describe("the client disconnects", () => {
    const leaves = (then: (handled: Deferred.Deferred<void>) => Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        const left = yield* Deferred.make<boolean>()
        const app = then(reached).pipe(
          Effect.onExit((exit) =>
            Exit.isFailure(exit)
              ? Deferred.succeed(
                  left,
                  exit.cause.reasons.some(
                    (r) => r._tag === "Interrupt" && r.annotations.has(HttpServerError.ClientAbort.key)
                  )
                )
              : Effect.void
          )
        )
        const client = yield* wire(yield* serve(app))
        client.send(get)
        yield* Deferred.await(reached)
        client.socket.destroy()
        return yield* Deferred.await(left).pipe(Effect.timeout(patience))
      })

    it.live("the handler is interrupted, with the client as the reason", () =>
      Effect.gen(function* () {
        assert.isTrue(yield* leaves((reached) => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)))
      })
    )

    it.live("the response stream ends and its resources are released", () =>
      Effect.gen(function* () {
        const closed = yield* Deferred.make<void>()
        const app = Effect.gen(function* () {
          yield* Effect.addFinalizer(() => Deferred.succeed(closed, undefined))
          return HttpServerResponse.stream(Stream.concat(Stream.make(new Uint8Array(1)), Stream.never))
        })
        const client = yield* wire(yield* serve(app))
        client.send(get)
        yield* client.until((text) => text.includes("\r\n\r\n"))
        client.socket.destroy()
        yield* Deferred.await(closed).pipe(Effect.timeout(patience))
      })
    )

    for (const [what, send, count] of [
      // The own reader has them answered one after the other.
      ["a pipelined request that is still waiting is interrupted", get + get, fastReader ? 1 : 2],
      ["requests before a CONNECT are interrupted", doubled + doubled + tunnel, 2]
    ] as const) {
      it.live(what, () =>
        Effect.gen(function* () {
          let running = 0
          const app = Effect.acquireUseRelease(
            Effect.sync(() => running++),
            () => Effect.never,
            () => Effect.sync(() => running--)
          )
          const client = yield* wire(yield* serve(app))
          client.send(send)
          assert.isTrue(yield* eventually(() => running === count))
          if (send === get + get) client.socket.destroy()
          else client.socket.resetAndDestroy()
          assert.isTrue(yield* eventually(() => running === 0))
        })
      )
    }

    it.live("a reset at any time ends nothing but its connection", () =>
      Effect.gen(function* () {
        const accepted: Array<Socket> = []
        let unwatched = 0
        const onAccept = (message: unknown) => {
          const { socket } = message as { readonly socket: Socket }
          accepted.push(socket)
          const look = () => void (socket.closed || socket.listenerCount("error") > 0 || unwatched++)
          socket.on("removeListener", look)
          look()
        }
        subscribe("net.server.socket", onAccept)
        yield* Effect.addFinalizer(() => Effect.sync(() => unsubscribe("net.server.socket", onAccept)))
        const port = yield* serve(hello, { headersTimeout: "50 millis", requestTimeout: "50 millis" })
        const post = "POST / HTTP/1.1\r\nHost: a\r\n"
        const sent = [
          "",
          get.slice(0, 9),
          doubled.slice(0, -2),
          `${post}Content-Length: 9\r\n\r\nx`,
          `${post}Content-Length: 99999\r\n\r\nx`,
          `${post}Content-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
          `${post}Transfer-Encoding: chunked\r\n\r\n9\r\nx`,
          "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
          ...["", get.slice(0, 9), "garbage\r\n\r\n", tunnel].flatMap((end) => [
            end,
            get + end,
            get.repeat(30) + end,
            doubled.repeat(30) + end
          ])
        ]
        for (const text of sent) {
          for (const stage of ["sent", "read", "answered"] as const) {
            const client = yield* wire(port)
            assert.isTrue(
              yield* eventually(() => accepted.some(({ remotePort }) => remotePort === client.socket.localPort))
            )
            const ours = accepted.find(({ remotePort }) => remotePort === client.socket.localPort)!
            client.send(text)
            if (stage === "read") yield* eventually(() => ours.bytesRead >= text.length || ours.closed)
            if (stage === "answered") yield* client.until((answer) => answer !== "")
            client.socket.resetAndDestroy()
            assert.isTrue(yield* eventually(() => ours.closed), JSON.stringify([text, stage]))
          }
        }
        assert.strictEqual(unwatched, 0)
        assert.strictEqual((yield* fetchText(port)).status, 200)
      })
    )

    for (const [what, request] of [
      ["", get],
      [", also before a CONNECT", doubled + tunnel]
    ] as const) {
      it.live(`a client that stops reading is disconnected, one that waits for a slow response is not${what}`, () =>
        Effect.gen(function* () {
          const cut = yield* Deferred.make<void>()
          const endless = Stream.forever(Stream.make(new Uint8Array(65536))).pipe(
            Stream.ensuring(Deferred.succeed(cut, undefined))
          )
          const app = Effect.flatMap(CurrentRequest, ({ url }) =>
            url === "/slow" ? Effect.delay(hello, "400 millis") : Effect.succeed(HttpServerResponse.stream(endless))
          )
          const port = yield* serve(app, { idleTimeout: "150 millis" })
          const slow = yield* wire(port)
          slow.send("GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
          const stuck = yield* wire(port)
          stuck.socket.pause()
          stuck.send(request)
          assert.include(yield* slow.end, "hello")
          yield* Deferred.await(cut).pipe(Effect.timeout(patience))
          stuck.socket.resume()
          yield* stuck.end.pipe(Effect.timeout(patience))
        })
      )
    }
  })

  describe("chunked encoding", () => {
    const pieces = ["a", "", "\u00fc\u20ac", "x".repeat(20_000), "z"]
    const streamed = Effect.succeed(
      HttpServerResponse.stream(Stream.fromIterable(pieces.map((piece) => new TextEncoder().encode(piece))))
    )
    const latin1 = (text: string) => Buffer.from(text).toString("latin1")

    it.live("each piece is one chunk, whatever its size; an empty one is none", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(streamed))
        client.send(get)
        const text = yield* client.until((text) => text.endsWith("0\r\n\r\n"))
        const frames = ["a", latin1("\u00fc\u20ac"), "x".repeat(20_000), "z", ""].map(
          (piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`
        )
        assert.strictEqual(text.slice(text.indexOf("\r\n\r\n") + 4), frames.join(""))
        assert.match(text, /^transfer-encoding: chunked\r$/im)
        client.send(get)
        const again = yield* client.until((all) => all.length >= text.length * 2)
        assert.strictEqual(again.slice(text.length).split("HTTP/1.1 200").length - 1, 1)
      })
    )

    it.live("an HTTP/1.0 client gets the bytes without chunks, then the end of the connection", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(streamed))
        client.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
        const text = yield* client.end
        assert.strictEqual(text.slice(text.indexOf("\r\n\r\n") + 4), latin1(pieces.join("")))
      })
    )
  })

  describe("limits", () => {
    it.live("a declared body over the limit is refused unread, and the response arrives", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(sized, { maxBodyBytes: 1000 }))
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n")
        client.send(new Uint8Array(5_000_000))
        const text = yield* client.end
        assert.strictEqual(statusLine(text), "HTTP/1.1 413 Payload Too Large")
        assert.match(text, /connection: close/i)
        assert.isTrue(text.endsWith("over 1000"))
      })
    )

    it.live("a chunked body over the limit is refused while it is read", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(sized, { maxBodyBytes: 1000 }))
        client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for (let i = 0; i < 50; i++) client.send(`1000\r\n${"x".repeat(4096)}\r\n`)
        const text = yield* client.end
        assert.strictEqual(statusLine(text), "HTTP/1.1 413 Payload Too Large")
        assert.isTrue(text.endsWith("over 1000"))
      })
    )

    it.live("a body over the limit is 413 by default; a body at the limit passes", () =>
      Effect.gen(function* () {
        const port = yield* serve(echo, { maxBodyBytes: 1000 })
        assert.strictEqual((yield* fetchText(port, { method: "POST", body: "x".repeat(1001) })).status, 413)
        assert.strictEqual((yield* fetchText(port, { method: "POST", body: "x".repeat(1000) })).status, 200)
      })
    )

    it.live("an early response to a large upload arrives", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(Effect.succeed(HttpServerResponse.text("who?", { status: 401 }))))
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n")
        client.send(new Uint8Array(5_000_000))
        assert.match(yield* client.end, /^HTTP\/1\.1 401 [^]*connection: close[^]*who\?$/i)
      })
    )

    it.live("an early response to a small upload keeps the connection", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(hello))
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        yield* client.until((text) => text.endsWith("hello"))
        client.send(get)
        const text = yield* client.until((text) => text.split("hello").length === 3)
        assert.strictEqual(text.split("HTTP/1.1 200 OK").length, 3)
      })
    )

    it.live("too many bytes of headers: 431", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(hello, { maxHeaderBytes: 2048 }))
        client.send(`GET / HTTP/1.1\r\nHost: a\r\nX-Big: ${"x".repeat(100_000)}\r\n\r\n`)
        assert.strictEqual(statusLine(yield* client.end), "HTTP/1.1 431 Request Header Fields Too Large")
      })
    )

    it.live("too many headers: 431, none is dropped silently", () =>
      Effect.gen(function* () {
        // Node's parser hands headers over 32 at a time.
        const port = yield* serve(hello, { maxHeaderCount: 32 })
        const ask = Effect.fnUntraced(function* (count: number) {
          const client = yield* wire(port)
          const extra = Array.from({ length: count - 2 }, (_, i) => `X-${i}: 1\r\n`).join("")
          client.send(`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${extra}\r\n`)
          return statusLine(yield* client.end)
        })
        assert.strictEqual(yield* ask(33), "HTTP/1.1 431 Request Header Fields Too Large")
        assert.strictEqual(yield* ask(32), "HTTP/1.1 200 OK")
      })
    )

    /** Sends a part of a request to a server with `options`, and waits for its answer. One with the defaults, asked earlier, still waits then. */
    const answerBeforeDefault = Effect.fnUntraced(function* (
      part: string,
      app: Parameters<typeof serve>[0],
      options: Partial<NodeHttpServer.Options>
    ) {
      const usual = yield* wire(yield* serve(hello))
      usual.send(part)
      const port = yield* serve(app, options)
      // A server looks at its connections at times counted from its start: this keeps the other one ahead.
      yield* Effect.sleep(50)
      const client = yield* wire(port)
      client.send(part)
      const text = yield* client.end
      assert.isFalse(usual.socket.closed)
      return statusLine(text)
    })

    it.live("slow headers: 408 after the configured time, not after the default of 10 seconds", () =>
      Effect.gen(function* () {
        const part = "GET / HTTP/1.1\r\nHost: a\r\n"
        const answer = yield* answerBeforeDefault(part, hello, { headersTimeout: "200 millis" })
        assert.strictEqual(answer, "HTTP/1.1 408 Request Timeout")
      })
    )

    it.live(
      "slow body: 408 after the configured time, not after the default of a minute, and the handler is interrupted",
      () =>
        Effect.gen(function* () {
          const interrupted = yield* Deferred.make<void>()
          const app = Effect.onInterrupt(echo, () => Deferred.succeed(interrupted, undefined))
          const part = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc"
          const answer = yield* answerBeforeDefault(part, app, { requestTimeout: "300 millis" })
          assert.strictEqual(answer, "HTTP/1.1 408 Request Timeout")
          yield* Deferred.await(interrupted).pipe(Effect.timeout(patience))
        })
    )

    it.live("timeouts may be fractions, odd numbers or infinite", () =>
      Effect.gen(function* () {
        for (const time of [1001.5, 1333, Infinity]) {
          const port = yield* serve(hello, {
            headersTimeout: time,
            requestTimeout: time,
            keepAliveTimeout: time,
            idleTimeout: time
          })
          assert.strictEqual((yield* fetchText(port)).text, "hello")
        }
      })
    )

    it.live("a client that reads slowly or keeps sending requests is not disconnected", () =>
      Effect.gen(function* () {
        const size = 24 * 1024 * 1024
        const whole = HttpServerResponse.uint8Array(new Uint8Array(size))
        const inPieces = HttpServerResponse.stream(
          Stream.fromIterable(Array.from({ length: size / 65_536 }, () => new Uint8Array(65_536)))
        )
        const app = Effect.flatMap(CurrentRequest, ({ url }) =>
          url === "/" ? hello : Effect.succeed(url === "/whole" ? whole : inPieces)
        )
        const port = yield* serve(app, { idleTimeout: "2 seconds", keepAliveTimeout: "2 seconds" })
        const readers = [yield* wire(port), yield* wire(port)]
        const asker = yield* wire(port)
        for (const [i, url] of ["/whole", "/pieces"].entries()) {
          readers[i]?.send(`GET ${url} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
        }
        // Longer in all than any of the timeouts; never as long without a byte.
        for (let turn = 0; turn < 12; turn++) {
          for (const { socket } of readers) socket.pause()
          asker.send(get)
          yield* Effect.sleep(200)
          for (const { socket } of readers) socket.resume()
          yield* Effect.sleep(1)
        }
        for (const reader of readers) assert.isAbove((yield* reader.end).length, size)
        assert.strictEqual(asker.received().split("hello").length - 1, 12)
      })
    )

    it.live("the Keep-Alive header tells how long an idle connection is kept", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(hello, { keepAliveTimeout: "7 seconds" }))
        client.send(get)
        assert.match(yield* client.until((text) => text.endsWith("hello")), /^keep-alive: timeout=7\b/im)
      })
    )

    it.live("the last answer of a connection says so", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(hello, { maxRequestsPerConnection: 2 }))
        client.send(get)
        assert.notInclude(yield* client.until((text) => text.endsWith("hello")), "Connection: close")
        client.send(get)
        yield* client.until((text) => /Connection: close[^]*hello$/.test(text))
        // `node:http` leaves the closing to the client.
        if (fastReader) yield* client.end.pipe(Effect.timeout(patience))
      })
    )

    it.live("an idle connection is closed after the keep-alive timeout", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(hello, { keepAliveTimeout: "100 millis" }))
        client.send(get)
        assert.include(yield* client.end.pipe(Effect.timeout(patience)), "hello")
      })
    )
  })

  describe("malformed requests", () => {
    const cases: Record<string, readonly [request: string, status: number]> = {
      "two Host headers": ["GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n", 400],
      "no Host header": ["GET / HTTP/1.1\r\n\r\n", 400],
      "an absolute target": ["GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", 400],
      "an authority target": ["GET b:80 HTTP/1.1\r\nHost: a\r\n\r\n", 400],
      CONNECT: [tunnel, 405],
      "not HTTP": ["hello there\r\n\r\n", 400],
      "two lengths": ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400],
      "a length and chunks": [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        400
      ],
      "two credentials": ["GET / HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nauthorization: b\r\n\r\n", 400],
      "a coding that is not supported": [
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        501
      ],
      "chunks in HTTP/1.0": ["POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400],
      "HTTP/2.0 in the request line": ["GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505],
      "HTTP/0.9": ["GET /\r\n\r\n", 505],
      "an invalid chunk size": ["POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400]
    }
    for (const [name, [request, status]] of Object.entries(cases)) {
      it.live(`${name}: ${status}, the connection closes, and the application is not called`, () =>
        Effect.gen(function* () {
          let answered = 0
          const app = Effect.tap(echo, () => Effect.sync(() => answered++))
          const client = yield* wire(yield* serve(app))
          client.send(request + get)
          const text = yield* client.end
          assert.strictEqual(Number(text.slice(9, 12)), status)
          assert.strictEqual(text.split("HTTP/1.1").length, 2)
          assert.strictEqual(answered, 0)
        })
      )
    }

    for (const [name, rest] of [
      ["garbage", "hello there\r\n\r\n"],
      ["CONNECT", tunnel],
      ["a refused request", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
      ["half a request", "GET / HT"]
    ] as const) {
      it.live(`${name} after a request in progress is answered after that request`, () =>
        Effect.gen(function* () {
          let answered = 0
          const app = Effect.delay(hello, "200 millis").pipe(Effect.tap(() => Effect.sync(() => answered++)))
          const client = yield* wire(yield* serve(app, { headersTimeout: "50 millis" }))
          client.send(get + rest + get)
          assert.match(yield* client.end, /^HTTP\/1\.1 200 OK\r\n[^]*helloHTTP\/1\.1 4/)
          assert.strictEqual(answered, 1)
        })
      )
    }

    it.live("a malformed request body closes the connection of a response that has begun", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(Effect.map(CurrentRequest, (r) => HttpServerResponse.stream(r.stream))))
        client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
        yield* client.until((text) => text.includes("one"))
        client.send("zz\r\n")
        assert.match(yield* client.end, /one\r\n$/)
      })
    )

    it.live("a client that sends its whole body before it reads still gets the refusal", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(hello))
        client.socket.pause()
        client.send("POST / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 5000000\r\n\r\n")
        for (let i = 0; i < 50; i++) {
          client.send(new Uint8Array(100_000))
          yield* Effect.sleep(1)
        }
        yield* eventually(() => client.socket.writableLength === 0)
        client.socket.resume()
        assert.strictEqual(statusLine(yield* client.end), "HTTP/1.1 400 Bad Request")
      })
    )

    it.live("HTTP/1.0 needs no Host header", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(hello))
        client.send("GET / HTTP/1.0\r\n\r\n")
        assert.strictEqual(statusLine(yield* client.end), "HTTP/1.1 200 OK")
      })
    )

    it.live("an upgrade is ignored: the request gets an ordinary response", () =>
      Effect.gen(function* () {
        const client = yield* wire(yield* serve(hello))
        client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        assert.strictEqual(statusLine(yield* client.until((text) => text.endsWith("hello"))), "HTTP/1.1 200 OK")
      })
    )

    it.live("100 Continue is sent only when the application reads the body", () =>
      Effect.gen(function* () {
        const port = yield* serve(Effect.flatMap(CurrentRequest, ({ url }) => (url === "/read" ? echo : hello)))
        const head = (path: string) =>
          `POST ${path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`
        const reads = yield* wire(port)
        reads.send(head("/read"))
        yield* reads.until((text) => text.startsWith("HTTP/1.1 100 Continue\r\n\r\n"))
        reads.send("abc")
        assert.match(yield* reads.until((text) => text.endsWith("abc")), /100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
        const refuses = yield* wire(port)
        refuses.send(head("/"))
        const text = yield* refuses.end
        assert.strictEqual(statusLine(text), "HTTP/1.1 200 OK")
        assert.isTrue(text.endsWith("hello"))
      })
    )
  })

  describe("listening and closing", () => {
    it.live("a port in use is a typed error with a one-line message", () =>
      Effect.gen(function* () {
        const port = yield* serve(hello)
        const exit = yield* Effect.exit(serve(hello, { port }))
        const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
        assert.instanceOf(error, NodeHttpServer.ListenError)
        assert.strictEqual(error.code, "EADDRINUSE")
        assert.strictEqual(error.message, `cannot listen on 127.0.0.1:${port}: the port is in use (EADDRINUSE)`)
        assert.isFalse(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      })
    )

    it.live("an impossible port or host is a typed error", () =>
      Effect.gen(function* () {
        for (const options of [{ port: 99999 }, { host: "192.0.2.1" }]) {
          const error = yield* Effect.flip(serve(hello, options))
          assert.instanceOf(error, NodeHttpServer.ListenError)
        }
      })
    )

    const closing = Effect.fnUntraced(function* (
      app: Parameters<typeof serve>[0],
      options: Partial<NodeHttpServer.Options> = {}
    ) {
      const scope = yield* Scope.make()
      const port = yield* Scope.provide(serve(app, options), scope)
      const close = Effect.suspend(() => {
        const start = performance.now()
        return Effect.map(Scope.close(scope, Exit.void), () => performance.now() - start)
      })
      return { port, close }
    })

    it.live("closes at once when no request is in flight, whatever connections are open", () =>
      Effect.gen(function* () {
        const { close, port } = yield* closing(hello, { shutdownDeadline: "1 minute" })
        const silent = yield* wire(port)
        const used = yield* wire(port)
        used.send(get)
        yield* used.until((text) => text.endsWith("hello"))
        const partial = yield* wire(port)
        partial.send("GET / HT")
        yield* close.pipe(Effect.timeout(patience))
        yield* Effect.all([silent.end, used.end, partial.end]).pipe(Effect.timeout(patience))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(fetchText(port))))
      })
    )

    it.effect("goes on accepting requests for its drain time, on connections that it does not keep", () =>
      Effect.gen(function* () {
        let isStopping = false
        const onShutdown = () => void (isStopping = true)
        const { close, port } = yield* closing(hello, { drainTime: "30 seconds", onShutdown })
        const kept = yield* wire(port)
        kept.send(get)
        yield* kept.until((text) => text.endsWith("hello"))
        const closed = yield* Effect.forkChild(close)
        assert.isTrue(yield* eventually(() => isStopping))
        kept.send(get)
        assert.match((yield* kept.end).slice(kept.received().indexOf("hello")), /connection: close[^]*hello$/i)
        const { headers, text } = yield* fetchText(port)
        assert.deepStrictEqual([headers.get("connection"), text], ["close", "hello"])
        assert.isUndefined(closed.pollUnsafe())
        yield* TestClock.adjust("30 seconds")
        yield* Fiber.join(closed)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(fetchText(port))))
      })
    )

    it.effect(
      "a server that shares its port accepts nobody more, answers who is connected, and ends with the last of them",
      () =>
        Effect.gen(function* () {
          let isStopping = false
          const onShutdown = () => void (isStopping = true)
          const { close, port } = yield* closing(hello, { drainTime: "30 seconds", leftPort: Effect.void, onShutdown })
          const kept = yield* wire(port)
          kept.send(get)
          yield* kept.until((text) => text.endsWith("hello"))
          const fresh = yield* wire(port)
          const closed = yield* Effect.forkChild(close)
          assert.isTrue(yield* eventually(() => isStopping))
          assert.isTrue(Exit.isFailure(yield* Effect.exit(fetchText(port))))
          fresh.send(get)
          assert.match(yield* fresh.end, /connection: close[^]*hello$/i)
          assert.isUndefined(closed.pollUnsafe())
          kept.send(get)
          assert.match((yield* kept.end).slice(kept.received().indexOf("hello")), /connection: close[^]*hello$/i)
          yield* Fiber.join(closed)
        })
    )

    it.effect("a server that shares its port does not end while a connection is being handed to it", () =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const answered = yield* Deferred.make<void>()
        const leftPort = Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answered))
        const { close, port } = yield* closing(hello, { drainTime: "30 seconds", leftPort })
        const closed = yield* Effect.forkChild(close)
        yield* Deferred.await(asked)
        // The port is left by then.
        assert.isTrue(Exit.isFailure(yield* Effect.exit(fetchText(port))))
        assert.isUndefined(closed.pollUnsafe())
        yield* Deferred.succeed(answered, undefined)
        yield* Fiber.join(closed)
      })
    )

    it.live("a request that arrives before the application is built waits for it", () =>
      Effect.gen(function* () {
        const server = yield* NodeHttpServer.make({ port: 0, fastReader })
        const port = server.address._tag === "UnixPathAddress" ? 0 : server.address.port
        const early = yield* wire(port)
        const gone = yield* wire(port)
        gone.send(get)
        gone.socket.destroy()
        early.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody")
        // A connection made later is accepted later, so the requests have arrived.
        yield* wire(port)
        yield* server.serve(echo)
        assert.match(yield* early.end, /^HTTP\/1.1 200[^]*POST \/ - body$/)
      })
    )

    it.live("finishes requests in flight with Connection: close before it returns", () =>
      Effect.gen(function* () {
        const go = yield* Deferred.make<void>()
        const begun = yield* Deferred.make<void>()
        let settled = false
        const app = Effect.gen(function* () {
          yield* Deferred.succeed(begun, undefined)
          yield* Effect.addFinalizer(() =>
            Effect.sync(() => {
              settled = true
            })
          )
          yield* Deferred.await(go)
          return HttpServerResponse.text("late")
        })
        const { close, port } = yield* closing(app)
        const idle = yield* wire(port)
        const client = yield* wire(port)
        client.send(get)
        yield* Deferred.await(begun)
        const closed = yield* Effect.forkChild(close)
        yield* idle.end.pipe(Effect.timeout(patience))
        assert.isUndefined(closed.pollUnsafe())
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(closed)
        assert.isTrue(settled)
        assert.match(yield* client.end, /connection: close[^]*late$/i)
      })
    )

    it.live("starts no request on a connection that is about to close", () =>
      Effect.gen(function* () {
        const go = yield* Deferred.make<void>()
        let begun = 0
        const app = Effect.suspend(() => (begun++, Effect.as(Deferred.await(go), HttpServerResponse.text("late"))))
        const { close, port } = yield* closing(app)
        const idle = yield* wire(port)
        const client = yield* wire(port)
        client.send(get)
        assert.isTrue(yield* eventually(() => begun === 1))
        const closed = yield* Effect.forkChild(close)
        yield* idle.end
        client.send(get)
        yield* Effect.sleep(50)
        yield* Deferred.succeed(go, undefined)
        assert.match(yield* client.end, /late$/)
        yield* Fiber.join(closed)
        assert.strictEqual(begun, 1)
      })
    )

    it.live("a stream in flight finishes, and its connection closes while others go on", () =>
      Effect.gen(function* () {
        const go = { "/1": yield* Deferred.make<void>(), "/2": yield* Deferred.make<void>() }
        const bytes = (text: string) => Stream.make(new TextEncoder().encode(text))
        const app = Effect.map(CurrentRequest, ({ url }) => {
          const wait = Stream.fromEffectDrain(Deferred.await(go[url === "/1" ? "/1" : "/2"]))
          return HttpServerResponse.stream(Stream.concat(bytes("first"), Stream.concat(wait, bytes("last"))))
        })
        const { close, port } = yield* closing(app)
        const open = Effect.fnUntraced(function* (path: keyof typeof go) {
          const client = yield* wire(port)
          client.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
          yield* client.until((text) => text.includes("first"))
          return client
        })
        const one = yield* open("/1")
        const two = yield* open("/2")
        const idle = yield* wire(port)
        const closed = yield* Effect.forkChild(close)
        yield* idle.end
        yield* Deferred.succeed(go["/1"], undefined)
        assert.match(yield* one.end.pipe(Effect.timeout(patience)), /last\r\n0\r\n\r\n$/)
        assert.isUndefined(closed.pollUnsafe())
        yield* Deferred.succeed(go["/2"], undefined)
        yield* Fiber.join(closed)
        assert.match(yield* two.end, /last\r\n0\r\n\r\n$/)
      })
    )

    it.live("does not wait beyond the shutdown deadline, which is not the default of 10 seconds", () =>
      Effect.gen(function* () {
        const [arrived, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const usual = yield* closing(
          Effect.andThen(Deferred.succeed(arrived, undefined), Effect.andThen(Deferred.await(go), hello))
        )
        ;(yield* wire(usual.port)).send(get)
        yield* Deferred.await(arrived)
        const begun = yield* Deferred.make<void>()
        let interrupted = false
        const app = Effect.onInterrupt(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), () =>
          Effect.sync(() => {
            interrupted = true
          })
        )
        const { close, port } = yield* closing(app, { shutdownDeadline: "150 millis" })
        const client = yield* wire(port)
        client.send(get)
        yield* Deferred.await(begun)
        const usualEnd = yield* Effect.forkChild(usual.close)
        yield* Effect.sleep(100)
        assert.isAtLeast(yield* close, 140)
        assert.isUndefined(usualEnd.pollUnsafe())
        assert.isTrue(interrupted)
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(usualEnd)
        assert.strictEqual(statusLine(yield* client.end), "HTTP/1.1 503 Service Unavailable")
      })
    )
  })
}
