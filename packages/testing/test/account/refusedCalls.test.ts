import { describe, expect, it } from "@effect/vitest"
import { Audit } from "@tollgate/gateway"
import type { RestrictionChanges } from "@tollgate/ledger/credential/Restrictions"
import { layer, RefusedCalls } from "@tollgate/ledger/usage/RefusedCalls"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { alsoOnPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"

type Fields = Readonly<Record<string, unknown>>

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })
const read = (path: string, credential = key) => ask("GET", `/account/v1${path}`, bearer(credential))
const rerank = (body: object, headers: Readonly<Record<string, string>> = {}, credential = key) =>
  ask("POST", "/v1/rerank", { ...bearer(credential), ...headers }, JSON.stringify(body))
const fine = { query: "river", documents: ["river mountain sea shore ".repeat(50)] }

const idOf = ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
  headers["x-request-id"] ?? ""

const log = Effect.fnUntraced(function* (path = "/calls?limit=1000", credential = key) {
  const answer = yield* read(path, credential)
  expect([answer.status, answer.status === 200 ? "" : answer.text]).toEqual([200, ""])
  return (answer.json() as { readonly calls: ReadonlyArray<Fields> }).calls
})

/** The log once it has that many calls: refused ones come a moment later. */
const logOf = (n: number, path?: string, credential?: string) =>
  log(path, credential).pipe(
    Effect.flatMap((calls) => (calls.length >= n ? Effect.succeed(calls) : Effect.fail(calls.length))),
    Effect.retry({ schedule: Schedule.spaced("500 millis"), times: 40 })
  )

