import { describe, expect, it } from "@effect/vitest"
import { Accounts, Admin, Audit, Composition, EndpointGroup, KeyHash } from "@tollgate/gateway"
import { preview } from "@tollgate/gateway/endpoints/admin/prices/preview"
import * as Rows from "@tollgate/ledger/store/rows"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask, question } from "@tollgate/testing/ask"
import { until } from "@tollgate/testing/hostile/pausedUpstream"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { SqlClient } from "effect/sql/SqlClient"
import { SqlError, UnknownError } from "effect/sql/SqlError"

const secret = Redacted.make(new Uint8Array(32).fill(7))
const token = "an-admin-token-of-some-length"
const bearer = { authorization: `Bearer ${token}` }

const valid = { valid: true, problems: [], in_force: true }

/** Every part. Audits wait until the test lets them go on. */
const parts = Effect.gen(function* () {
  const { sql } = yield* TestGateway
  const gate = { arrived: 0, runs: 0, open: yield* Deferred.make<void, SqlError>() }
  const admin: Admin.Parts = {
    upstreams: () => ({ routes: [], states: { of: () => expect.unreachable() } as never }),
    prices: {
      gateway: () => expect.unreachable(),
      section: { read: () => Result.fail(["prices: nothing is right"]), holds: () => true },
      store: {
        read: Effect.succeed({ section: {}, fingerprint: null, refusal: "there is no file" }),
        replace: () => expect.unreachable()
      }
    },
    audit: Effect.suspend(() => {
      gate.runs++
      return Effect.andThen(
        Deferred.await(gate.open),
        Effect.map(Effect.provideService(Audit.run, SqlClient, sql), (found) => ({
          ...found,
          head: { seq: 0, hash: "" }
        }))
      )
    }),
    configuration: {
      current: Effect.succeed({ file: null, loaded_at: "", version: "1.2.3", upstreams: [], sandbox: true }),
      check: Effect.succeed(valid),
      reload: Effect.succeed(valid)
    }
  }
  return { gate, admin }
})

/** Runs a test with an admin API over sockets. */
const withParts = <A, E>(
  test: (gate: Effect.Success<typeof parts>["gate"]) => Effect.Effect<A, E, Host | TestGateway>
) =>
  Effect.gen(function* () {
    const gateway = yield* TestGateway
    const { admin: made, gate } = yield* parts
    const admin = yield* Admin.make(Redacted.make(token), made).pipe(
      Effect.provideService(Accounts, gateway.accounts),
      Effect.provideService(SqlClient, gateway.sql),
      Effect.provide(Layer.provideMerge(KeyHash.layer(secret), Composition.layerCrypto))
    )
    const endpoints = Admin.endpoints(admin)
    const counted: EndpointGroup.EndpointGroup = {
      paths: endpoints.paths,
      answer: (request, path) => {
        gate.arrived++
        return endpoints.answer(request, path)
      }
    }
    const served = { ...gateway, app: EndpointGroup.serve([counted], () => gateway.app) }
    return yield* test(gate).pipe(
      Effect.provide(Layer.provideMerge(Host.layerNode, Layer.succeed(TestGateway, served)))
    )
  }).pipe(Effect.scoped, Effect.provide(TestGateway.layer()))

const runAudit = ask("POST", "/admin/v1/audit", bearer)

const paths = [
  ["GET", "/upstreams"],
  ["GET", "/prices"],
  ["GET", "/gaps"],
  ["POST", "/prices/preview"],
  ["POST", "/prices/apply"],
  ["POST", "/audit"],
  ["GET", "/config"],
  ["POST", "/config/check"],
  ["POST", "/config/reload"]
] as const

describe("the operator's other paths", () => {
  it.live("need the token, and have one method each", () =>
    withParts(() =>
      Effect.gen(function* () {
        for (const [method, path] of paths) {
          for (const headers of [{}, { authorization: `Bearer ${key}` }]) {
            expect((yield* ask(method, `/admin/v1${path}`, headers)).status, path).toBe(401)
          }
          for (const other of ["GET", "POST", "PATCH", "PUT", "DELETE"] as const) {
            if (other === method) continue
            const answer = yield* ask(other, `/admin/v1${path}`, bearer)
            expect([answer.status, answer.headers.allow], `${other} ${path}`).toEqual([405, method])
          }
        }
      })
    )
  )

  it.live("a section that is refused is answered with its reasons", () =>
    withParts(() =>
      Effect.gen(function* () {
        const answer = yield* ask("POST", "/admin/v1/prices/preview", bearer, '{"prices":{}}')
        expect([answer.status, answer.json()]).toEqual([
          400,
          { error: expect.objectContaining({ code: "invalid_request", message: "prices: nothing is right" }) }
        ])
      })
    )
  )
})

