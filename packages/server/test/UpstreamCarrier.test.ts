import { assert, describe, it } from "@effect/vitest"
import type { Carrier, Incoming, Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Socket } from "node:net"
import type { UpstreamCarrier } from "../src/index.ts"
import { get, over } from "./carry.ts"
import { eventually, tcpServer } from "./net.ts"

const answer = (text: string, headers = "") =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n${headers}\r\n${text}`
const half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"

/** A request to the test's own server on loopback. */
const to = (port: number, parts: Partial<Outgoing> = {}) => get(`http://127.0.0.1:${port}`, { private: true, ...parts })

const streamed: Partial<Outgoing> = { isStreamed: () => true }
const ways = [
  ["as a whole", {}],
  ["streamed", streamed]
] as const

const textOf = ({ body }: Incoming) =>
  body instanceof Uint8Array ? Effect.succeed(new TextDecoder().decode(body)) : Stream.mkString(Stream.decodeText(body))

const read = ({ carry }: Carrier["Service"], outgoing: Outgoing) => Effect.flatMap(carry(outgoing), textOf)

/** A server that records each chunk it receives and answers it with `onData`. */
const listening = Effect.fnUntraced(function* (onData: (socket: Socket, count: number) => void) {
  const heard: Array<string> = []
  const { port, sockets } = yield* tcpServer((socket) =>
    socket.on("data", (chunk) => {
      heard.push(chunk.toString("latin1"))
      onData(socket, heard.length)
    })
  )
  return { port, sockets, heard }
})