describe.each([
  { name: "SQLite", has: true, database: Effect.succeed(undefined) },
  { name: "PostgreSQL", has: alsoOnPostgres, database: migratedDatabase }
])("refused calls in $name", ({ database, has }) => {
  const test = (title: string, use: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
    it.live.runIf(has)(title, () =>
      Effect.gen(function* () {
        const address = yield* Effect.orDie(database)
        const gateway = TestGateway.layer(address === undefined ? {} : { database: address })
        yield* Effect.provide(use(), Layer.provideMerge(Host.layerInProcess, gateway))
      }).pipe(Effect.scoped)
    )

  test("are in the log with what their callers were told, and cost nothing", () =>
    Effect.gen(function* () {
      const { account, accounts, sql } = yield* TestGateway
      const stranger = Redacted.value((yield* accounts.createKey((yield* accounts.create("other")).id, {})).value)
      const limited = Effect.fnUntraced(function* (restrictions: RestrictionChanges) {
        return Redacted.value((yield* accounts.createKey(account, { restrictions })).value)
      })
      const elsewhere = yield* limited({ addresses: ["203.0.113.0/24"] })
      const other = yield* limited({ allowed: { categories: [], operations: ["chat"] } })
      const ofLimited = [yield* rerank(fine, {}, elsewhere), yield* rerank(fine, {}, other)]
      const before = yield* accounts.get(account)
      const refused = [
        yield* rerank({ query: "river" }),
        yield* rerank(fine, { "x-tollgate-max-price-usd": "0.000001" }),
        yield* ask("POST", "/v1/no/such/path", bearer(key), "{}"),
        yield* ask("PUT", "/v1/rerank", bearer(key), "{}"),
        yield* rerank({ ...fine, "": "x".repeat(50_000) }, { "x-tollgate-tags": "no tag" })
      ]
      const answered = yield* rerank(fine)
      expect(answered.status).toBe(200)
      // Without a known key there is nobody to show it to.
      expect((yield* rerank(fine, {}, "tg_wrong")).status).toBe(401)
      const calls = yield* logOf(refused.length + 1)
      expect(calls.map(({ id }) => id).toSorted()).toEqual([...refused, answered].map(idOf).toSorted())
      for (const answer of refused) {
        const call = calls.find(({ id }) => id === idOf(answer))
        expect(call).toMatchObject({ state: "refused", status: answer.status, failed: false, charged_micros_usd: 0 })
        const message = JSON.stringify((call?.["error"] as Fields | undefined)?.["message"])
        expect(answer.text).toContain(message.slice(1, -1))
        expect((yield* read(`/calls/${idOf(answer)}`)).json()).toMatchObject({
          id: idOf(answer),
          status: answer.status
        })
        expect((yield* read(`/calls/${idOf(answer)}`, stranger)).status).toBe(404)
      }
      expect(refused.map(({ status }) => status)).toEqual([400, 402, 404, 405, 400])
      const forbidden = yield* Effect.provideService(
        query("SELECT id, operation, error FROM calls WHERE status = 403 ORDER BY created_at, id"),
        SqlClient,
        sql
      )
      expect(forbidden).toMatchObject(ofLimited.map((answer) => ({ id: idOf(answer), operation: "rerank" })))
      expect(forbidden.map(({ error }) => /\w+_not_allowed/.exec(String(error))?.[0])).toEqual([
        "address_not_allowed",
        "operation_not_allowed"
      ])
      expect((yield* log("/calls?status=402")).map(({ operation }) => operation)).toEqual(["rerank"])
      const anHourAgo = Math.floor(Date.now() / 1000) - 3_600
      expect((yield* read(`/usage?start_time=${anHourAgo}&width=1h`)).json()).toMatchObject({
        totals: { requests: 1, failed_requests: 0 }
      })
      const cost = BigInt(answered.headers["x-tollgate-cost-micros-usd"] ?? "")
      expect((yield* accounts.get(account)).balance).toBe(before.balance - cost)
      const { differences } = yield* Effect.provideService(Audit.run, SqlClient, sql)
      expect(differences).toEqual([])
    }))

  test("are bounded: of a flood a part is written, and the newest stay", () =>
    Effect.gen(function* () {
      const { account, sql } = yield* TestGateway
      const paid = idOf(yield* rerank(fine))
      const rows = (text: string) => Effect.provideService(query(text), SqlClient, sql)
      const add = Effect.gen(function* () {
        const { add } = yield* RefusedCalls
        const refused = {
          account,
          key: "",
          operation: "rerank",
          model: undefined,
          status: 400,
          code: "invalid_request"
        }
        for (let i = 0; i < 60; i++) add({ ...refused, id: `flood_${i}`, message: "No.", createdAt: i, endedAt: i })
      })
      // It writes what is left when it ends.
      yield* Effect.scoped(Effect.provide(add, Layer.provide(layer, Layer.succeed(SqlClient, sql))))
      const written = yield* rows("SELECT id FROM calls WHERE id LIKE 'flood%'")
      expect(written).toHaveLength(50)
      const many = Array.from({ length: 2_500 }, (_, i) => `('old_${i}', ${i})`).join(",")
      yield* rows(
        "INSERT INTO calls (id, account, key, operation, state, reserved, created_at, owner, ended_at, status)" +
          ` SELECT v.id, c.account, c.key, 'rerank', 'refused', 0, v.at, '', v.at, 400` +
          ` FROM (WITH t(id, at) AS (VALUES ${many}) SELECT * FROM t) v, calls c WHERE c.id = '${paid}'`
      )
      const last = idOf(yield* rerank({ query: "river" }))
      const counted = rows("SELECT COUNT(*) AS n, MIN(ended_at) AS oldest FROM calls WHERE owner = ''")
      yield* Effect.repeat(Effect.delay(counted, "50 millis"), { until: ([kept]) => Number(kept?.["n"]) === 2_000 })
      const [kept] = yield* counted
      expect(Number(kept?.["oldest"])).toBe(501)
      expect(yield* logOf(1, `/calls?q=${last}`)).toMatchObject([{ id: last, state: "refused" }])
      expect(yield* logOf(1, `/calls?q=${paid}`)).toMatchObject([{ id: paid, state: "settled" }])
    }))
})
