import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Audit } from "@tollgate/gateway"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask, question } from "@tollgate/testing/ask"
import { priced } from "@tollgate/testing/models"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"

const bearer = { authorization: `Bearer ${key}` }
const tag = "/apis/v1/reseller/social_c/web/fetch_tag_detail"

/** What the upstream does with the next call. */
type Next = { readonly status: number; readonly body: unknown } | "reset"

const ranked = { status: 200, body: { model: "m", results: [], usage: { total_tokens: 1_000 } } }

const createVideo = (headers: Readonly<Record<string, string>> = {}) =>
  ask(
    "POST",
    "/apis/v1/services/aigc/video-generation/video-synthesis",
    { ...bearer, "x-tollgate-async": "enable", ...headers },
    JSON.stringify({ model: "v", input: { prompt: "a river" } })
  )

const withUpstream = <A, E>(use: (next: (next: Next) => void) => Effect.Effect<A, E, Host | TestGateway>) =>
  Effect.scoped(
    Effect.gen(function* () {
      let next: Next = ranked
      const { port } = yield* httpUpstream((res) => {
        if (next === "reset") return void res.destroy()
        res.writeHead(next.status, { "content-type": "application/json" }).end(JSON.stringify(next.body))
      })
      const provider = { ...providerAt(port), breaker: false }
      const gateway = TestGateway.layer({
        operations: priced,
        providers: {
          rerank: provider,
          "reseller.social_c.tag_detail": provider,
          "video.create": { ...provider, protocol: "task" }
        }
      })
      const body = use((one) => (next = one))
      return yield* Effect.provide(body, Host.layerNode.pipe(Layer.provideMerge(gateway)))
    })
  )

const rerank = (headers: Readonly<Record<string, string>> = {}, body = question) =>
  ask("POST", "/v1/rerank", { ...bearer, ...headers }, body)

const counted = Effect.gen(function* () {
  const { sql } = yield* TestGateway
  const start = Math.floor(Date.now() / 1000) - 3_600
  const report = yield* ask("GET", `/v1/usage?start_time=${start}`, bearer)
  const { totals } = report.json() as { readonly totals: Record<"requests" | "failed_requests", number> }
  expect((yield* Effect.provideService(Audit.run, SqlClient, sql)).differences).toEqual([])
  return [totals.requests, totals.failed_requests]
})

describe("requests are counted when they end", () => {
  it.live("answers, failures of the upstream and unknown ends, each once", () =>
    withUpstream((next) =>
      Effect.gen(function* () {
        expect((yield* rerank()).status).toBe(200)
        expect(yield* counted).toEqual([1, 0])
        for (const status of [400, 429, 500, 503]) {
          next({ status, body: { error: "as told" } })
          yield* rerank()
        }
        expect(yield* counted).toEqual([5, 4])
        next("reset")
        expect((yield* rerank()).status).toBe(502)
        expect(yield* counted).toEqual([6, 5])
        next({ status: 200, body: "no evidence" })
        expect((yield* rerank()).status).toBe(502)
        expect(yield* counted).toEqual([7, 6])
      })
    )
  )

  it.live("no refusal of the gateway itself", () =>
    withUpstream((next) =>
      Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        const [own] = yield* accounts.listKeys(account)
        const id = own?.id ?? ""
        next(ranked)
        yield* rerank({ "idempotency-key": "k" })
        const statuses = [
          (yield* rerank({}, "{}")).status,
          (yield* rerank({ authorization: "Bearer tg_wrong" })).status,
          (yield* rerank({ "x-tollgate-max-price-usd": "0" }, question.replace('"a"', `"${"a".repeat(1_000)}"`)))
            .status,
          (yield* rerank({ "idempotency-key": "k" })).status,
          (yield* rerank({ "idempotency-key": "k" }, question.replace("a", "b"))).status,
          (yield* rerank({ "x-tollgate-cost-mode": "quote" })).status
        ]
        yield* accounts.changeKey(id, { dayBudget: micro(0n) })
        statuses.push((yield* rerank()).status)
        yield* accounts.changeKey(id, { dayBudget: null, budget: micro(0n) })
        statuses.push((yield* rerank()).status)
        expect(statuses).toEqual([400, 401, 402, 409, 422, 200, 429, 402])
        expect(yield* counted).toEqual([1, 0])
      })
    )
  )

  it.live("an answer that is replayed, which costs nothing", () =>
    withUpstream(() =>
      Effect.gen(function* () {
        yield* rerank({ "idempotency-key": "k" })
        const replayed = yield* rerank({ "idempotency-key": "k", "x-tollgate-idempotency-mode": "replay" })
        expect([replayed.status, replayed.headers["idempotent-replayed"]]).toEqual([200, "true"])
        expect(yield* counted).toEqual([2, 0])
      })
    )
  )

  it.live("a reseller's answer has failed unless its code is 200", () =>
    withUpstream((next) =>
      Effect.gen(function* () {
        const fetchTag = ask("GET", `${tag}?tag_name=x`, bearer)
        for (const [code, status, expected] of [
          [200, 200, [1, 0]],
          [404, 200, [2, 1]],
          ["200", 200, [3, 2]],
          [undefined, 502, [4, 3]]
        ] as const) {
          next({ status: 200, body: { code, data: {} } })
          expect((yield* fetchTag).status).toBe(status)
          expect(yield* counted, `${code}`).toEqual(expected)
        }
      })
    )
  )
})

describe("an idempotency key", () => {
  it.live("is free again after an upstream's 5xx", () =>
    withUpstream((next) =>
      Effect.gen(function* () {
        next({ status: 503, body: {} })
        expect((yield* rerank({ "idempotency-key": "k" })).status).toBe(503)
        next(ranked)
        expect((yield* rerank({ "idempotency-key": "k" })).status).toBe(200)
      })
    )
  )

  it.live("stays unknown after an upstream's 5xx on a create, which may have run", () =>
    withUpstream((next) =>
      Effect.gen(function* () {
        for (const [name, status] of [
          ["a", 500],
          ["b", 503]
        ] as const) {
          next({ status, body: { code: "x", message: "as told" } })
          expect((yield* createVideo({ "idempotency-key": name })).status).toBe(status)
          next({ status: 200, body: { output: { task_id: "t", task_status: "PENDING" }, request_id: "r" } })
          const again = yield* createVideo({ "idempotency-key": name })
          expect([again.status, again.json()]).toEqual([409, expect.objectContaining({ code: "idempotency_unknown" })])
        }
        next({ status: 422, body: { code: "x", message: "as told" } })
        expect((yield* createVideo({ "idempotency-key": "c" })).status).toBe(422)
        expect(yield* counted).toEqual([3, 3])
      })
    )
  )

  it.live("with an unknown mode is refused, and the answer names the header", () =>
    withUpstream(() =>
      Effect.gen(function* () {
        for (const mode of ["", "Replay", "again", "constructor"]) {
          for (const headers of [{}, { "idempotency-key": "k" }]) {
            const answer = yield* rerank({ ...headers, "x-tollgate-idempotency-mode": mode })
            const { error } = answer.json() as { readonly error: { readonly param: string } }
            expect([mode, answer.status, error.param]).toEqual([mode, 400, "X-Tollgate-Idempotency-Mode"])
          }
        }
        expect((yield* rerank({ "idempotency-key": "k", "x-tollgate-idempotency-mode": "refuse" })).status).toBe(200)
        expect(yield* counted).toEqual([1, 0])
      })
    )
  )
})