describe("a request and its response", () => {
  for (const [way, parts] of ways) {
    it.live(`informational answers that nobody asked for are skipped, and the connection is used again: ${way}`, () =>
      Effect.gen(function* () {
        const unasked = [
          "HTTP/1.1 100 Continue\r\n\r\n",
          "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
          "HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
        ]
        let connections = 0
        const { port } = yield* tcpServer((socket) => {
          connections++
          let count = 0
          socket.on("data", () => {
            const early = unasked[count++ % unasked.length] ?? ""
            // In pieces, and the answer apart from it.
            socket.write(early.slice(0, 9))
            setImmediate(() => {
              socket.write(early.slice(9))
              setImmediate(() => socket.write(answer(`answer ${count} HTTP/1.1 100 Continue\r\n\r\n`)))
            })
          })
        })
        const request = { method: "POST", body: new TextEncoder().encode("body") }
        const texts = yield* over(
          ({ carry }) =>
            Effect.forEach([1, 2, 3, 4, 5, 6], () =>
              Effect.gen(function* () {
                const incoming = yield* carry(to(port, { ...request, ...parts }))
                assert.deepStrictEqual([incoming.status, Object.keys(incoming.headers)], [200, ["content-length"]])
                return (yield* textOf(incoming)).split(" HTTP")[0]
              })
            ),
          { connections: 1 }
        )
        assert.deepStrictEqual(
          texts,
          [1, 2, 3, 4, 5, 6].map((count) => `answer ${count}`)
        )
        assert.strictEqual(connections, 1)
      })
    )

    it.live(`the request goes out unchanged, with nothing added, and the response is read ${way}`, () =>
      Effect.gen(function* () {
        const { heard, port } = yield* listening((socket) =>
          socket.write(
            `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${answer("hello", "X-Twice: 1\r\nX-Twice: 2\r\n")}`
          )
        )
        const request = { path: "/p?q=1", headers: { "x-own": "1" }, body: new TextEncoder().encode("söme") }
        const arrived = yield* over(({ carry }) =>
          Effect.gen(function* () {
            const incoming = yield* carry(to(port, { method: "POST", ...request, ...parts }))
            return { status: incoming.status, headers: incoming.headers, text: yield* textOf(incoming) }
          })
        )
        const headers = { "content-length": "5", "x-twice": "1, 2" }
        assert.deepStrictEqual(arrived, { status: 200, headers, text: "hello" })
        assert.deepStrictEqual(heard.join("").split("\r\n"), [
          "POST /p?q=1 HTTP/1.1",
          `host: 127.0.0.1:${port}`,
          "connection: keep-alive",
          "x-own: 1",
          "content-length: 5",
          "",
          Buffer.from("söme").toString("latin1")
        ])
      })
    )
  }

  it.live("the connection is reused, whether the response is read as a whole or as a stream", () =>
    Effect.gen(function* () {
      let connections = 0
      const { port } = yield* tcpServer((socket) => {
        connections++
        socket.on("data", () => socket.write(answer("hello")))
      })
      yield* over(
        (carrier) =>
          Effect.gen(function* () {
            for (const [, parts] of [...ways, ...ways]) {
              assert.strictEqual(yield* read(carrier, to(port, parts)), "hello")
            }
          }),
        { connections: 1 }
      )
      assert.strictEqual(connections, 1)
    })
  )

  it.live("no request waits for a connection: the gateway limits them", () =>
    Effect.gen(function* () {
      const waiting: Array<Socket> = []
      const { port } = yield* listening((socket) => void waiting.push(socket))
      yield* over((carrier) =>
        Effect.gen(function* () {
          const sent = Array.from({ length: 300 }, () => read(carrier, to(port, { deadlineMillis: 60_000 })))
          const fiber = yield* Effect.forkChild(Effect.all(sent, { concurrency: "unbounded" }))
          assert.isTrue(yield* eventually(() => waiting.length === 300))
          for (const socket of waiting) socket.write(answer("hello"))
          assert.strictEqual(new Set(yield* Fiber.join(fiber)).size, 1)
        })
      )
    })
  )

  it.live("an idle connection is closed after its timeout, and all of them with the layer", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* listening((socket) => socket.write(answer("ok")))
      yield* over(
        (carrier) =>
          Effect.gen(function* () {
            yield* read(carrier, to(port))
            assert.isTrue(yield* eventually(() => sockets.size === 0))
          }),
        { keepAliveTimeout: 100 }
      )
      yield* over((carrier) => read(carrier, to(port)))
      assert.isTrue(yield* eventually(() => sockets.size === 0))
    })
  )

  it.live("a reader that stops applies backpressure, and does not count as a silent upstream", () =>
    Effect.gen(function* () {
      const size = 64 * 1024 * 1024
      const { port, sockets } = yield* tcpServer((socket) =>
        socket.once("data", () => {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`)
          socket.write(new Uint8Array(size))
        })
      )
      yield* over(({ carry }) =>
        Effect.gen(function* () {
          const go = yield* Deferred.make<void>()
          let count = 0
          const { body } = yield* carry(to(port, { ...streamed, idleMillis: 1_000 }))
          assert(!(body instanceof Uint8Array))
          const reading = yield* Effect.forkChild(
            Stream.runForEachArray(body, (chunks) => {
              for (const chunk of chunks) count += chunk.byteLength
              return Deferred.await(go)
            })
          )
          yield* eventually(() => count > 0)
          yield* Effect.sleep(1_500)
          assert.isBelow(count, 1024 * 1024)
          for (const socket of sockets) assert.isAbove(socket.writableLength, size / 4)
          yield* Deferred.succeed(go, undefined)
          yield* Fiber.join(reading)
          assert.strictEqual(count, size)
        })
      )
    })
  )
})

describe("a failure says whether the request may have arrived", () => {
  const failing = (outgoing: Outgoing, options?: UpstreamCarrier.Options) =>
    over(
      (carrier) => Effect.flip(read(carrier, { ...outgoing, method: "POST", body: new TextEncoder().encode("pay") })),
      options
    )

  it.live("connection refused: not sent", () =>
    Effect.gen(function* () {
      const { port, server } = yield* tcpServer(() => {})
      yield* Effect.promise(() => new Promise((done) => server.close(done)))
      assert.strictEqual((yield* failing(to(port))).why, "not sent")
    })
  )

  it.live("a name that does not resolve: not sent", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* failing(get("http://nowhere.invalid", { private: true }))).why, "not sent")
    })
  )

  it.live("connect timeout: not sent", () =>
    Effect.gen(function* () {
      // The connect timeout includes the TLS handshake, which this server never answers.
      const { port } = yield* tcpServer((socket) => socket.resume())
      const outgoing = to(port, { origin: `https://127.0.0.1:${port}` })
      const error = yield* failing(outgoing, { connectTimeout: 100 })
      assert.strictEqual(error.why, "not sent")
      assert.match(String(error.cause), /Connect Timeout/)
      assert.strictEqual(error.late, false)
      const { late, why } = yield* failing({ ...outgoing, deadlineMillis: 100 })
      assert.deepStrictEqual([why, late], ["not sent", true])
    })
  )

  it.live("TLS failure: not sent", () =>
    Effect.gen(function* () {
      const { heard, port } = yield* listening((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
      assert.strictEqual((yield* failing(to(port, { origin: `https://127.0.0.1:${port}` }))).why, "not sent")
      assert.notInclude(heard.join(""), "pay")
    })
  )

  it.live("a request that cannot be written: not sent", () =>
    Effect.gen(function* () {
      const { heard, port } = yield* listening((socket) => socket.write(answer("ok")))
      for (const parts of [
        { headers: { "x-bad": "a\nb" } },
        { headers: { "x bad": "a" } },
        { headers: { "content-length": "2" } },
        { path: "no slash" },
        { path: "/a b" },
        { origin: "no url" },
        { origin: "ftp://127.0.0.1" }
      ]) {
        assert.strictEqual((yield* failing(to(port, parts))).why, "not sent", JSON.stringify(parts))
      }
      assert.deepStrictEqual(heard, [])
    })
  )

  for (const [what, end] of [
    ["a reset", (socket: Socket) => socket.resetAndDestroy()],
    ["a close", (socket: Socket) => socket.end()],
    ["nonsense", (socket: Socket) => socket.end("nonsense\r\n\r\n")],
    ["a head over the limit", (socket: Socket) => socket.write(answer("ok", `X-Long: ${"a".repeat(20_000)}\r\n`))]
  ] as const) {
    it.live(`${what} after the request was read: may have been sent, and is not retried`, () =>
      Effect.gen(function* () {
        const { heard, port, sockets } = yield* listening((socket) => void end(socket))
        for (const [, parts] of ways) assert.strictEqual((yield* failing(to(port, parts))).why, "broken")
        yield* Effect.sleep(50)
        assert.strictEqual(heard.length, 2)
        assert.isTrue(yield* eventually(() => sockets.size === 0))
      })
    )
  }

  for (const method of ["GET", "PUT", "POST"]) {
    it.live(`${method} on a reused connection that is reset: may have been sent, and is not retried`, () =>
      Effect.gen(function* () {
        const { heard, port } = yield* listening((socket, count) =>
          count === 1 ? socket.write(answer("ok")) : socket.resetAndDestroy()
        )
        yield* over((carrier) =>
          Effect.gen(function* () {
            yield* read(carrier, to(port, { method }))
            assert.strictEqual((yield* Effect.flip(read(carrier, to(port, { method })))).why, "broken")
            yield* Effect.sleep(50)
          })
        )
        assert.strictEqual(heard.length, 2)
      })
    )
  }

  it.live("a connection carries one request at a time, so its end fails no other request", () =>
    Effect.gen(function* () {
      const { heard, port } = yield* listening((socket, count) =>
        count === 1 ? socket.write(answer("ok")) : setTimeout(() => socket.resetAndDestroy(), 100)
      )
      yield* over(
        (carrier) =>
          Effect.gen(function* () {
            const asked = (path: string) => read(carrier, to(port, { path }))
            yield* asked("/0")
            const both = yield* Effect.all([Effect.flip(asked("/1")), Effect.flip(asked("/2"))], { concurrency: 2 })
            const whys = both.map(({ why }) => why)
            assert.deepStrictEqual(whys, ["broken", "broken"])
          }),
        { connections: 1 }
      )
      const sent = heard.join("").match(/GET \S+/g)
      assert.deepStrictEqual([heard.length, sent], [3, ["GET /0", "GET /1", "GET /2"]])
    })
  )

  for (const [way, parts] of ways) {
    it.live(`response timeout, read ${way}: may have been sent, and the connection is closed`, () =>
      Effect.gen(function* () {
        const { port, sockets } = yield* listening((socket, count) => count === 1 && socket.write(answer("ok")))
        yield* over(
          (carrier) =>
            Effect.gen(function* () {
              // On an open connection, so that connecting takes no time.
              yield* read(carrier, to(port))
              const error = yield* Effect.flip(read(carrier, to(port, { ...parts, deadlineMillis: 200 })))
              assert.strictEqual(error.why, "timeout")
              assert.isTrue(yield* eventually(() => sockets.size === 0))
            }),
          { connections: 1 }
        )
      })
    )

    it.live(`a truncated response, read ${way}, is an error`, () =>
      Effect.gen(function* () {
        const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
        for (const cut of [half, chunked]) {
          const { port } = yield* listening((socket) => socket.end(cut))
          assert.strictEqual((yield* failing(to(port, parts))).why, "broken")
        }
      })
    )

    it.live(`a response over the size limit, read ${way}, fails`, () =>
      Effect.gen(function* () {
        const { port } = yield* listening((socket) => socket.write(answer("x".repeat(1_001))))
        assert.strictEqual((yield* failing(to(port, parts), { maxResponseBytes: 1_000 })).why, "broken")
        assert.lengthOf(yield* over((carrier) => read(carrier, to(port, parts)), { maxResponseBytes: 1_001 }), 1_001)
      })
    )
  }

  it.live("the deadline covers a whole response; the idle timeout of a stream starts again with each chunk", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* tcpServer((socket) =>
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
          let count = 0
          const piece = setInterval(() => {
            if (++count < 25) socket.write("1\r\nx\r\n")
            else clearInterval(piece)
          }, 50)
          socket.once("close", () => clearInterval(piece))
        })
      )
      yield* over((carrier) =>
        Effect.gen(function* () {
          // Shorter than the pieces take together, and far longer than the time between two.
          const times = { deadlineMillis: 1_000, idleMillis: 1_000 }
          assert.strictEqual((yield* Effect.flip(read(carrier, to(port, times)))).why, "timeout")
          assert.isTrue(yield* eventually(() => sockets.size === 0))
          const { body } = yield* carrier.carry(to(port, { ...times, ...streamed }))
          assert(!(body instanceof Uint8Array))
          let pieces = 0
          const error = yield* Effect.flip(Stream.runForEach(body, () => Effect.sync(() => pieces++)))
          assert.deepStrictEqual([error.why, pieces], ["timeout", 24])
          assert.isTrue(yield* eventually(() => sockets.size === 0))
        })
      )
    })
  )
})

