import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

// Over sockets. The clock stands still unless a test moves it.
const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.effect(name, () =>
    Effect.provide(effect(), Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ limits: true }))))
  )

type Fields = Readonly<Record<string, unknown>>

const bearer = { authorization: `Bearer ${key}` }
const start = "start_time=1"

const every = [
  ["GET", ""],
  ["GET", "/calls"],
  ["GET", "/calls/req_x"],
  ["GET", `/usage?${start}`],
  ["GET", "/limits"],
  ["GET", "/tasks"],
  ["GET", "/grants"],
  ["POST", "/grants/gr_x/revoke"],
  ["GET", "/link"],
  ["POST", "/link/remove"],
  ["GET", "/operations"],
  ["POST", "/snippets"]
] as const

const errorOf = (body: unknown): Fields => (body as { readonly error: Fields }).error

describe("the account API", () => {
  test("answers nobody without a key in the Authorization header, and reads it from nowhere else", () =>
    Effect.gen(function* () {
      const wrong = [{}, { authorization: `Bearer ${key}x` }, { "x-api-key": key }, { cookie: `key=${key}` }]
      for (const [method, path] of [...every, ["GET", "/nothing"], ["OPTIONS", "/calls"]] as const) {
        for (const headers of wrong) {
          const answer = yield* ask(method, `/account/v1${path}`, { ...headers, origin: "https://evil.example" })
          expect(answer.status, `${method} ${path}`).toBe(401)
          expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/)
          expect(answer.headers["access-control-allow-origin"]).toBeUndefined()
          expect(answer.headers["cache-control"]).toBe("no-store")
          expect(answer.headers["x-request-id"]).toMatch(/^req_/)
          expect(answer.text).not.toContain(key)
        }
        yield* TestClock.adjust("1 minute")
      }
      expect((yield* ask("GET", `/account/v1?key=${key}`)).status).toBe(401)
    }))

  test("limits wrong keys by address, as every path does", () =>
    Effect.gen(function* () {
      const guesses = yield* Effect.forEach(Array.from({ length: 65 }), (_, i) =>
        ask("GET", "/account/v1", { authorization: `Bearer wrong-${i}` })
      )
      expect(guesses.filter(({ status }) => status === 401)).toHaveLength(60)
      expect(guesses.at(-1)?.status).toBe(429)
      expect((yield* ask("POST", "/v1/rerank", { authorization: "Bearer wrong" }, "{}")).status).toBe(429)
    }))

  test("lets no page of another origin read an answer, and answers are typed and not kept", () =>
    Effect.gen(function* () {
      const { headers } = yield* ask("GET", "/account/v1", { ...bearer, origin: "https://evil.example" })
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([])
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "content-type": "application/json"
      })
    }))

  test("refuses other methods with those that it allows, and unknown paths", () =>
    Effect.gen(function* () {
      for (const [method, path] of every) {
        const other = method === "GET" ? "POST" : "GET"
        for (const wrong of [other, "DELETE", "PATCH"] as const) {
          const answer = yield* ask(wrong, `/account/v1${path}`, bearer, wrong === "GET" ? undefined : "{}")
          expect([answer.status, answer.headers.allow], `${wrong} ${path}`).toEqual([405, method])
        }
      }
      for (const path of ["/", "/calls/", "/calls/a/b", "/grants//revoke", "/Calls", "/%63alls", "/../admin"]) {
        const answer = yield* ask("GET", `/account/v1${path.replaceAll("..", "%2e%2e")}`, bearer)
        expect([answer.status, errorOf(answer.json()).code], path).toEqual([404, "route_not_found"])
      }
      expect((yield* ask("GET", "/account/v1x", bearer)).json()).not.toMatchObject({ credential: {} })
    }))

  test("does not work with a revoked key any more", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const made = yield* accounts.createKey(account, {})
      const headers = { authorization: `Bearer ${Redacted.value(made.value)}` }
      expect((yield* ask("GET", "/account/v1", headers)).status).toBe(200)
      yield* accounts.revokeKey(made.id)
      yield* TestClock.adjust("1 second")
      expect((yield* ask("GET", "/account/v1", headers)).status).toBe(401)
    }))

  test("names what is wrong with a query, and never answers more than was asked for", () =>
    Effect.gen(function* () {
      const wrong = [
        ["/calls?limit=0", "limit"],
        ["/calls?limit=1001", "limit"],
        ["/calls?limit=1e2", "limit"],
        ["/calls?limit=", "limit"],
        ["/calls?since=-1", "since"],
        ["/calls?state=all", "state"],
        ["/calls?status=6xx", "status"],
        ["/calls?status=20", "status"],
        ["/calls?status=999", "status"],
        ["/calls?to=1.5", "to"],
        ["/calls?cost_state=none", "cost_state"],
        ["/calls?key=", "key"],
        [`/calls?model=${"m".repeat(301)}`, "model"],
        ["/calls?operaton=rerank", "operaton"],
        ["/calls?__proto__=1", "__proto__"],
        ["/calls?limit=%ff", "The query is not valid"],
        ["/operations?%", "The query is not valid"],
        ["/usage", "start_time"],
        ["/usage?start_time=yesterday", "start_time"],
        [`/usage?${start}&width=1m`, "width"],
        [`/usage?${start}&end_time=0x10`, "end_time"]
      ] as const
      for (const [path, param] of wrong) {
        const answer = yield* ask("GET", `/account/v1${path}`, bearer)
        const { code, message } = errorOf(answer.json())
        expect([answer.status, code], path).toEqual([400, "invalid_request"])
        expect(String(message).split(":")[0], path).toBe(param)
      }
    }))

  test("refuses bodies that are too large, not JSON, too deep or not of its fields", () =>
    Effect.gen(function* () {
      const send = (body: string) => ask("POST", "/account/v1/snippets", bearer, body)
      expect(
        (yield* send(JSON.stringify({ operation: "rerank", arguments: { query: "q".repeat(70_000) } }))).status
      ).toBe(413)
      const nested = `${"[".repeat(30_000)}${"]".repeat(30_000)}`
      for (const body of [
        "",
        "{",
        "[]",
        "null",
        '{"operation":"rerank"}',
        '{"operation":1,"arguments":{}}',
        '{"operation":"rerank","arguments":[]}',
        '{"operation":"rerank","arguments":{},"more":1}',
        '{"operation":"rerank","arguments":{},"stream":"yes"}',
        '{"operation":"rerank","arguments":{},"max_price_usd":"-1"}',
        '{"operation":"rerank","arguments":{},"max_price_usd":0.5}',
        '{"operation":"rerank","arguments":{},"max_price_usd":"1\\"; id"}',
        '{"operation":"rerank","arguments":{},"scenario":"$(id)"}',
        '{"operation":"rerank","arguments":{},"scenario":"html\\r\\nx: 1"}',
        `{"operation":"rerank","arguments":{"documents":${nested}}}`,
        `{"operation":"task.get","arguments":{"task_id":["a"]}}`,
        String.raw`{"operation":"task.get","arguments":{"task_id":"\ud800"}}`,
        String.raw`{"operation":"usage","arguments":{"\ud800":"1"}}`
      ]) {
        const answer = yield* send(body)
        expect([answer.status, errorOf(answer.json()).code], body.slice(0, 80)).toEqual([400, "invalid_request"])
      }
      const many = yield* send(JSON.stringify({ operation: "rerank", arguments: { documents: Array(1_001).fill(1) } }))
      expect([many.status, errorOf(many.json()).message]).toEqual([400, "arguments: have more than 1000 values."])
      const unknown = yield* send('{"operation":"__proto__","arguments":{}}')
      expect([unknown.status, errorOf(unknown.json()).code]).toEqual([404, "route_not_found"])
      expect((yield* ask("POST", "/account/v1/grants/gr_x/revoke", bearer, '{"all":true}')).status).toBe(400)
    }))
})
