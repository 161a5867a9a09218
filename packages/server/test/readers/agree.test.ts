import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Stream from "effect/Stream"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { Server } from "node:http"
import { setImmediate } from "node:timers/promises"
import { serveWith } from "../net.ts"
import { MemorySocket } from "./memorySocket.ts"
import { type Case, makeCase, randomFrom } from "./mutate.ts"

// The own reader reads a request as `node:http` does, or leaves it to `node:http`: two servers get the same bytes, and must
// write the same. HTTP_FUZZ says how many connections are tried, HTTP_FUZZ_SEED from which seed.
const connections = Number(process.env.HTTP_FUZZ ?? 4_000)
const firstSeed = Number(process.env.HTTP_FUZZ_SEED ?? Date.now() % 1_000_000_000)

/** Connections at a time. */
const together = 200

const text = new TextEncoder()

/** Tells everything that it sees of a request, and answers in each of the ways that there are. */
const app = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const body = Buffer.from(new Uint8Array(yield* request.arrayBuffer)).toString("latin1")
  const seen = JSON.stringify([request.method, request.url, Object.entries(request.headers), body])
  switch (request.url) {
    case "/stream":
      return HttpServerResponse.stream(Stream.make(text.encode(seen), text.encode("more")))
    case "/raw":
      return HttpServerResponse.raw(seen)
    case "/empty":
      return HttpServerResponse.empty()
    case "/304":
      return HttpServerResponse.empty({ status: 304, headers: { etag: '"a"' } })
    case "/cookies":
      return HttpServerResponse.text(seen).pipe(
        HttpServerResponse.setCookieUnsafe("a", "1"),
        HttpServerResponse.setCookieUnsafe("b", "2")
      )
    case "/bad":
      return HttpServerResponse.text("x", { headers: { "x-bad": "a\nb" } })
    case "/fail":
      return yield* Effect.die("nope")
    default:
      return HttpServerResponse.text(seen, { headers: { "x-own": "\u00fc" } })
  }
})

/** The server that `make` starts to listen on. */
const serverOf = <A, E, R>(make: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const servers: Array<Server> = []
    const listener = (message: unknown) => void servers.push((message as { server: Server }).server)
    subscribe("tracing:net.server.listen:asyncStart", listener)
    yield* make
    unsubscribe("tracing:net.server.listen:asyncStart", listener)
    assert.strictEqual(servers.length, 1)
    return servers[0]!
  })

/** Until nothing more is written. */
const settled = async (sockets: ReadonlyArray<MemorySocket>): Promise<void> => {
  for (let quiet = 0, before = -1; quiet < 6; quiet++) {
    await setImmediate()
    const now = sockets.reduce((sum, { written }) => sum + written.length, 0)
    if (now !== before) quiet = 0
    before = now
  }
}

/** Whether the body of a request that is broken was asked for depends on when the handlers of earlier requests run. */
const normal = (written: string): string =>
  written
    .replaceAll("HTTP/1.1 100 Continue\r\n\r\n", "")
    .replace(/^Date: .*$/gm, "Date")
    .replace(/^x-request-id: req_\w+/gm, "x-request-id")

/** What each server writes on a connection with these bytes. */
const answers = async (servers: ReadonlyArray<Server>, { pieces }: Case): Promise<ReadonlyArray<string>> => {
  const sockets = servers.map(() => new MemorySocket())
  servers.forEach((server, i) => server.emit("connection", sockets[i]))
  for (const piece of pieces) {
    for (const socket of sockets) if (!socket.destroyed) socket.push(piece, "latin1")
    if (pieces.length < 10) await setImmediate()
    else await Promise.resolve()
  }
  await settled(sockets)
  for (const socket of sockets) if (!socket.destroyed) socket.push(null)
  await settled(sockets)
  for (const socket of sockets) socket.destroy()
  return sockets.map(({ written }) => normal(written))
}

it.live("both readers write the same answers to the same bytes", () =>
  Effect.gen(function* () {
    const own = yield* serverOf(serveWith({ fastReader: true })(app, { maxHeaderCount: 6 }))
    const node = yield* serverOf(serveWith({ fastReader: false })(app, { maxHeaderCount: 6 }))
    let accepted = 0
    const tryOne = async (seed: number): Promise<void> => {
      const one = makeCase(randomFrom(seed))
      const [ours, nodes] = await answers([own, node], one)
      if (ours?.includes(" 200 OK") === true) accepted++
      assert.strictEqual(ours, nodes, `HTTP_FUZZ_SEED=${seed}: ${JSON.stringify(one)}`)
    }
    yield* Effect.promise(async () => {
      for (let done = 0; done < connections; done += together) {
        await Promise.all(Array.from({ length: together }, (_, i) => tryOne(firstSeed + done + i)))
      }
    })
    assert.isAbove(accepted, connections / 5)
  })
)

it.live("also if a request ends in the middle, right after it has begun", () =>
  Effect.gen(function* () {
    const own = yield* serverOf(serveWith({ fastReader: true })(app, { maxHeaderCount: 6 }))
    const node = yield* serverOf(serveWith({ fastReader: false })(app, { maxHeaderCount: 6 }))
    const begun = [
      "PATCH /faiHTTP/1.1\n\r\n",
      `POST /empty HTTP/1.1\r\nHost: a\r\n${"X-A: b\r\n".repeat(7)}xxxx`,
      "GET / HTTP/1.1\r\nHost: a\r\nX-A",
      "GET / HTTP/1.1\r\nHost: a\nX-A: b\r\n",
      "GET / HTTP/2.0\r\nHost"
    ]
    for (const text of begun) {
      const sockets = [own, node].map((server) => {
        const socket = new MemorySocket()
        server.emit("connection", socket)
        socket.push(text, "latin1")
        socket.push(null)
        return socket
      })
      yield* Effect.promise(() => settled(sockets))
      const [ours, nodes] = sockets.map(({ written }) => normal(written))
      assert.notStrictEqual(nodes, "")
      assert.strictEqual(ours, nodes, JSON.stringify(text))
    }
  })
)
