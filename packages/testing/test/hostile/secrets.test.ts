import { describe, expect, it } from "@effect/vitest"
import type { Operation } from "@tollgate/contract/Operation"
import { key } from "@tollgate/testing"
import { question } from "@tollgate/testing/ask"
import { askServed } from "@tollgate/testing/hostile/askServed"
import { providerAt, servedTo, streamProviders } from "@tollgate/testing/hostile/Served"
import { calls, priced, streams } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const token = "upstream-secret-0123456789"

const rerankAt = (port: number, value: string) => ({
  rerank: providerAt(port, {
    protocol: "json",
    credential: { header: "authorization", value: Redacted.make(value) }
  })
})

describe("an upstream that repeats the gateway's credential in an error", () => {
  for (const [scheme, value, secret] of [
    ["Bearer", `Bearer ${token}`, token],
    ["Basic", `Basic ${btoa(`gateway:${token}`)}`, btoa(`gateway:${token}`)]
  ] as const) {
    it.live(`(${scheme}) does not tell it to callers, in the body or in headers, whatever the status`, () =>
      Effect.gen(function* () {
        let status = 400
        const { port, received } = yield* httpUpstream((res, { headers }) => {
          const echo = `you sent ${headers.authorization}, that is ${token}`
          res
            .writeHead(status, { "content-type": `text/plain; x="${echo}"`, etag: `"${echo}"`, "x-echo": echo })
            .end(JSON.stringify({ error: { message: echo } }))
        })
        yield* Effect.gen(function* () {
          for (status of [400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503, 599]) {
            const answer = yield* askServed("/v1/rerank", question)
            expect(answer.status).toBeGreaterThanOrEqual(400)
            const shown = answer.text + JSON.stringify(answer.headers)
            expect(shown, String(status)).not.toContain(token)
            expect(shown, String(status)).not.toContain(secret)
            if (answer.status === status && status !== 429) expect(answer.text).toContain("you sent")
          }
          expect(received).toHaveLength(12)
          expect(received[0]?.headers.authorization).toBe(value)
        }).pipe(Effect.provide(servedTo(rerankAt(port, value))))
      }).pipe(Effect.scoped)
    )
  }
})

const headers = { authorization: `Bearer ${key}`, "x-tollgate-async": "enable" }

describe("an upstream that repeats the gateway's credential in an answer of 200 that says it failed", () => {
  const credential = { header: "authorization", value: Redacted.make(`Bearer ${token}`) }
  const free = priced.map((operation): Operation =>
    operation.id === "rerank" ? { ...operation, price: { contract: "free" } } : operation
  )
  const video = JSON.stringify({ model: "sandbox-video", input: { prompt: "a river" } })
  const kinds = {
    "a paid call": ["/v1/rerank", question, priced],
    "a free call": ["/v1/rerank", question, free],
    "a call that starts a task": ["/apis/v1/services/aigc/video-generation/video-synthesis", video, priced]
  } as const

  for (const [kind, [path, body, operations]] of Object.entries(kinds)) {
    it.live(`tells it neither to the caller of ${kind} nor to the store`, () =>
      Effect.gen(function* () {
        const { port } = yield* httpUpstream((res, { headers }) =>
          res
            .writeHead(200, { "content-type": "application/json", etag: `"${token}"` })
            .end(JSON.stringify({ success: false, message: `wrong key ${headers.authorization}` }))
        )
        yield* Effect.gen(function* () {
          const answer = yield* askServed(path, body, headers)
          expect([answer.status, answer.json()]).toEqual([
            200,
            { success: false, message: "wrong key Bearer [redacted]" }
          ])
          expect(JSON.stringify(answer.headers)).not.toContain(token)
          const stored = JSON.stringify(yield* calls)
          expect(stored).not.toContain(token)
          if (operations === priced) expect(stored).toContain("wrong key Bearer [redacted]")
        }).pipe(
          Effect.provide(
            servedTo(
              {
                rerank: providerAt(port, { protocol: "json", credential }),
                "video.create": providerAt(port, { protocol: "task", credential })
              },
              { operations }
            )
          )
        )
      }).pipe(Effect.scoped)
    )
  }
})

const begun = {
  openai: 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
  anthropic: 'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":1}}}\n\n'
}

describe("a stream that ends with an error event", () => {
  for (const [family, event] of [
    ["openai", "data"],
    ["anthropic", "event: error\ndata"]
  ] as const) {
    it.live(`(${family}) does not tell the gateway's credential`, () =>
      Effect.gen(function* () {
        const error = JSON.stringify({ type: "error", error: { type: "api_error", message: `bad key ${token}` } })
        let first = ""
        const { port } = yield* httpUpstream((res) =>
          res.writeHead(200, { "content-type": "text/event-stream" }).end(`${first}${event}: ${error}\n\n`)
        )
        const credential = { header: "x-api-key", value: Redacted.make(token) }
        const { body, headers, path } = streams[family]
        yield* Effect.gen(function* () {
          // As the first event, it is an answer with a status of its own.
          const refused = yield* askServed(path, body("Why?", {}), headers)
          expect([refused.status, refused.text]).toEqual([500, expect.stringContaining("bad key [redacted]")])
          expect(refused.text + JSON.stringify(refused.headers)).not.toContain(token)
          first = begun[family]
          const answer = yield* askServed(path, body("Why?", {}), headers)
          expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("bad key [redacted]")])
          expect(answer.text).not.toContain(token)
        }).pipe(Effect.provide(servedTo(streamProviders(port, { credential }))))
      }).pipe(Effect.scoped)
    )
  }
})

/** What a browser would obey if it opened the gateway's address. */
const dangerous = {
  "set-cookie": "session=theirs",
  refresh: "0;url=https://evil.example",
  "content-security-policy": "default-src theirs",
  "content-security-policy-report-only": "default-src theirs",
  "clear-site-data": '"theirs"',
  "access-control-allow-origin": "https://evil.example",
  "access-control-allow-credentials": "theirs",
  "access-control-expose-headers": "theirs",
  "cross-origin-opener-policy": "theirs",
  "cross-origin-resource-policy": "theirs",
  "service-worker-allowed": "/theirs",
  sourcemap: "/theirs",
  "x-sourcemap": "/theirs",
  link: "</theirs>; rel=preload",
  nel: "theirs",
  "report-to": "theirs",
  "reporting-endpoints": "theirs",
  "alt-svc": "theirs",
  "strict-transport-security": "max-age=0; theirs",
  "public-key-pins": "theirs",
  "www-authenticate": "Basic realm=theirs",
  "x-frame-options": "theirs",
  "x-xss-protection": "theirs",
  "permissions-policy": "theirs",
  "origin-agent-cluster": "theirs",
  "speculation-rules": '"/theirs"',
  "x-accel-redirect": "/theirs"
}

describe("an upstream that sends headers for browsers", () => {
  it.live("cannot set them on the gateway's origin, with a success or an error", () =>
    Effect.gen(function* () {
      let status = 200
      const { port } = yield* httpUpstream((res) =>
        res.writeHead(status, { ...dangerous, "content-type": "application/json" }).end('{"results":[]}')
      )
      yield* Effect.gen(function* () {
        for (status of [200, 400, 500]) {
          const answer = yield* askServed("/v1/rerank", question)
          expect(answer.status).toBe(status)
          expect(JSON.stringify(answer.headers)).not.toMatch(/theirs|evil/)
        }
      }).pipe(Effect.provide(servedTo(rerankAt(port, token))))
    }).pipe(Effect.scoped)
  )
})
