import { describe, expect, it } from "@effect/vitest"
import * as Headers from "@tollgate/contract/Headers"
import { defaults } from "@tollgate/contract/Names"
import { Accounts, Admin, CallLogSql, EndpointGroup, UsageSql } from "@tollgate/gateway"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { providerAt, servedTo } from "@tollgate/testing/hostile/Served"
import { bearer, callTool, send } from "@tollgate/testing/tools/agent"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import type { ServerResponse } from "node:http"

type Fields = Readonly<Record<string, unknown>>
type Groups = ReadonlyArray<{ readonly id: string; readonly totals: Fields }>

const token = "an-admin-token-of-some-length"
const question = JSON.stringify({ query: "q", documents: ["word ".repeat(1_000)] })

/** The gateway with the admin API in front of it. */
const layer = (names = defaults) =>
  Host.layerInProcess.pipe(
    Layer.provideMerge(
      Layer.effect(
        TestGateway,
        Effect.gen(function* () {
          const gateway = yield* TestGateway
          const admin = yield* Admin.make(Redacted.make(token)).pipe(
            Effect.provideService(Accounts, gateway.accounts),
            Effect.provide(Layer.mergeAll(UsageSql.layer, CallLogSql.layer)),
            Effect.provideService(SqlClient, gateway.sql),
            Effect.provide(Layer.mergeAll(Digest.layerWebCrypto, SecureRandom.layerWebCrypto))
          )
          return { ...gateway, app: EndpointGroup.serve([Admin.endpoints(admin)], () => gateway.app) }
        })
      ).pipe(Layer.provide(TestGateway.layer({ names })))
    )
  )

const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.effect(name, () => Effect.provide(effect(), layer()))

const call = Effect.fnUntraced(function* (tags: string, more: Record<string, string> = {}, credential = key) {
  yield* TestClock.adjust("1 second")
  const headers = { authorization: `Bearer ${credential}`, "x-tollgate-tags": tags, ...more }
  return yield* ask("POST", "/v1/rerank", headers, question)
})

const read = (path: string, credential = key) =>
  Effect.map(ask("GET", `/account/v1${path}`, { authorization: `Bearer ${credential}` }), (answer) => ({
    status: answer.status,
    body: answer.json() as Fields
  }))

const operate = (path: string) =>
  Effect.map(ask("GET", `/admin/v1${path}`, { authorization: `Bearer ${token}` }), (answer) => ({
    status: answer.status,
    body: answer.json() as Fields
  }))

const groupsIn = (body: Fields) =>
  Object.fromEntries((body["groups"] as Groups).map(({ id, totals }) => [id, totals.requests]))

