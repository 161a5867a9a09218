import { describe, expect, it } from "@effect/vitest"
import { operations } from "@tollgate/testing/hostile/evidence"
import { askServed } from "@tollgate/testing/hostile/askServed"
import { providerAt, servedTo, streamProviders } from "@tollgate/testing/hostile/Served"
import { calls, reservedTotal, streams } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import { brotliCompressSync, constants, createGzip, deflateRawSync, deflateSync, gzipSync } from "node:zlib"

const codings = {
  gzip: (body: string | Buffer) => gzipSync(body),
  "x-gzip": (body: string | Buffer) => gzipSync(body),
  br: (body: string | Buffer) => brotliCompressSync(body),
  deflate: (body: string | Buffer) => deflateSync(body),
  "deflate, without the header of zlib": (body: string | Buffer) => deflateRawSync(body)
}

const { openai } = operations
const request = JSON.stringify(openai.request)

const events = [
  'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
  'data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2}}\n\n',
  "data: [DONE]\n\n"
]

/** Asks a gateway whose upstream answers so, although it was asked for what is not compressed. */
const asked = (answer: (res: ServerResponse) => void, path: string = openai.path, body = request) =>
  Effect.gen(function* () {
    const { port, received } = yield* httpUpstream(answer)
    const provider = { name: "theirs", protocol: "openai", answerBytes: 1_000_000 }
    return yield* Effect.gen(function* () {
      const answer = yield* askServed(path, body)
      expect(received[0]?.headers["accept-encoding"]).toBe("identity")
      const [call] = yield* calls
      expect(yield* reservedTotal).toBe(0)
      return { ...answer, call }
    }).pipe(Effect.provide(servedTo({ ...streamProviders(port), [openai.operation]: providerAt(port, provider) })))
  }).pipe(Effect.scoped)

const head = (coding: string, type = "application/json") => ({
  "content-type": type,
  "content-encoding": coding.replace(/,.*/, "")
})

describe("an answer that is compressed unasked", () => {
  it.live.each(Object.entries(codings))("is charged and passed on decompressed: %s", ([coding, compress]) =>
    Effect.gen(function* () {
      const answer = yield* asked((res) => res.writeHead(200, head(coding)).end(compress(openai.right)))
      expect([answer.status, answer.text, answer.call?.charged]).toEqual([200, openai.right, openai.price])
      expect(answer.headers["content-encoding"]).toBe(undefined)
    })
  )

  it.live.each(Object.entries(codings))("is streamed as it arrives, and charged: %s", ([coding, compress]) =>
    Effect.gen(function* () {
      const stream = streams.openai.body("Why?", { stream_options: { include_usage: true } })
      const send = (res: ServerResponse) =>
        res.writeHead(200, head(coding, "text/event-stream")).end(compress(events.join("")))
      const answer = yield* asked(send, streams.openai.path, stream)
      expect([answer.status, answer.text.startsWith(events.join(""))]).toEqual([200, true])
      expect(answer.call).toMatchObject({ state: "settled", charged: openai.price })
    })
  )

  it.live("reaches the caller event by event", () =>
    Effect.gen(function* () {
      const send = (res: ServerResponse) => {
        const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
        gzip.pipe(res.writeHead(200, head("gzip", "text/event-stream")))
        for (const event of events) gzip.write(event)
        // The upstream stays silent after its last event, until the gateway has left.
        res.once("close", () => gzip.destroy())
      }
      const answer = yield* asked(send, streams.openai.path, streams.openai.body("Why?"))
      expect(answer.call).toMatchObject({ state: "settled", charged: openai.price })
    })
  )

  it.live.each(["gzip", "br", "deflate"] as const)("is refused if it grows beyond the bound: %s", (coding) =>
    Effect.gen(function* () {
      const bomb = codings[coding](Buffer.alloc(8 * 1024 * 1024, 0x20))
      expect(bomb.length).toBeLessThan(500_000)
      const answer = yield* asked((res) => res.writeHead(200, head(coding)).end(bomb))
      expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("upstream_failed")])
      expect(answer.call).toMatchObject({ state: "unknown", charged: 0 })
    })
  )

  it.live("is a broken answer if it is damaged or cut", () =>
    Effect.gen(function* () {
      for (const bytes of [gzipSync(openai.right).subarray(0, -9), Buffer.from("no gzip at all")]) {
        const answer = yield* asked((res) => res.writeHead(200, head("gzip")).end(bytes))
        expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("upstream_failed")])
        expect(answer.call).toMatchObject({ state: "unknown", charged: 0 })
      }
    })
  )

  it.live("is not delivered in a coding that nobody knows", () =>
    Effect.gen(function* () {
      const answer = yield* asked((res) => res.writeHead(200, head("zzz")).end(gzipSync(openai.right)))
      expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("answer_not_metered")])
      expect(answer.call).toMatchObject({ state: "released", charged: 0 })
    })
  )

  it.live("keeps status and body of an error", () =>
    Effect.gen(function* () {
      const answer = yield* asked((res) => res.writeHead(404, head("gzip")).end(gzipSync('{"error":"gone"}')))
      expect([answer.status, answer.text]).toEqual([404, '{"error":"gone"}'])
    })
  )
})

describe("an answer without a change", () => {
  it.live("is passed on as 304, and is no redirect", () =>
    Effect.gen(function* () {
      const answer = yield* asked((res) => res.writeHead(304, { etag: '"1"' }).end())
      expect([answer.status, answer.text, answer.headers["etag"]]).toEqual([304, "", '"1"'])
      expect(answer.call).toMatchObject({ state: "released", charged: 0 })
    })
  )
})
