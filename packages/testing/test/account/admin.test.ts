import { describe, expect, it } from "@effect/vitest"
import { Accounts, Admin, EndpointGroup } from "@tollgate/gateway"
import { Host, key as callersKey, TestGateway } from "@tollgate/testing"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as TestClock from "effect/testing/TestClock"
import { ask, question } from "@tollgate/testing/ask"

const token = "an-admin-token-of-some-length"
const bearer = { authorization: `Bearer ${token}` }

/** The gateway with the admin API in front of it, for any host. */
const behindAdmin = (change: Partial<Accounts["Service"]> = {}) =>
  Layer.effect(
    TestGateway,
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const admin = yield* Admin.make(Redacted.make(token)).pipe(
        Effect.provideService(Accounts, { ...gateway.accounts, ...change }),
        Effect.provide(Layer.mergeAll(Digest.layerWebCrypto, SecureRandom.layerWebCrypto))
      )
      return { ...gateway, app: EndpointGroup.serve([Admin.endpoints(admin)], () => gateway.app) }
    })
  ).pipe(Layer.provide(TestGateway.layer()))

const inProcess = Host.layerInProcess.pipe(Layer.provideMerge(behindAdmin()))
const onNode = Host.layerNode.pipe(Layer.provideMerge(behindAdmin()))
const withoutAdmin = Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer()))

type Method = Parameters<typeof ask>[0]
type Fields = Readonly<Record<string, unknown>>

const operate = Effect.fnUntraced(function* (method: Method, path: string, body?: unknown) {
  const answer = yield* ask(method, `/admin/v1${path}`, bearer, body === undefined ? undefined : JSON.stringify(body))
  return { status: answer.status, headers: answer.headers, text: answer.text, body: answer.json() as Fields }
})

const newAccount = Effect.map(operate("POST", "/accounts", { label: "Acme" }), ({ body }) => String(body.id))

const newKey = Effect.fnUntraced(function* (account: string, terms: Fields = {}) {
  const { body } = yield* operate("POST", `/accounts/${account}/keys`, terms)
  return { id: String(body.id), value: String(body.key) }
})

const statusWith = (key: string) =>
  Effect.map(ask("POST", "/v1/rerank", { authorization: `Bearer ${key}` }, question), ({ status }) => status)

const sqlError = (message: string) =>
  new SqlError({ reason: new UnknownError({ cause: new Error(message), message, operation: "execute" }) })

const errorOf = (body: Fields) => (body.error as Fields | undefined) ?? {}

const every: ReadonlyArray<readonly [Method, string]> = [
  ["GET", "/accounts"],
  ["POST", "/accounts"],
  ["GET", "/accounts/acct_x"],
  ["PATCH", "/accounts/acct_x"],
  ["POST", "/accounts/acct_x/topups"],
  ["POST", "/accounts/acct_x/adjustments"],
  ["POST", "/accounts/acct_x/reversals"],
  ["GET", "/accounts/acct_x/entries"],
  ["GET", "/accounts/acct_x/keys"],
  ["POST", "/accounts/acct_x/keys"],
  ["GET", "/keys"],
  ["GET", "/keys/key_x"],
  ["PATCH", "/keys/key_x"],
  ["POST", "/keys/key_x/revoke"],
  ["POST", "/keys/key_x/rotate"]
]

