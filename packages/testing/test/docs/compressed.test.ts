import { expect, layer } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask, question } from "@tollgate/testing/ask"
import { bindings, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type IncomingHttpHeaders, request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"

const test = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ sandbox: "all", operations: priced, bindings })),
  Layer.orDie
)

interface Raw {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The answer as it is on the wire: `fetch` would decompress it. */
const raw = Effect.fnUntraced(function* (path: string, headers: Record<string, string>, body?: string) {
  const { baseUrl } = yield* Host
  return yield* Effect.promise(
    () =>
      new Promise<Raw>((resolve, reject) => {
        const method = body === undefined ? "GET" : "POST"
        const asked = request(baseUrl + path, { method, headers: { authorization: `Bearer ${key}`, ...headers } })
        asked.on("error", reject).on("response", (answer) => {
          const chunks: Array<Buffer> = []
          answer.on("data", (chunk: Buffer) => chunks.push(chunk))
          answer.on("end", () =>
            resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) })
          )
        })
        asked.end(body)
      })
  )
})

layer(test)((it) => {
  it.effect("the reference, the OpenAPI document and the offer are sent compressed to those who accept it", () =>
    Effect.gen(function* () {
      const version = (yield* ask("GET", "/api/contracts/version")).json() as { readonly contentHash: string }
      const source = `/api/contracts/source?hash=${version.contentHash}`
      for (const [path, isTagged] of [
        ["/docs", true],
        ["/docs/rerank", true],
        ["/docs/openapi", true],
        [`${source}&bundled=1`, true],
        [`${source}&operation_id=rerank`, true],
        ["/account/v1/operations", false]
      ] as const) {
        const plain = yield* raw(path, {})
        expect([path, plain.status, plain.headers["content-encoding"]]).toEqual([path, 200, undefined])
        expect(plain.headers.vary).toContain("Accept-Encoding")
        const tags = new Set([plain.headers.etag])
        for (const [coding, open] of [
          ["br", brotliDecompressSync],
          ["gzip", gunzipSync]
        ] as const) {
          const accepting = { "accept-encoding": coding }
          const { body, headers } = yield* raw(path, accepting)
          expect([path, headers["content-encoding"], headers.vary]).toEqual([path, coding, plain.headers.vary])
          expect(headers["content-length"]).toBe(String(body.length))
          expect(body.length).toBeLessThan(plain.body.length / 2)
          expect(open(body).equals(plain.body)).toBe(true)
          if (!isTagged) continue
          tags.add(headers.etag)
          const again = yield* raw(path, { ...accepting, "if-none-match": String(headers.etag) })
          expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, headers.etag])
          expect(again.headers["content-encoding"]).toBeUndefined()
          expect((yield* raw(path, { "if-none-match": String(headers.etag) })).status).toBe(200)
        }
        expect(tags.size).toBe(isTagged ? 3 : 1)
      }
    })
  )

  it.effect("answers to calls, and pages for what somebody typed, are not", () =>
    Effect.gen(function* () {
      const accepting = { "accept-encoding": "br, gzip" }
      const documents = Array.from({ length: 500 }, () => "the same text")
      const body = JSON.stringify({ ...(JSON.parse(question) as object), documents })
      const called = yield* raw("/v1/rerank", { ...accepting, "content-type": "application/json" }, body)
      expect([called.status, called.headers["content-encoding"]]).toEqual([200, undefined])
      expect(called.body.length).toBeGreaterThan(2_000)
      const found = yield* raw("/docs?q=rerank", accepting)
      expect([found.status, found.headers["content-encoding"]]).toEqual([200, undefined])
    })
  )
})