describe("tags of a call", () => {
  test("are shown with it in the log, and usage is added up by them, for the caller and the operator", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const sibling = Redacted.value((yield* accounts.createKey(account, {})).value)
      const first = yield* call("team=search,job=nightly")
      const cost = Number(first.headers["x-tollgate-cost-micros-usd"])
      expect([first.status, cost > 0]).toEqual([200, true])
      yield* call("team=search")
      yield* call("team=ads")
      yield* call("team=ads", {}, sibling)
      const story = yield* read(`/calls/${first.headers["x-request-id"]}`)
      expect(story.body).toMatchObject({ tags: { team: "search", job: "nightly" } })
      expect((yield* read("/calls?tag=team%3Dsearch")).body["calls"]).toHaveLength(2)
      expect((yield* read("/calls?tag=Team")).status).toBe(400)
      const mine = yield* read("/usage/tags?start_time=1&tag=team")
      expect(mine.body).toMatchObject({
        scope: "key",
        tag: "team",
        totals: { requests: 3, charged_micros_usd: 3 * cost }
      })
      expect(groupsIn(mine.body)).toEqual({ search: 2, ads: 1 })
      expect(groupsIn((yield* read("/usage/tags?start_time=1")).body)).toEqual({ team: 3, job: 1 })
      for (const path of [`/accounts/${account}/usage/tags`, "/usage/tags"]) {
        const all = yield* operate(`${path}?start_time=1&tag=team`)
        expect(all.body).toMatchObject({ totals: { requests: 4, charged_micros_usd: 4 * cost } })
        expect(groupsIn(all.body)).toEqual({ search: 2, ads: 2 })
      }
      const ads = yield* operate("/usage/tags?start_time=1&tag=team%3Dads")
      expect(groupsIn(ads.body)).toEqual({ [account]: 2 })
      expect((yield* operate(`/accounts/${account}/calls?tag=team`)).body["calls"]).toHaveLength(4)
      expect((yield* operate("/usage/tags?start_time=1&tag=a%20b")).status).toBe(400)
      expect((yield* operate("/accounts/acct_none/usage/tags?start_time=1")).status).toBe(404)
      // Another account sees nothing of it.
      const { id } = yield* accounts.create("other")
      const stranger = Redacted.value((yield* accounts.createKey(id, {})).value)
      expect(groupsIn((yield* read("/usage/tags?start_time=1", stranger)).body)).toEqual({})
    }))

  test("malformed ones are refused with 400 that says what is wrong, and nothing is executed", () =>
    Effect.gen(function* () {
      const { billingLog } = yield* TestGateway
      for (const odd of ["team", "team=", "Team=x", "a=1,a=2", "team=x,", `t=${"v".repeat(65)}`, "x".repeat(5_000)]) {
        const answer = yield* call(odd)
        expect([answer.status, answer.text], odd).toEqual([
          400,
          expect.stringContaining("X-Tollgate-Tags must be like")
        ])
      }
      expect(yield* billingLog.entries).toEqual([])
      expect((yield* read("/calls?state=settled")).body["calls"]).toEqual([])
    }))

  test("are not part of what an idempotency key stands for: the same call with others is a repeat", () =>
    Effect.gen(function* () {
      const keyed = { "idempotency-key": "one", "x-tollgate-idempotency-mode": "replay" }
      expect((yield* call("team=search", keyed)).status).toBe(200)
      const repeat = yield* call("team=ads", keyed)
      expect([repeat.status, repeat.headers["idempotent-replayed"]]).toEqual([200, "true"])
      const { body } = yield* read("/usage/tags?start_time=1&tag=team")
      expect(groupsIn(body)).toEqual({ search: 1, ads: 1 })
    }))

  test("a page of another origin may send them", () =>
    Effect.gen(function* () {
      const asked = { origin: "https://page.example", "access-control-request-headers": "x-tollgate-tags" }
      const answer = yield* ask("OPTIONS", "/v1/rerank", asked)
      expect(answer.headers["access-control-allow-headers"]).toContain("x-tollgate-tags")
    }))

  it.effect("the header has the operator's name", () =>
    Effect.gen(function* () {
      const headers = { authorization: `Bearer ${key}`, "x-acme-tags": "team=search" }
      expect((yield* ask("POST", "/v1/rerank", headers, question)).status).toBe(200)
      expect((yield* read("/calls?tag=team")).body["calls"]).toHaveLength(1)
      expect(Headers.tags({ ...defaults, provider: "Acme" })).toBe("X-Acme-Tags")
    }).pipe(Effect.provide(layer({ ...defaults, provider: "Acme" })))
  )
})

describe("tags over sockets", () => {
  const reranked = JSON.stringify({ model: "m", results: [], usage: { total_tokens: 1_000 } })
  const answerJson = (res: ServerResponse) =>
    void res.writeHead(200, { "content-type": "application/json" }).end(reranked)

  it.live("no upstream gets them, and a tool call has those of its HTTP request", () =>
    Effect.gen(function* () {
      const upstream = yield* httpUpstream(answerJson)
      yield* Effect.gen(function* () {
        const { sql } = yield* TestGateway
        const use = { operation_id: "rerank", arguments: { query: "q", documents: ["a"] }, max_price_usd: 1 }
        yield* callTool("use", use, { ...bearer, "x-tollgate-tags": "team=agents" })
        expect(yield* sql`SELECT tags FROM calls WHERE owner <> ''`).toEqual([{ tags: '{"team":"agents"}' }])
        expect(upstream.received).toHaveLength(1)
        expect(JSON.stringify(upstream.received)).not.toContain("agents")
        const wrong = yield* callTool("use", use, { ...bearer, "x-tollgate-tags": "team" })
        expect(JSON.stringify(wrong)).toContain("X-Tollgate-Tags must be like")
        expect(upstream.received).toHaveLength(1)
        const preflight = yield* send("", { origin: "http://gateway.invalid" }, "OPTIONS")
        expect(preflight.headers.get("access-control-allow-headers")).toContain("x-tollgate-tags")
      }).pipe(Effect.provide(servedTo({ rerank: providerAt(upstream.port, { protocol: "json" }) })))
    }).pipe(Effect.scoped)
  )
})
