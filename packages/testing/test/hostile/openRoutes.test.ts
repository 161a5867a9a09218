import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask, question } from "@tollgate/testing/ask"
import { askFrom, behindProxy } from "@tollgate/testing/hostile/addresses"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

// The clock stands still unless a test moves it, so that no limit refills by itself.
const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.effect(name, () => Effect.provide(effect(), behindProxy))

const version = "/api/contracts/version"
const bearer = { authorization: `Bearer ${key}` }
const wrongKey = { authorization: "Bearer tg_0000000000000000000000000000000000000000" }

const times = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, () => effect),
    { concurrency: 10 }
  )

const statuses = (answers: ReadonlyArray<{ readonly status: number }>) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe("an open route", () => {
  test("is limited by address, and no other address and no key is affected", () =>
    Effect.gen(function* () {
      const flood = yield* times(100, askFrom("203.0.113.7", "GET", version))
      expect(statuses(flood)).toEqual({ 200: 60, 429: 40 })
      const limited = yield* askFrom("203.0.113.7", "GET", "/api/sales-api-data")
      expect([limited.status, limited.headers["retry-after"]]).toEqual([429, "1"])
      expect((yield* askFrom("203.0.113.8", "GET", version)).status).toBe(200)
      expect((yield* askFrom("203.0.113.7", "POST", "/v1/rerank", bearer, question)).status).toBe(200)
      yield* TestClock.adjust("30 seconds")
      expect((yield* askFrom("203.0.113.7", "GET", version)).status).toBe(200)
    }))

  test("is limited for a whole IPv6 network, since one client has all of it", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 60; i++) yield* askFrom(`2001:db8:1:2::${i.toString(16)}`, "GET", version)
      expect((yield* askFrom("2001:db8:1:2:ffff::1", "GET", version)).status).toBe(429)
      expect((yield* askFrom("2001:db8:1:3::1", "GET", version)).status).toBe(200)
    }))

  test("is limited by the address that the proxy saw, not by one that the caller invents", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(
        Array.from({ length: 70 }, (_, i) => i),
        (i) => askFrom(`198.51.100.${i}, 203.0.113.7`, "GET", version)
      )
      expect(statuses(answers)).toEqual({ 200: 60, 429: 10 })
    }))

  it.effect("is limited by the socket's address without a proxy", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(
        Array.from({ length: 70 }, (_, i) => i),
        (i) => askFrom(`198.51.100.${i}`, "GET", version)
      )
      expect(statuses(answers)).toEqual({ 200: 60, 429: 10 })
    }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer()))))
  )
})

describe("a contract document", () => {
  test("is sent once: 304 without a body for a caller who has it", () =>
    Effect.gen(function* () {
      const first = yield* ask("GET", version)
      const { contentHash } = first.json() as { readonly contentHash: string }
      const paths = {
        [version]: "public, max-age=60",
        [`/api/contracts/source?hash=${contentHash}&bundled=1`]: "public, max-age=86400, immutable",
        [`/api/contracts/source?hash=${contentHash}&operation_id=rerank`]: "public, max-age=86400, immutable"
      }
      for (const [path, cacheControl] of Object.entries(paths)) {
        const { headers } = yield* ask("GET", path)
        expect(headers).toMatchObject({
          "cache-control": cacheControl,
          vary: "Origin, Accept-Encoding",
          etag: expect.any(String)
        })
        const etag = headers["etag"] ?? ""
        for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const again = yield* ask("GET", path, { "if-none-match": sent })
          expect([again.status, again.text, again.headers["etag"]], sent).toEqual([304, "", etag])
          expect(again.headers).not.toHaveProperty("content-length")
          expect(again.headers["x-tollgate-contract-hash"]).toBe(contentHash)
        }
        expect((yield* ask("GET", path, { "if-none-match": '"other"' })).status).toBe(200)
      }
    }))

  test("is not cached if it is refused", () =>
    Effect.gen(function* () {
      const refused = yield* ask("GET", "/api/contracts/source?hash=other&bundled=1", { "if-none-match": "*" })
      expect(refused.status).toBe(409)
      expect(refused.headers).not.toHaveProperty("cache-control")
    }))
})

describe("wrong credentials", () => {
  test("are limited by address; a key that worked before goes on working there", () =>
    Effect.gen(function* () {
      expect((yield* askFrom("203.0.113.7", "POST", "/v1/rerank", bearer, question)).status).toBe(200)
      const guesses = yield* times(80, askFrom("203.0.113.7", "POST", "/v1/rerank", wrongKey, question))
      expect(statuses(guesses)).toEqual({ 401: 60, 429: 20 })
      expect((yield* askFrom("203.0.113.7", "POST", "/v1/rerank", bearer, question)).status).toBe(200)
      expect((yield* askFrom("203.0.113.9", "POST", "/v1/rerank", wrongKey, question)).status).toBe(401)
    }))

  test("count if all are sent at once, and if they are no keys at all", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      // Well formed, so that it is looked up in the store.
      const { id, value } = yield* accounts.createKey(account, {})
      yield* accounts.revokeKey(id)
      const revoked = { authorization: `Bearer ${Redacted.value(value)}` }
      const send = (address: string, headers: Readonly<Record<string, string>>) =>
        Effect.all(
          Array.from({ length: 80 }, () => askFrom(address, "POST", "/v1/rerank", headers, question)),
          { concurrency: "unbounded" }
        )
      expect(statuses(yield* send("203.0.113.7", revoked))).toEqual({ 401: 60, 429: 20 })
      expect(statuses(yield* send("203.0.113.8", { authorization: "Basic x" }))).toEqual({ 401: 60, 429: 20 })
    }))

  test("do not lock out a right one that the gateway has not seen before, also while they arrive", () =>
    Effect.gen(function* () {
      const send = (headers: Readonly<Record<string, string>>) =>
        askFrom("203.0.113.7", "POST", "/v1/rerank", headers, question)
      yield* times(60, send(wrongKey))
      const limited = yield* send(wrongKey)
      expect([limited.status, limited.headers["retry-after"]]).toEqual([429, "1"])
      const all = yield* Effect.all([...Array.from({ length: 40 }, () => send(wrongKey)), send(bearer)], {
        concurrency: "unbounded"
      })
      expect(statuses(all)).toEqual({ 429: 40, 200: 1 })
    }))

  test("a key that was revoked is not a guess, however often its program sends it", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const old = yield* accounts.createKey(account, {})
      const withOld = { authorization: `Bearer ${Redacted.value(old.value)}` }
      const send = (headers: Readonly<Record<string, string>>) =>
        askFrom("203.0.113.7", "POST", "/v1/rerank", headers, question)
      expect((yield* send(withOld)).status).toBe(200)
      yield* accounts.revokeKey(old.id)
      yield* TestClock.adjust("1 second")
      expect(statuses(yield* times(80, send(withOld)))).toEqual({ 401: 80 })
      expect((yield* send(bearer)).status).toBe(200)
    }))

  test("a missing credential is not a wrong one", () =>
    Effect.gen(function* () {
      const answers = yield* times(80, askFrom("203.0.113.7", "POST", "/v1/rerank", {}, question))
      expect(statuses(answers)).toEqual({ 401: 80 })
      expect((yield* askFrom("203.0.113.7", "POST", "/v1/rerank", bearer, question)).status).toBe(200)
    }))
})
