import { describe, expect, it } from "@effect/vitest"
import { key } from "@tollgate/testing"
import { endlessUpstream } from "@tollgate/testing/hostile/endlessUpstream"
import { gatewayTo, providerAt, Served } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import type { NodeHttpServer } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type IncomingMessage, request } from "node:http"

const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "word ".repeat(200) } }] })}\n\n`
const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`
const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

/** An upstream that streams without end, behind a gateway. */
const streaming = Effect.fnUntraced(function* (readerTimeout: NodeHttpServer.Options["readerTimeout"]) {
  const upstream = yield* endlessUpstream(head, chunk.repeat(64))
  const provider = { "chat.completions": providerAt(upstream.port, { protocol: "openai" }) }
  return { upstream, gateway: Layer.provideMerge(Served.layer({ readerTimeout }), gatewayTo(provider)) }
})

/** Opens a stream and reads none of it. */
const open = Effect.flatMap(Served, ({ baseUrl }) =>
  Effect.acquireRelease(
    Effect.callback<IncomingMessage>((resume) => {
      const req = request(`${baseUrl}/v1/chat/completions`, {
        method: "POST",
        agent: false,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" }
      })
      req.on("error", () => {})
      req.on("response", (res) => resume(Effect.succeed(res.on("error", () => {}))))
      req.end(JSON.stringify({ model: "sandbox", stream: true, messages: [{ role: "user", content: "Why?" }] }))
    }),
    (res) => Effect.sync(() => res.destroy())
  )
)

/** Reads this much and pauses again. */
const readSome = (res: IncomingMessage, bytes: number) =>
  Effect.callback<void>((resume) => {
    let read = 0
    const take = (data: Buffer) => {
      read += data.length
      if (read < bytes) return
      res.off("data", take).pause()
      resume(Effect.void)
    }
    res.on("data", take).resume()
  })

describe("a caller of a stream", () => {
  it.live("who reads nothing is disconnected, and pays for what was sent", () =>
    Effect.gen(function* () {
      const { gateway, upstream } = yield* streaming("150 millis")
      yield* Effect.gen(function* () {
        yield* open
        const [accepted] = yield* Effect.andThen(settled, upstream.accepted)
        expect(accepted).toBeGreaterThan(0)
        const [call] = yield* calls
        expect(call).toMatchObject({ state: "settled", cost_state: "estimated" })
        expect(call?.output_tokens).toBeGreaterThan(100)
      }).pipe(Effect.provide(gateway))
    }).pipe(Effect.scoped)
  )

  it.live("who reads slowly is not", () =>
    Effect.gen(function* () {
      // Longer in all than the limit, and each pause far shorter, so that a busy machine does not reach it.
      const { gateway } = yield* streaming("3 seconds")
      yield* Effect.gen(function* () {
        const res = yield* open
        for (let i = 0; i < 12; i++) {
          yield* readSome(res, 1024 * 1024)
          yield* Effect.sleep("300 millis")
        }
        expect(res.destroyed).toBe(false)
        expect((yield* calls).map(({ state }) => state)).toEqual(["open"])
      }).pipe(Effect.provide(gateway))
    }).pipe(Effect.scoped)
  )
})

const settled = Effect.gen(function* () {
  while ((yield* calls).every(({ state }) => state === "open")) yield* Effect.sleep("5 millis")
})
