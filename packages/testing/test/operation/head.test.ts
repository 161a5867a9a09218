import { describe, expect, it } from "@effect/vitest"
import type { Operation } from "@tollgate/contract/Operation"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { calls, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Layer from "effect/Layer"

const bearer = { authorization: `Bearer ${key}` }
const comments = "/apis/v1/social_b/post/comments?url=https%3A%2F%2Fexample.com%2Fp"

const onSockets = (operations: ReadonlyArray<Operation>) =>
  Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations, sandbox: "all" })))

/** What is of the connection, or differs between two answers to the same question. */
const varying = /^(?:date|connection|keep-alive|x-request-id)$|remaining|reset/
const comparable = (headers: Readonly<Record<string, string | undefined>>) =>
  Object.entries(headers).filter(([name]) => !varying.test(name))

describe("HEAD", () => {
  it.live("of an operation that is free has the headers of GET and no body", () =>
    Effect.gen(function* () {
      for (const path of ["/v1/models", "/v1/usage?start_time=0", "/api/contracts/version", "/v1/models?limit=x"]) {
        const get = yield* ask("GET", path, bearer)
        const head = yield* ask("HEAD", path, bearer)
        expect([head.status, head.text], path).toEqual([get.status, ""])
        expect(comparable(head.headers), path).toEqual(comparable(get.headers))
        expect(head.headers["content-length"], path).toBe(String(get.bytes.length))
      }
    }).pipe(Effect.provide(onSockets(priced)))
  )

  it.live("needs the credential that GET needs, and counts towards the same limits", () =>
    Effect.gen(function* () {
      expect((yield* ask("HEAD", "/v1/models")).status).toBe(401)
      expect((yield* ask("HEAD", "/v1/models", { authorization: "Bearer tg_wrong" })).status).toBe(401)
      expect((yield* ask("HEAD", comments)).status).toBe(401)
      const remaining = Effect.map(ask("HEAD", "/v1/models", bearer), ({ headers }) =>
        Number(headers["x-ratelimit-remaining-requests"] ?? headers["x-ratelimit-remaining"])
      )
      const before = yield* remaining
      expect(yield* remaining).toBe(before - 1)
    }).pipe(Effect.provide(onSockets(priced)))
  )

  it.live("of an operation that is billed is refused, and nothing runs", () =>
    Effect.gen(function* () {
      const { headers, status } = yield* ask("HEAD", comments, bearer)
      expect([status, headers["allow"], headers["x-tollgate-cost-state"]]).toEqual([405, "GET", "none"])
      expect(yield* calls).toEqual([])
    }).pipe(Effect.provide(onSockets(priced)))
  )

  it.live("of the address that finishes a link is refused, so that a link preview does not use its code up", () =>
    Effect.gen(function* () {
      const { headers, status } = yield* ask("HEAD", "/apis/v1/social_a/oauth_callback?state=a&code=b", bearer)
      expect([status, headers["allow"]]).toEqual([405, "GET"])
    }).pipe(Effect.provide(onSockets(priced)))
  )

  it.live("of what the caller has gets 304, and its headers are in no other answer", () =>
    Effect.gen(function* () {
      const { etag = "" } = (yield* ask("GET", "/api/contracts/version")).headers
      const { status } = yield* ask("HEAD", "/api/contracts/version", { "if-none-match": etag })
      expect([status, Object.keys(Headers.empty)]).toEqual([304, []])
    }).pipe(Effect.provide(onSockets(priced)))
  )

  it.live("is among the methods of a path if it is answered there", () =>
    Effect.gen(function* () {
      expect((yield* ask("DELETE", "/v1/models", bearer)).headers["allow"]).toBe("GET, HEAD")
      expect((yield* ask("DELETE", comments, bearer)).headers["allow"]).toBe("GET")
      expect((yield* ask("HEAD", "/v1/rerank", bearer)).headers["allow"]).toBe("POST")
    }).pipe(Effect.provide(onSockets(priced)))
  )

  it.live("is answered for an operation that the operator made free", () =>
    Effect.gen(function* () {
      const { status, text } = yield* ask("HEAD", comments, bearer)
      expect([status, text]).toEqual([200, ""])
    }).pipe(Effect.provide(onSockets(priced.map((operation) => ({ ...operation, price: { contract: "free" } })))))
  )
})
