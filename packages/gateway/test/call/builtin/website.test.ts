import { describe, expect, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { createHash } from "node:crypto"
import { contracts } from "../../../src/call/builtin/contracts.ts"
import { SalesData, SalesSource, type Snapshot } from "../../../src/call/builtin/salesData.ts"
import { catalogue, exchangeOf } from "../builtinExchange.ts"

const hashHeader = "X-Tollgate-Contract-Hash"
const revisionHeader = "X-Tollgate-Docs-Revision"

interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** The website's endpoints, with this source of sales data. */
const website = (source?: Effect.Effect<Snapshot, unknown>) =>
  Effect.map(
    contracts(catalogue),
    (own) => (path: string) =>
      Effect.flatMap(exchangeOf(path), (exchange) => {
        const answer = Object.entries(own).find(([id]) => id === exchange.operation.id)?.[1]
        return answer === undefined ? Effect.die(`no builtin answers ${exchange.operation.id}`) : answer(exchange)
      }).pipe(
        Effect.match({
          onSuccess: ({ bytes, headers, status }): Answered => ({
            status,
            headers,
            text: new TextDecoder().decode(bytes)
          }),
          onFailure: ({ headers, refusal }): Answered => ({ status: 0, headers, text: refusal.code })
        })
      )
  ).pipe(Effect.provideService(SalesData, source && new SalesSource(source)), Effect.provide(Digest.layerWebCrypto))

describe("the contract endpoints", () => {
  it.effect("serve exactly the bytes whose hash is the version", () =>
    Effect.gen(function* () {
      const get = yield* website()
      const version = yield* get("/api/contracts/version")
      const { contentHash, docsRevision } = JSON.parse(version.text) as Record<string, string>
      const headers = { [hashHeader]: contentHash, [revisionHeader]: docsRevision }
      expect(version.headers).toMatchObject(headers)
      const whole = yield* get(`/api/contracts/source?hash=${contentHash}&bundled=1`)
      expect([whole.status, whole.headers]).toMatchObject([200, headers])
      expect(createHash("sha256").update(whole.text).digest("hex")).toBe(contentHash)
      const both = yield* get(`/api/contracts/source?hash=${contentHash}&bundled=1&operation_id=rerank`)
      expect(both.text).toBe(whole.text)
    })
  )

  it.effect("serve one operation by its id, and 404 for an unknown id", () =>
    Effect.gen(function* () {
      const get = yield* website()
      const { contentHash } = JSON.parse((yield* get("/api/contracts/version")).text) as Record<string, string>
      const one = (id: string) =>
        get(`/api/contracts/source?hash=${contentHash}&operation_id=${encodeURIComponent(id)}`)
      const first = yield* one("reseller.cached_answer")
      expect(Object.keys((JSON.parse(first.text) as { readonly paths: object }).paths)).toEqual([
        "/apis/v1/reseller/cache/{id}"
      ])
      expect(yield* one("reseller.cached_answer")).toEqual(first)
      expect((yield* one("images.generate")).status).toBe(200)
      for (const id of ["none", "__proto__", "{reseller}.cached_answer", "' OR 1=1"]) {
        expect([id, (yield* one(id)).text]).toEqual([id, "route_not_found"])
      }
    })
  )

  it.effect("refuse another hash, and name the current one in every answer", () =>
    Effect.gen(function* () {
      const get = yield* website()
      const { contentHash } = JSON.parse((yield* get("/api/contracts/version")).text) as Record<string, string>
      const asked = {
        "hash=other&bundled=1": "contract_mismatch",
        [`hash=${contentHash?.toUpperCase()}&bundled=1`]: "contract_mismatch",
        "hash=other&operation_id=rerank": "contract_mismatch",
        [`hash=${contentHash}`]: "invalid_request",
        [`hash=${contentHash}&operation_id=none`]: "route_not_found"
      }
      for (const [query, code] of Object.entries(asked)) {
        const { headers, text } = yield* get(`/api/contracts/source?${query}`)
        expect([query, text, headers[hashHeader]]).toEqual([query, code, contentHash])
      }
    })
  )
})

describe("sales data", () => {
  const unavailable = {
    error: {
      code: "verified_sales_source_unavailable",
      message: expect.any(String),
      type: "source_error",
      request_id: "req_1"
    },
    freshness: "unavailable",
    reason_code: "verified_sales_source_unavailable"
  }

  it.effect("are unavailable without a source", () =>
    Effect.gen(function* () {
      const get = yield* website()
      const answer = yield* get("/api/sales-api-data")
      expect([answer.status, JSON.parse(answer.text)]).toEqual([503, unavailable])
      expect(answer.headers[hashHeader]).toMatch(/^[0-9a-f]{64}$/)
    })
  )

  it.effect("are fresh while the source answers, stale while it fails, and fresh again after that", () => {
    let now: Effect.Effect<Snapshot, unknown> = Effect.fail("no file")
    let reads = 0
    const source = Effect.suspend(() => (reads++, now))
    return Effect.gen(function* () {
      const get = yield* website(source)
      const read = Effect.map(get("/api/sales-api-data"), ({ status, text }) => [status, JSON.parse(text) as unknown])
      expect(yield* read).toEqual([503, unavailable])
      // A snapshot cannot set its own freshness.
      now = Effect.succeed({ observedAt: 1_000, data: { total: 7, freshness: "made up" } })
      yield* TestClock.adjust("10 seconds")
      const observed_at = "1970-01-01T00:00:01.000Z"
      expect(yield* read).toEqual([200, { total: 7, freshness: "fresh", observed_at }])
      now = Effect.die("the disk is gone")
      yield* read
      yield* TestClock.adjust("10 seconds")
      for (let i = 0; i < 5; i++) {
        expect(yield* read).toEqual([200, { total: 7, freshness: "stale", observed_at }])
      }
      expect(reads).toBe(3)
      now = Effect.succeed({ observedAt: 2_000, data: { total: 8 } })
      yield* TestClock.adjust("10 seconds")
      expect(yield* read).toMatchObject([200, { total: 8, freshness: "fresh" }])
    })
  })

  it.effect("do not wait longer than five seconds for a source", () =>
    Effect.gen(function* () {
      let begun = false
      const source = Effect.andThen(
        Effect.sync(() => (begun = true)),
        Effect.never
      )
      const get = yield* website(source)
      const waiting = yield* Effect.forkChild(get("/api/sales-api-data"))
      while (!begun) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("5 seconds")
      expect(waiting.pollUnsafe()).toMatchObject({ value: { status: 503 } })
    })
  )
})