describe("an interrupted caller closes the connection to the upstream", () => {
  const leaves = (onData: string, parts: Partial<Outgoing>) =>
    Effect.gen(function* () {
      const { heard, port, sockets } = yield* listening((socket) => onData !== "" && socket.write(onData))
      yield* over((carrier) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(read(carrier, to(port, parts)))
          yield* eventually(() => heard.length === 1)
          yield* Effect.sleep(20)
          assert.strictEqual(sockets.size, 1)
          yield* Fiber.interrupt(fiber)
          assert.isTrue(yield* eventually(() => sockets.size === 0))
        })
      )
    })
  it.live("while waiting for the response", () => leaves("", {}))
  it.live("while the response is read as a whole", () => leaves(half, {}))
  it.live("while the response is streamed", () => leaves(half, streamed))

  it.live("before the end of a stream", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* listening((socket) => socket.write(half))
      yield* over(({ carry }) =>
        Effect.gen(function* () {
          const { body } = yield* carry(to(port, streamed))
          assert(!(body instanceof Uint8Array))
          yield* Stream.runHead(body)
          assert.isTrue(yield* eventually(() => sockets.size === 0))
        })
      )
    })
  )

  it.live("an unread stream is closed after its idle timeout", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* listening((socket) => socket.write(half))
      yield* over(({ carry }) =>
        Effect.gen(function* () {
          const incoming = yield* carry(to(port, { ...streamed, idleMillis: 100 }))
          assert.isTrue(yield* eventually(() => sockets.size === 0))
          assert.strictEqual((yield* Effect.flip(textOf(incoming))).why, "timeout")
        })
      )
    })
  )

  it.live("while waiting for a connection: the request is never sent", () =>
    Effect.gen(function* () {
      const { heard, port } = yield* listening(() => {})
      yield* over(
        ({ carry }) =>
          Effect.gen(function* () {
            const first = yield* Effect.forkChild(carry(to(port, { path: "/first" })))
            yield* eventually(() => heard.length === 1)
            const queued = yield* Effect.forkChild(carry(to(port, { path: "/queued" })))
            yield* Effect.sleep(20)
            yield* Fiber.interrupt(queued)
            yield* Fiber.interrupt(first)
            yield* Effect.sleep(50)
            assert.notInclude(heard.join(""), "/queued")
          }),
        { connections: 1 }
      )
    })
  )
})