describe("audits at the same time", () => {
  it.live("share one run, also if the first caller has left", () =>
    withParts((gate) =>
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(runAudit)
        yield* until(() => gate.runs === 1)
        yield* Fiber.interrupt(first)
        const others = yield* Effect.forkChild(Effect.all([runAudit, runAudit], { concurrency: "unbounded" }))
        // Calls are served while the audit runs.
        const called = yield* ask("POST", "/v1/rerank", { authorization: `Bearer ${key}` }, question)
        expect(called.status).toBe(200)
        yield* until(() => gate.arrived === 3)
        yield* Deferred.succeed(gate.open, undefined)
        const reports = yield* Fiber.join(others)
        for (const { json, status } of reports)
          expect([status, json()]).toEqual([200, expect.objectContaining({ correct: true })])
        expect(gate.runs).toBeLessThanOrEqual(2)
        expect((yield* runAudit).status).toBe(200)
      })
    )
  )

  it.live("one that fails is answered with 503, and the next runs again", () =>
    withParts((gate) =>
      Effect.gen(function* () {
        const reason = new UnknownError({ cause: new Error("disk"), message: "disk", operation: "execute" })
        yield* Deferred.fail(gate.open, new SqlError({ reason }))
        for (const runs of [1, 2]) {
          const answer = yield* runAudit
          expect([answer.status, answer.text.includes("disk"), gate.runs]).toEqual([503, false, runs])
        }
      })
    )
  )
})

describe("a preview of many calls", () => {
  it.live("reads at most so many, and says that there are more", () =>
    withParts(() =>
      Effect.gen(function* () {
        const { sql } = yield* TestGateway
        for (let i = 0; i < 3; i++) {
          yield* ask("POST", "/v1/rerank", { authorization: `Bearer ${key}` }, question)
        }
        const window = { start: 0, end: Date.now() + 60_000 }
        const previewOf = (most: number) => preview(Rows.make(sql), window, () => ({ contract: "free" }), most)
        expect(yield* previewOf(2)).toMatchObject({ complete: false, totals: { calls: 2 } })
        expect(yield* previewOf(3)).toMatchObject({ complete: true, totals: { calls: 3, charged_after_micros_usd: 0 } })
        const unknown = yield* preview(Rows.make(sql), window, () => undefined, 3)
        expect(unknown.totals).toMatchObject({ calls: 3, not_computable: 3, value_before_micros_usd: 0 })
      })
    )
  )

  it.live("reads a page of any calls at once, so that those without a charge do not hold it up", () =>
    withParts(() =>
      Effect.gen(function* () {
        const { account, sql } = yield* TestGateway
        const rows = Rows.make(sql)
        const columns = ["id", "account", "key", "operation", "state", "reserved", "created_at", "owner", "ended_at"]
        const call = (i: number, state: string) => [`old_${i}`, account, "k", "rerank", state, 0, i, "test", i]
        yield* rows.insert(
          "calls",
          columns,
          Array.from({ length: 1_200 }, (_, i) => call(i, "released"))
        )
        yield* rows.insert("calls", columns, [call(1_200, "settled")])
        const read: Array<number> = []
        const counted: Rows.Rows = {
          ...rows,
          query: (text, ...parts) =>
            Effect.tap(rows.query(text, ...parts), (found) => Effect.sync(() => read.push(found.length)))
        }
        const found = yield* preview(counted, { start: 0, end: 10_000 }, () => ({ contract: "free" }), 10)
        expect(found).toMatchObject({ complete: true, totals: { calls: 1 } })
        expect(read).toEqual([500, 500, 201])
      })
    )
  )
})

describe("a key that was made, but cannot be shown", () => {
  it.live("is not answered as if nothing had changed, because a client would make another", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const reason = new UnknownError({ cause: new Error("disk"), message: "disk", operation: "execute" })
      const getKey = () => Effect.fail(new SqlError({ reason }))
      const admin = yield* Admin.make(Redacted.make(token)).pipe(
        Effect.provideService(Accounts, { ...gateway.accounts, getKey }),
        Effect.provide(Layer.provideMerge(KeyHash.layer(secret), Composition.layerCrypto))
      )
      const served = { ...gateway, app: EndpointGroup.serve([Admin.endpoints(admin)], () => gateway.app) }
      const ids = yield* gateway.accounts.listKeys(gateway.account)
      const made = [`/accounts/${gateway.account}/keys`, `/keys/${ids[0]?.id}/rotate`]
      for (const path of made) {
        const answer = yield* Effect.provide(
          ask("POST", `/admin/v1${path}`, bearer, "{}"),
          Layer.provideMerge(Host.layerNode, Layer.succeed(TestGateway, served))
        )
        expect([answer.status, answer.json()]).toMatchObject([500, { error: { code: "internal_error" } }])
        expect(answer.headers["x-should-retry"]).toBe("false")
      }
    }).pipe(Effect.scoped, Effect.provide(TestGateway.layer()))
  )
})