describe("the admin API needs its token", () => {
  it.effect("requests without the token are refused on every path; a caller's key is not the token", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const wrong = [
        undefined,
        "Bearer ",
        `Bearer ${token}x`,
        `Bearer ${token.slice(0, -1)}`,
        `Bearer ${token.toUpperCase()}`,
        `Bearer ${callersKey}`,
        `Basic ${token}`,
        token
      ]
      for (const [method, path] of [...every, ["GET", ""], ["GET", "/nothing"], ["OPTIONS", "/accounts"]] as const) {
        for (const authorization of wrong) {
          const body = method === "POST" || method === "PATCH" ? '{"label":"x"}' : undefined
          const sent = authorization === undefined ? {} : { authorization }
          const answer = yield* ask(method, `/admin/v1${path}`, sent, body)
          expect([answer.status, answer.headers["www-authenticate"]], `${method} ${path} ${authorization}`).toEqual([
            401,
            "Bearer"
          ])
          expect(answer.text).not.toContain(token)
        }
      }
      expect((yield* accounts.list).map(({ id }) => id)).toEqual([account])
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("the token is read from the Authorization header only", () =>
    Effect.gen(function* () {
      for (const headers of [{ "x-api-key": token }, { "x-goog-api-key": token }, { cookie: `token=${token}` }]) {
        expect((yield* ask("GET", "/admin/v1/accounts", headers)).status).toBe(401)
      }
      expect((yield* ask("GET", `/admin/v1/accounts?key=${token}`)).status).toBe(401)
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("the token is no key: calls with it are refused", () =>
    Effect.gen(function* () {
      expect((yield* ask("POST", "/v1/rerank", bearer, question)).status).toBe(401)
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("answers have no CORS headers and must not be cached", () =>
    Effect.gen(function* () {
      const answer = yield* ask("GET", "/admin/v1/accounts", { ...bearer, origin: "https://example.com" })
      expect(answer.status).toBe(200)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([])
      expect(answer.headers["cache-control"]).toBe("no-store")
      expect(answer.headers["x-request-id"]).toMatch(/^req_/)
    }).pipe(Effect.provide(inProcess))
  )
})

describe("the paths of the admin API", () => {
  it.effect("the admin API is off by default: its paths are unknown", () =>
    Effect.gen(function* () {
      const caller = { authorization: `Bearer ${callersKey}` }
      for (const headers of [caller, bearer, {}]) {
        for (const [method, path] of every) {
          const body = method === "GET" ? undefined : "{}"
          const at = yield* ask(method, `/admin/v1${path}`, headers, body)
          const elsewhere = yield* ask(method, `/nowhere/v1${path}`, headers, body)
          expect([at.status, errorOf(at.json() as Fields).code]).toEqual([
            elsewhere.status,
            errorOf(elsewhere.json() as Fields).code
          ])
          expect(at.status).toBe(headers === caller ? 404 : 401)
        }
      }
    }).pipe(Effect.provide(withoutAdmin))
  )

  it.effect("paths with another prefix go to the gateway unchanged", () =>
    Effect.gen(function* () {
      expect(yield* statusWith(callersKey)).toBe(200)
      expect((yield* ask("GET", "/api/contracts/version")).status).toBe(200)
      for (const path of [
        "/admin",
        "/admin/v10/accounts",
        "/admin/v1x",
        "/x/admin/v1/accounts",
        "/Admin/v1/accounts"
      ]) {
        const answer = yield* ask("GET", path, { authorization: `Bearer ${callersKey}` })
        expect([answer.status, errorOf(answer.json() as Fields).code], path).toEqual([404, "route_not_found"])
        expect((yield* ask("GET", path, bearer)).status, path).toBe(401)
      }
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("the catalogue does not list the admin API", () =>
    Effect.gen(function* () {
      const version = (yield* ask("GET", "/api/contracts/version")).json() as Fields
      const source = yield* ask("GET", `/api/contracts/source?hash=${String(version.contentHash)}&bundled=1`)
      expect(source.status).toBe(200)
      expect(source.text).not.toContain("/admin")
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("unknown paths get 404, wrong methods get 405 with Allow", () =>
    Effect.gen(function* () {
      for (const path of ["", "/", "/account", "/accounts/", "/accounts/a/b", "/accounts//keys", "/keys/k/revoke/x"]) {
        const { body, status } = yield* operate("GET", path)
        expect([status, errorOf(body).code], path).toEqual([404, "route_not_found"])
      }
      const allowed = new Map<string, Array<string>>()
      for (const [method, path] of every) allowed.set(path, [...(allowed.get(path) ?? []), method])
      for (const [path, methods] of allowed) {
        for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"] as const) {
          if (methods.includes(method)) continue
          const { body, headers, status } = yield* operate(method, path)
          expect([status, headers.allow, errorOf(body).code], `${method} ${path}`).toEqual([
            405,
            methods.join(", "),
            "method_not_allowed"
          ])
        }
      }
    }).pipe(Effect.provide(inProcess))
  )
})

describe("accounts", () => {
  it.effect("accounts start with the signup credit, and are listed and shown", () =>
    Effect.gen(function* () {
      const made = yield* operate("POST", "/accounts", { label: "Acme" })
      expect(made.status).toBe(201)
      expect(made.body).toEqual({
        id: expect.stringMatching(/^acct_/),
        label: "Acme",
        created_at: "1970-01-01T00:00:00.000Z",
        balance_micros_usd: 5_000_000,
        reserved_micros_usd: 0,
        topped_up_micros_usd: 0,
        tier: "Free",
        rpm: 60,
        tpm: 60_000,
        concurrency: 5,
        multiplier: "1"
      })
      const { account } = yield* TestGateway
      const { body } = yield* operate("GET", "/accounts")
      expect(body).toEqual({ accounts: expect.arrayContaining([made.body, expect.objectContaining({ id: account })]) })
      expect(yield* operate("GET", `/accounts/${String(made.body.id)}`)).toMatchObject({ status: 200, body: made.body })
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("accounts: label, tier, limits and price factor can be set one by one; null resets them", () =>
    Effect.gen(function* () {
      const id = yield* newAccount
      const terms = { label: "B", tier: "Enterprise", rpm: 7, tpm: 8, concurrency: 9, multiplier: "1.45" }
      expect(yield* operate("PATCH", `/accounts/${id}`, terms)).toMatchObject({ status: 200, body: terms })
      expect((yield* operate("PATCH", `/accounts/${id}`, { tier: "Growth" })).body).toMatchObject({
        ...terms,
        tier: "Growth"
      })
      const back = { tier: null, rpm: null, tpm: null, concurrency: null }
      expect((yield* operate("PATCH", `/accounts/${id}`, back)).body).toMatchObject({
        label: "B",
        tier: "Free",
        rpm: 60,
        tpm: 60_000,
        concurrency: 5,
        multiplier: "1.45"
      })
      expect((yield* operate("PATCH", `/accounts/${id}`, {})).body).toMatchObject({ label: "B", multiplier: "1.45" })
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("top-ups with the same id count once, and raise the tier", () =>
    Effect.gen(function* () {
      const id = yield* newAccount
      const other = yield* newAccount
      const topUp = { amount_micros_usd: 25_000_000, note: "invoice 7", id: "inv-7" }
      const paid = { balance_micros_usd: 30_000_000, topped_up_micros_usd: 25_000_000, tier: "Starter", rpm: 600 }
      for (let i = 0; i < 3; i++) {
        expect(yield* operate("POST", `/accounts/${id}/topups`, topUp)).toMatchObject({ status: 200, body: paid })
      }
      for (const [account, change] of [
        [id, { amount_micros_usd: 25_000_001 }],
        [other, {}]
      ] as const) {
        const { body, status } = yield* operate("POST", `/accounts/${account}/topups`, { ...topUp, ...change })
        expect([status, errorOf(body).code]).toEqual([409, "conflict"])
      }
      const adjusted = yield* operate("POST", `/accounts/${id}/adjustments`, topUp)
      expect([adjusted.status, errorOf(adjusted.body).code]).toEqual([409, "conflict"])
      expect((yield* operate("GET", `/accounts/${id}`)).body).toMatchObject(paid)
      expect((yield* operate("GET", `/accounts/${other}`)).body).toMatchObject({ balance_micros_usd: 5_000_000 })
      expect((yield* operate("POST", `/accounts/${id}/topups`, { amount_micros_usd: 475_000_000 })).body).toMatchObject(
        {
          tier: "Growth"
        }
      )
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("adjustments add or take back, never more than the balance, and keep the tier", () =>
    Effect.gen(function* () {
      const id = yield* newAccount
      const at = `/accounts/${id}/adjustments`
      expect((yield* operate("POST", at, { amount_micros_usd: 1, note: "goodwill" })).body).toMatchObject({
        balance_micros_usd: 5_000_001,
        topped_up_micros_usd: 0,
        tier: "Free"
      })
      const tooMuch = yield* operate("POST", at, { amount_micros_usd: -5_000_002, note: "back" })
      expect([tooMuch.status, errorOf(tooMuch.body).code]).toEqual([409, "conflict"])
      const all = { amount_micros_usd: -5_000_001, note: "back", id: "back" }
      for (let i = 0; i < 2; i++) {
        expect((yield* operate("POST", at, all)).body).toMatchObject({ balance_micros_usd: 0 })
      }
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("balances too large for a JSON number are strings", () =>
    Effect.gen(function* () {
      const id = yield* newAccount
      const most = { amount_micros_usd: 1_000_000_000_000_000 }
      let last: Fields = {}
      for (let i = 0; i < 10; i++) last = (yield* operate("POST", `/accounts/${id}/topups`, most)).body
      expect(last.balance_micros_usd).toBe("10000000005000000")
    }).pipe(Effect.provide(inProcess))
  )
})

describe("keys", () => {
  it.effect("a new key works at once, and is shown in that answer only", () =>
    Effect.gen(function* () {
      const account = yield* newAccount
      const terms = {
        label: "prod",
        budget_micros_usd: 1_000_000,
        month_budget_micros_usd: 5
      }
      const made = yield* operate("POST", `/accounts/${account}/keys`, terms)
      expect(made.status).toBe(201)
      const { key, ...rest } = made.body
      expect(key).toMatch(/^tg_/)
      expect(rest).toEqual({
        ...terms,
        id: expect.stringMatching(/^key_/),
        account,
        created_at: "1970-01-01T00:00:00.000Z",
        ends_at: null,
        day_budget_micros_usd: null,
        allowed: null,
        models: null,
        addresses: null,
        spent_micros_usd: 0,
        reserved_micros_usd: 0,
        root_key: rest.id,
        ended: false,
        last_used_at: null,
        spent_today_micros_usd: 0,
        spent_this_month_micros_usd: 0
      })
      expect(yield* statusWith(String(key))).toBe(200)
      const id = String(rest.id)
      const later = [
        yield* operate("GET", `/keys/${id}`),
        yield* operate("GET", "/keys"),
        yield* operate("GET", `/accounts/${account}/keys`),
        yield* operate("GET", `/accounts/${account}`),
        yield* operate("PATCH", `/keys/${id}`, { label: "x" }),
        yield* operate("POST", `/keys/${id}/rotate`),
        yield* operate("POST", `/keys/${id}/revoke`)
      ]
      for (const { status, text } of later) {
        expect(status).toBeLessThan(300)
        expect(text).not.toContain(String(key).slice(0, 20))
      }
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("keys are listed for one account or for all", () =>
    Effect.gen(function* () {
      const account = yield* newAccount
      const { id } = yield* newKey(account)
      const idsAt = (path: string) =>
        Effect.map(operate("GET", path), ({ body }) => (body.keys as ReadonlyArray<Fields>).map((key) => key.id))
      expect(yield* idsAt(`/accounts/${account}/keys`)).toEqual([id])
      expect(yield* idsAt("/keys")).toHaveLength(2)
      expect(yield* idsAt("/keys")).toContain(id)
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("keys: label, budget and quota can be set one by one; null removes them", () =>
    Effect.gen(function* () {
      const { id } = yield* newKey(yield* newAccount)
      const terms = { label: "x", budget_micros_usd: 0, day_budget_micros_usd: 3 }
      expect(yield* operate("PATCH", `/keys/${id}`, terms)).toMatchObject({ status: 200, body: terms })
      expect((yield* operate("PATCH", `/keys/${id}`, { label: "y" })).body).toMatchObject({ ...terms, label: "y" })
      const none = { budget_micros_usd: null, day_budget_micros_usd: null }
      expect((yield* operate("PATCH", `/keys/${id}`, none)).body).toMatchObject({ label: "y", ...none })
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("a revoked key has ended; revoking it again does not move its end", () =>
    Effect.gen(function* () {
      const { id, value } = yield* newKey(yield* newAccount)
      const ended = yield* operate("POST", `/keys/${id}/revoke`)
      expect(ended).toMatchObject({ status: 200, body: { id, ends_at: expect.any(String) } })
      expect(yield* statusWith(value)).toBe(401)
      yield* TestClock.adjust("1 hour")
      expect((yield* operate("POST", `/keys/${id}/revoke`, {})).body).toEqual(ended.body)
      const rotated = yield* operate("POST", `/keys/${id}/rotate`)
      expect([rotated.status, errorOf(rotated.body).code]).toEqual([409, "conflict"])
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("keys rotate: the old key stays valid for the grace period, 24 h by default", () =>
    Effect.gen(function* () {
      const account = yield* newAccount
      const old = yield* newKey(account, { label: "prod", budget_micros_usd: 9 })
      const rotated = yield* operate("POST", `/keys/${old.id}/rotate`, { grace_seconds: 60 })
      expect(rotated).toMatchObject({
        status: 201,
        body: { account, label: "prod", budget_micros_usd: 9, ends_at: null }
      })
      expect(yield* statusWith(old.value)).toBe(200)
      expect(yield* statusWith(String(rotated.body.key))).toBe(200)
      expect((yield* operate("GET", `/keys/${old.id}`)).body.ends_at).toBe("1970-01-01T00:01:00.000Z")

      const second = yield* newKey(account)
      yield* operate("POST", `/keys/${second.id}/rotate`)
      expect((yield* operate("GET", `/keys/${second.id}`)).body.ends_at).toBe("1970-01-02T00:00:00.000Z")

      const third = yield* newKey(account)
      yield* operate("POST", `/keys/${third.id}/rotate`, { grace_seconds: 0 })
      expect(yield* statusWith(third.value)).toBe(401)
    }).pipe(Effect.provide(inProcess))
  )
})

describe("invalid requests", () => {
  it.effect("unknown ids get 404 with a message on every route", () =>
    Effect.gen(function* () {
      for (const [method, path] of every.filter(([, path]) => path.includes("_x"))) {
        const body = /(?:topups|adjustments|reversals)$/.test(path) ? { amount_micros_usd: 1, note: "why" } : undefined
        const answer = yield* operate(method, path, body)
        const id = path.startsWith("/keys") ? "key key_x" : "account acct_x"
        expect([answer.status, answer.body], `${method} ${path}`).toEqual([
          404,
          {
            error: {
              code: "not_found",
              type: "not_found_error",
              message: `There is no ${id}.`,
              request_id: answer.headers["x-request-id"]
            }
          }
        ])
      }
    }).pipe(Effect.provide(inProcess))
  )

  const bad: ReadonlyArray<readonly [Method, string, unknown, string]> = [
    ["POST", "/accounts", {}, "label"],
    ["POST", "/accounts", { label: "" }, "label"],
    ["POST", "/accounts", { label: 7 }, "label"],
    ["POST", "/accounts", { label: "two\nlines" }, "label"],
    ["POST", "/accounts", { label: "x".repeat(201) }, "label"],
    ["POST", "/accounts", { label: "x", balance: 1 }, "balance"],
    ["POST", "/accounts", [], ""],
    ["POST", "/accounts", null, ""],
    ["PATCH", "/accounts/:a", { tier: "Gold" }, "tier"],
    ["PATCH", "/accounts/:a", { rpm: 0 }, "rpm"],
    ["PATCH", "/accounts/:a", { rpm: 1.5 }, "rpm"],
    ["PATCH", "/accounts/:a", { tpm: "9" }, "tpm"],
    ["PATCH", "/accounts/:a", { multiplier: 1.45 }, "multiplier"],
    ["PATCH", "/accounts/:a", { multiplier: "-1" }, "multiplier"],
    ["PATCH", "/accounts/:a", { balance: 9 }, "balance"],
    ["POST", "/accounts/:a/topups", {}, "amount_micros_usd"],
    ["POST", "/accounts/:a/topups", { amount_micros_usd: 0 }, "amount_micros_usd"],
    ["POST", "/accounts/:a/topups", { amount_micros_usd: -1 }, "amount_micros_usd"],
    ["POST", "/accounts/:a/topups", { amount_micros_usd: 0.5 }, "amount_micros_usd"],
    ["POST", "/accounts/:a/topups", { amount_micros_usd: "5" }, "amount_micros_usd"],
    ["POST", "/accounts/:a/topups", { amount_micros_usd: 1e15 + 1 }, "amount_micros_usd"],
    ["POST", "/accounts/:a/topups", { amount_micros_usd: 1, id: "a b" }, "id"],
    ["POST", "/accounts/:a/adjustments", { amount_micros_usd: null }, "amount_micros_usd"],
    ["POST", "/accounts/:a/reversals", { amount_micros_usd: -1, note: "why" }, "amount_micros_usd"],
    ["POST", "/accounts/:a/reversals", { amount_micros_usd: 1, note: "" }, "note"],
    ["POST", "/accounts/:a/refunds", { call: "req 1", note: "why" }, "call"],
    ["POST", "/accounts/:a/refunds", { call: "req_1", note: "why", amount_micros_usd: 0 }, "amount_micros_usd"],
    ["POST", "/accounts/:a/adjustments", { amount_micros_usd: -1e15 - 1 }, "amount_micros_usd"],
    ["POST", "/accounts/:a/adjustments", { amount_micros_usd: 1 }, "note"],
    ["POST", "/accounts/:a/adjustments", { amount_micros_usd: 1, note: " " }, "note"],
    ["POST", "/accounts/:a/reversals", { amount_micros_usd: 1, note: " " }, "note"],
    ["POST", "/accounts/:a/refunds", { call: "req_1", note: " " }, "note"],
    ["PATCH", "/accounts/:a", { why: "two\nlines" }, "why"],
    ["POST", "/accounts/:a/keys", { budget_micros_usd: -1 }, "budget_micros_usd"],
    ["POST", "/accounts/:a/keys", { day_budget_micros_usd: "5" }, "day_budget_micros_usd"],
    ["POST", "/accounts/:a/keys", { month_budget_micros_usd: -1 }, "month_budget_micros_usd"],
    ["POST", "/accounts/:a/keys", { label: "a\u202eb" }, "label"],
    ["POST", "/accounts/:a/keys", { key: "my-own" }, "key"],
    ["PATCH", "/keys/:k", { account: "acct_other" }, "account"],
    ["POST", "/keys/:k/revoke", { at: 5 }, "at"],
    ["POST", "/keys/:k/rotate", { grace_seconds: -1 }, "grace_seconds"],
    ["POST", "/keys/:k/rotate", { grace_seconds: 2_592_001 }, "grace_seconds"]
  ]

  it.effect("an invalid body gets 400 that names the field, and changes nothing", () =>
    Effect.gen(function* () {
      const account = yield* newAccount
      const { id } = yield* newKey(account)
      const everything = Effect.all([operate("GET", "/accounts"), operate("GET", "/keys")])
      const bodies = Effect.map(everything, (answers) => answers.map(({ body }) => body))
      const before = yield* bodies
      for (const [method, path, sent, field] of bad) {
        const { body, status } = yield* operate(method, path.replace(":a", account).replace(":k", id), sent)
        const what = `${method} ${path} ${JSON.stringify(sent).slice(0, 60)}`
        expect([status, errorOf(body).code], what).toEqual([400, "invalid_request"])
        if (field !== "") expect(errorOf(body).message, what).toMatch(new RegExp(`^${field}: `))
      }
      expect(yield* bodies).toEqual(before)
    }).pipe(Effect.provide(inProcess))
  )

  it.effect("a body that is not JSON gets 400, one that is too large 413", () =>
    Effect.gen(function* () {
      for (const text of ["{", "label=x", "{'label':'x'}", " "]) {
        const answer = yield* ask("POST", "/admin/v1/accounts", bearer, text)
        expect([answer.status, errorOf(answer.json() as Fields).code], text).toEqual([400, "invalid_request"])
      }
      expect((yield* operate("POST", "/accounts", { label: "x".repeat(200_000) })).status).toBe(413)
      expect((yield* operate("POST", "/accounts", { label: "over a socket" })).status).toBe(201)
    }).pipe(Effect.provide(onNode))
  )

  const failing: ReadonlyArray<readonly [string, number, Accounts["Service"]["topUp"]]> = [
    ["a store that is gone", 503, (_, __, note) => Effect.fail(sqlError(note))],
    ["a fault of the gateway's own", 500, (_, __, note) => Effect.die(new Error(note))]
  ]
  for (const [what, status, topUp] of failing) {
    it.effect(`${what} gets ${status}, and neither the answer nor the log repeats what was sent`, () => {
      const lines: Array<string> = []
      const capture = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
      return Effect.gen(function* () {
        const { account } = yield* TestGateway
        const sent = { amount_micros_usd: 1, note: "a-note-with-a-secret" }
        const answer = yield* operate("POST", `/accounts/${account}/topups`, sent)
        expect([answer.status, answer.headers["retry-after"]]).toEqual([status, status === 503 ? "1" : undefined])
        expect(lines.join("\n")).toContain(`admin request failed`)
        expect(lines.join("\n")).toContain(answer.headers["x-request-id"])
        for (const secret of [sent.note, token]) {
          expect(answer.text).not.toContain(secret)
          expect(lines.join("\n")).not.toContain(secret)
        }
      }).pipe(
        Effect.provide(Layer.merge(Host.layerInProcess.pipe(Layer.provideMerge(behindAdmin({ topUp }))), capture))
      )
    })
  }
})

describe("a body that has a name twice", () => {
  it.effect("is refused, and nothing changes", () =>
    Effect.gen(function* () {
      for (const body of ['{"label":"One","label":"Two"}', '{"label":"One","\\u006cabel":"Two"}']) {
        const answer = yield* ask("POST", "/admin/v1/accounts", bearer, body)
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("twice")])
      }
      const { body } = yield* operate("GET", "/accounts")
      expect(JSON.stringify(body)).not.toMatch(/One|Two/)
    }).pipe(Effect.provide(inProcess))
  )
})
