import { describe, expect, it } from "@effect/vitest"
import { AnswerCacheBytes } from "@tollgate/gateway/cache/AnswerCache"
import { BaseUrl } from "@tollgate/gateway/exchange/BaseUrl"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { ask } from "@tollgate/testing/ask"
import { bearer, layer, Tenants } from "@tollgate/testing/link/app"

const tag = "/apis/v1/reseller/social_c/web/fetch_tag_detail"
const base = "http://127.0.0.1:8787"

const urlIn = (text: string): string => (JSON.parse(text) as { readonly cache_url: string }).cache_url
const pathIn = (text: string): string => urlIn(text).replace(base, "")

const fetchTag = (key: string, query = "tag_name=x") => ask("GET", `${tag}?${query}`, bearer(key))
const read = (key: string, path: string) => ask("GET", path, bearer(key))

/** An upstream that always answers with this text. */
const answering = (text: string | Uint8Array<ArrayBuffer>, init: ResponseInit = {}) =>
  HttpClient.make((request) =>
    Effect.succeed(
      HttpClientResponse.fromWeb(
        request,
        new Response(text, { headers: { "content-type": "application/json" }, ...init })
      )
    )
  )

const keptIds = Effect.flatMap(Tenants, ({ sql }) => sql`SELECT id FROM answer_cache`)

