import { describe, expect, it } from "@effect/vitest"
import type { NodeHttpServer } from "@tollgate/server"
import * as Effect from "effect/Effect"
import { request, rerank } from "@tollgate/testing/hardening/requests"
import { readers, Target } from "@tollgate/testing/hardening/target"
import { expectWorking } from "@tollgate/testing/hardening/testAll"
import { wire } from "@tollgate/testing/hardening/wire"

const quick: Partial<NodeHttpServer.Options> = { headersTimeout: "400 millis", requestTimeout: "500 millis" }

/** Sends one byte at a time until the peer closes. */
const dribbled = (text: string) =>
  Effect.gen(function* () {
    const { port } = yield* Target
    const client = yield* wire(port)
    for (const byte of text) {
      if (client.socket.readableLength > 0 || client.answers().length > 0 || client.socket.destroyed) break
      client.send(byte)
      yield* Effect.sleep("5 millis")
    }
    return yield* client.closed
  }).pipe(Effect.scoped)

const head = (...headers: ReadonlyArray<string>) => request("POST /v1/rerank", headers)

describe.each(readers)("a slow sender gets 408 and is disconnected; nothing is executed, %s", (_, reader) => {
  const cases: Record<string, Effect.Effect<unknown, unknown, Target>> = {
    "a head, a byte at a time": dribbled(rerank()),
    "a header without an end, a byte at a time": dribbled(`POST / HTTP/1.1\r\nX: ${"x".repeat(10_000)}`),
    "empty lines without an end": dribbled("\r\n".repeat(5_000)),
    "a body, a byte at a time": Effect.suspend(() => slowBody("Content-Length: 9999", "x")),
    "chunks, a byte at a time": Effect.suspend(() => slowBody("Transfer-Encoding: chunked", "1\r\nx\r\n"))
  }
  const slowBody = (header: string, piece: string) =>
    Effect.gen(function* () {
      const { port } = yield* Target
      const client = yield* wire(port)
      client.send(head(header))
      while (client.answers().length === 0 && !client.socket.destroyed) {
        client.send(piece)
        yield* Effect.sleep("5 millis")
      }
      return yield* client.closed
    }).pipe(Effect.scoped)

  for (const [name, sent] of Object.entries(cases)) {
    it.live(name, () =>
      Effect.gen(function* () {
        const { totals } = yield* Target
        expect(yield* sent).toMatchObject([{ status: 408, complete: true }])
        expect(yield* totals).toEqual({ executed: 0, calls: 0, open: 0, charged: 0 })
        yield* expectWorking
      }).pipe(Effect.provide(Target.layer({ ...reader, ...quick })))
    )
  }

  for (const [name, text] of Object.entries({
    "half a head": "POST /v1/rerank HTTP/1.1\r\nHost: a\r\n",
    "a body that is announced and does not come": head("Content-Length: 10"),
    "a large body of which a part comes": `${head("Content-Length: 1000000")}{`,
    "chunks that do not come": head("Transfer-Encoding: chunked"),
    "a chunk of which a part comes": `${head("Transfer-Encoding: chunked")}ff\r\n{`,
    "a body that may come": head("Content-Length: 10", "Expect: 100-continue")
  })) {
    it.live(name, () =>
      Effect.gen(function* () {
        const { totals, port } = yield* Target
        const client = yield* wire(port)
        client.send(text)
        expect((yield* client.closed).filter(({ status }) => status !== 100)).toMatchObject([
          { status: 408, complete: true }
        ])
        expect(yield* totals).toEqual({ executed: 0, calls: 0, open: 0, charged: 0 })
        yield* expectWorking
      }).pipe(Effect.provide(Target.layer({ ...reader, ...quick })))
    )
  }
})

describe.each(readers)("idle connections, %s", (_, reader) => {
  it.live("200 idle connections do not block other callers", () =>
    Effect.gen(function* () {
      const { totals, port } = yield* Target
      const texts = ["", "POST /v1", head("Content-Length: 10"), `${head("Content-Length: 1000000")}{`]
      const idle = yield* Effect.forEach(Array.from({ length: 200 }), () => wire(port), { concurrency: 50 })
      idle.forEach(({ send }, i) => send(texts[i % texts.length] ?? ""))
      for (let i = 0; i < 5; i++) yield* expectWorking
      expect(idle.every(({ socket }) => !socket.closed)).toBe(true)
      expect(yield* totals).toMatchObject({ executed: 5, calls: 5, open: 0 })
    }).pipe(Effect.scoped, Effect.provide(Target.layer(reader)))
  )

  it.live("connections over the limit are refused until others leave", () =>
    Effect.gen(function* () {
      const { port } = yield* Target
      const idle = yield* Effect.forEach(Array.from({ length: 5 }), () => wire(port))
      const one = yield* wire(port)
      one.send(rerank())
      expect(yield* one.closed).toEqual([])
      for (const { socket } of idle) socket.destroy()
      const answered = Effect.gen(function* () {
        const client = yield* wire(port)
        client.send(rerank(["Connection: close"]))
        return (yield* client.closed).length > 0
      }).pipe(Effect.scoped)
      // The server sees the disconnects a moment later.
      while (!(yield* answered)) yield* Effect.sleep("5 millis")
      yield* expectWorking
    }).pipe(Effect.provide(Target.layer({ ...reader, maxConnections: 5 })))
  )
})