describe("a reseller's answer", () => {
  it.effect("can be read at its cache_url for a day, byte for byte, at no cost", () =>
    Effect.gen(function* () {
      const { billingLog, one } = yield* Tenants
      // So that no sweep falls on the expiry.
      yield* TestClock.adjust("1 minute")
      const first = yield* fetchTag(one.key)
      expect(urlIn(first.text)).toMatch(/^http:\/\/127\.0\.0\.1:8787\/apis\/v1\/reseller\/cache\/[0-9a-f]{32}$/)
      const again = yield* read(one.key, pathIn(first.text))
      expect([again.status, again.headers["content-type"], again.text]).toEqual([200, "application/json", first.text])
      expect(yield* billingLog.count).toBe(1)
      yield* TestClock.adjust("86399999 millis")
      expect((yield* read(one.key, pathIn(first.text))).status).toBe(200)
      yield* TestClock.adjust("1 millis")
      expect((yield* read(one.key, pathIn(first.text))).status).toBe(404)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("can be read by its account only: another account's answer looks like one that does not exist", () =>
    Effect.gen(function* () {
      const { accounts, one, two } = yield* Tenants
      const path = pathIn((yield* fetchTag(one.key)).text)
      const sister = yield* accounts.createKey(one.account, {})
      expect((yield* read(Redacted.value(sister.value), path)).status).toBe(200)
      const foreign = yield* read(two.key, path)
      const unknown = yield* read(two.key, `/apis/v1/reseller/cache/${"0".repeat(32)}`)
      const bare = ({ text }: { readonly text: string }) => text.replace(/"request_id":"\w+"/, "")
      expect([foreign.status, bare(foreign)]).toEqual([404, bare(unknown)])
      expect((yield* ask("GET", path)).status).toBe(401)
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    "%27%20OR%201=1--",
    "..%2f..%2fsecret",
    "a".repeat(5_000),
    "%00",
    "%f0%9f%94%92",
    "x';DROP TABLE answer_cache",
    "__proto__",
    "0".repeat(31),
    "A".repeat(32)
  ])("is not found under the id %s", (id) =>
    Effect.gen(function* () {
      const { one } = yield* Tenants
      const path = pathIn((yield* fetchTag(one.key)).text)
      expect((yield* read(one.key, `/apis/v1/reseller/cache/${id}`)).status).toBe(404)
      expect((yield* read(one.key, path)).status).toBe(200)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("keeps all its other bytes: odd numbers, escapes, order, spaces", () => {
    const text =
      '{ "data": {"cache_url": "inner", "n": 12345678901234567890.10, "e": 1E400, "s": "\\u0041\\/"}, "code" :200,\n' +
      '  "cache_url" : "https://up.invalid/c\\u002f1" , "code_": [ ], "x":"\u{1f512}" }\n'
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      const answer = yield* fetchTag(one.key)
      const url = urlIn(answer.text)
      expect(answer.text).toBe(text.replace('"https://up.invalid/c\\u002f1"', JSON.stringify(url)))
      expect((yield* read(one.key, url.replace("https://gate.example/g", ""))).text).toBe(answer.text)
    }).pipe(
      Effect.provide(layer({ outside: answering(text), references: Layer.succeed(BaseUrl, "https://gate.example/g") }))
    )
  })

  const envelope = { code: 200, cache_url: "https://up.invalid/1", data: 1 }
  const others: ReadonlyArray<readonly [string, string | Uint8Array<ArrayBuffer>, ResponseInit?]> = [
    ["has another code than 200", JSON.stringify({ ...envelope, code: 400 })],
    ["has a code with a decimal point", JSON.stringify(envelope).replace("200", "200.0")],
    ["has a code that is not a number", JSON.stringify({ ...envelope, code: "200" })],
    ["has no cache_url", JSON.stringify({ code: 200 })],
    ["has a null cache_url", JSON.stringify({ ...envelope, cache_url: null })],
    [
      "is not UTF-8",
      new Uint8Array([...Buffer.from(JSON.stringify(envelope).slice(0, -1)), 0x2c, 0x22, 0xff, 0x22, 0x3a, 0x30, 0x7d])
    ],
    ["has status 500", JSON.stringify(envelope), { status: 500 }]
  ]
  it.effect.each(others)("that %s is passed on unchanged and not kept", ([, body, init]) =>
    Effect.gen(function* () {
      const { one } = yield* Tenants
      const answer = yield* fetchTag(one.key)
      expect(Buffer.from(answer.bytes)).toEqual(Buffer.from(body as string))
      expect(yield* keptIds).toEqual([])
    }).pipe(Effect.provide(layer({ outside: answering(body, init) })))
  )

  const unmetered: typeof others = [
    ["has the type of a page", JSON.stringify(envelope), { headers: { "content-type": "text/html" } }],
    ["has a nested cache_url only", JSON.stringify({ data: envelope })],
    ["is an array", JSON.stringify([envelope])],
    ["is null", "null"],
    ["is HTML", "<html>"],
    ["is empty", ""],
    ["is truncated", JSON.stringify(envelope).slice(0, -1)]
  ]
  it.effect.each(unmetered)("that %s is neither delivered nor kept", ([, body, init]) =>
    Effect.gen(function* () {
      const { one } = yield* Tenants
      const answer = yield* fetchTag(one.key)
      expect([answer.status, answer.json()]).toMatchObject([502, { error: { code: "answer_not_metered" } }])
      expect(yield* keptIds).toEqual([])
    }).pipe(Effect.provide(layer({ outside: answering(body, init) })))
  )

  it.effect("is passed on unchanged if it cannot be stored, and reading it answers 503", () =>
    Effect.gen(function* () {
      const { one, sql } = yield* Tenants
      yield* sql`ALTER TABLE answer_cache RENAME TO gone`
      const answer = yield* fetchTag(one.key)
      expect([answer.status, answer.json()]).toEqual([200, envelope])
      const reading = yield* read(one.key, `/apis/v1/reseller/cache/${"0".repeat(32)}`)
      expect([reading.status, reading.json()]).toMatchObject([503, { error: { code: "billing_unavailable" } }])
    }).pipe(Effect.provide(layer({ outside: answering(JSON.stringify(envelope)) })))
  )

  it.effect("of another operation is passed on unchanged", () =>
    Effect.gen(function* () {
      const { one } = yield* Tenants
      const answer = yield* ask("GET", "/apis/v1/social_a/tweet/quotes?tweetId=1", bearer(one.key))
      expect(answer.json()).toEqual({ ...envelope, tweets: [] })
    }).pipe(Effect.provide(layer({ outside: answering(JSON.stringify({ ...envelope, tweets: [] })) })))
  )
})

describe("the kept answers", () => {
  const body = (size: number) => JSON.stringify({ code: 200, cache_url: "", data: "x".repeat(size) })
  const bounded = (most: number) => ({ references: Layer.succeed(AnswerCacheBytes, most) })

  it.effect("are bounded per account: the oldest are deleted first", () =>
    Effect.gen(function* () {
      const { one, sql, two } = yield* Tenants
      const paths: Array<string> = []
      for (let i = 0; i < 7; i++) paths.push(pathIn((yield* fetchTag(one.key)).text))
      const theirs = pathIn((yield* fetchTag(two.key)).text)
      const [{ held } = { held: 0 }] = yield* sql<{ readonly held: number }>`
        SELECT SUM(LENGTH(body)) AS held FROM answer_cache WHERE account = ${one.account}`
      expect(held).toBeGreaterThan(3_000)
      expect(held).toBeLessThanOrEqual(4_000)
      const found = []
      for (const path of paths) found.push((yield* read(one.key, path)).status)
      expect(found).toEqual([404, 404, 404, 404, 200, 200, 200])
      expect((yield* read(two.key, theirs)).status).toBe(200)
    }).pipe(Effect.provide(layer({ outside: answering(body(1_000)), ...bounded(5_000) })))
  )

  it.effect("do not include an answer over the limit, and none is deleted for it", () => {
    let size = 100
    const outside = HttpClient.make((request) =>
      Effect.sync(() => HttpClientResponse.fromWeb(request, Response.json(JSON.parse(body(size)))))
    )
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      const small = pathIn((yield* fetchTag(one.key)).text)
      size = 5_000
      expect(urlIn((yield* fetchTag(one.key)).text)).toBe("")
      expect((yield* read(one.key, small)).status).toBe(200)
    }).pipe(Effect.provide(layer({ outside, ...bounded(4_000) })))
  })

  it.effect("are all deleted from the store after a day", () =>
    Effect.gen(function* () {
      const { one, sql } = yield* Tenants
      for (let i = 0; i < 450; i++) {
        yield* sql`INSERT INTO answer_cache VALUES (${`id${i}`}, ${one.account}, 'call', 200, NULL, '{}', x'00', '0', '{}', ${i}, ${i + 1}, 0, ${86_400_000})`
      }
      yield* fetchTag(one.key)
      yield* TestClock.adjust("24 hours")
      yield* TestClock.adjust("10 minutes")
      expect(yield* keptIds).toEqual([])
      yield* fetchTag(one.key)
      expect(yield* sql`SELECT since FROM answer_cache`).toEqual([{ since: 0 }])
    }).pipe(Effect.provide(layer({ outside: answering(body(10)) })))
  )

  it.effect("can be stored concurrently", () =>
    Effect.gen(function* () {
      const { one } = yield* Tenants
      const answers = yield* Effect.all(
        Array.from({ length: 30 }, () => fetchTag(one.key)),
        { concurrency: "unbounded" }
      )
      expect(new Set(answers.map(({ text }) => urlIn(text))).size).toBe(30)
      for (const { text } of answers) expect((yield* read(one.key, pathIn(text))).text).toBe(text)
    }).pipe(Effect.provide(layer()))
  )
})
