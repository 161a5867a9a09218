import { afterAll, describe, expect, it } from "@effect/vitest"
import { Accounts, AccountsSql, ApiKey, KeyHash, Keys, KeysSql, migrate } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import { Host } from "@tollgate/testing"
import * as Context from "effect/Context"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ask, question } from "@tollgate/testing/ask"
import { unbilledHost } from "@tollgate/testing/unbilledHost"

const folder = mkdtempSync(join(tmpdir(), "tollgate-keys-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const filename = () => join(folder, `${files++}.db`)

const secret = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))
const keyOf = (fill: number) => ApiKey.fromEntropy(new Uint8Array(20).fill(fill))

/** Keys in a file, their store, and a function that breaks the store. */
const open = Effect.fnUntraced(function* (file: string, fill = 1) {
  const scope = yield* Scope.make()
  const store = yield* Layer.buildWithScope(NodeSqliteClient.layer({ filename: file }), scope)
  const sql = Context.get(store, SqlClient)
  yield* Effect.provideService(migrate, SqlClient, sql)
  const services = yield* Layer.buildWithScope(
    Layer.mergeAll(KeysSql.layer, AccountsSql.layer).pipe(
      Layer.provide(KeyHash.layer(secret(fill))),
      Layer.provide(Mac.layerWebCrypto),
      Layer.provide(SecureRandom.layerWebCrypto),
      Layer.provide(Layer.succeedContext(store))
    ),
    scope
  )
  const keys = Context.get(services, Keys)
  const accounts = Context.get(services, Accounts)
  const [known] = yield* accounts.list
  const account = known ?? (yield* accounts.create("test"))
  const add = (key: Redacted.Redacted, label: string) => accounts.adoptKey(account.id, key, label)
  return { keys, accounts, account: account.id, add, sql, close: Scope.close(scope, Exit.void) }
})

/** The id of the key that was found. */
const found = (principal: Option.Option<{ readonly key?: string }>): string | undefined =>
  Option.getOrUndefined(principal)?.key

const bytesIn = (prefix: string): string =>
  readdirSync(folder)
    .filter((name) => join(folder, name).startsWith(prefix))
    .map((name) => readFileSync(join(folder, name)).toString("latin1"))
    .join("\n")

describe("keys in SQLite", () => {
  it.effect("a key that was added is found, others are not", () =>
    Effect.gen(function* () {
      const { add, keys } = yield* open(filename())
      const added = yield* add(keyOf(1), "mine")
      expect(found(yield* keys.find(Redacted.value(keyOf(1))))).toBe(added)
      expect(yield* keys.find(Redacted.value(keyOf(2)))).toEqual(Option.none())
      expect(yield* keys.find(Redacted.value(keyOf(1)).toUpperCase())).toEqual(Option.none())
      for (const odd of ["", " ", "tg_", "' OR 1=1 --", "\u0000", "x".repeat(100_000)]) {
        expect(yield* keys.find(odd), odd.slice(0, 20)).toEqual(Option.none())
      }
    })
  )

  it.effect("neither the database nor its log contains any part of a key", () =>
    Effect.gen(function* () {
      const file = filename()
      const { add, close, keys, sql } = yield* open(file)
      const chosen = "my-own-bootstrap-key-0123456789"
      yield* add(keyOf(9), "label-that-is-stored")
      yield* add(Redacted.make(chosen), "bootstrap")
      yield* keys.find(Redacted.value(keyOf(9)))
      const during = bytesIn(file)
      yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
      yield* close
      for (const bytes of [during, bytesIn(file)]) {
        expect(bytes).toContain("label-that-is-stored")
        expect(bytes).not.toContain(Redacted.value(keyOf(9)).slice(3, 20))
        expect(bytes).not.toContain(Redacted.value(keyOf(9)).slice(20))
        expect(bytes).not.toContain(chosen)
        expect(bytes).not.toContain(
          Buffer.from(Redacted.value(keyOf(9)))
            .toString("base64")
            .slice(4, 40)
        )
      }
    })
  )

  it.effect("keys are hashed with the installation's secret: another installation does not accept them", () =>
    Effect.gen(function* () {
      const file = filename()
      const first = yield* open(file, 1)
      yield* first.add(keyOf(3), "mine")
      yield* first.close
      const stolen = yield* open(file, 2)
      expect(yield* stolen.keys.find(Redacted.value(keyOf(3)))).toEqual(Option.none())
      yield* stolen.close
      const again = yield* open(file, 1)
      expect(Option.isSome(yield* again.keys.find(Redacted.value(keyOf(3))))).toBe(true)
    })
  )

  it.effect("a revoked key is refused within a second, even by a process that has just used it", () =>
    Effect.gen(function* () {
      const { add, keys, sql } = yield* open(filename())
      yield* add(keyOf(4), "mine")
      const text = Redacted.value(keyOf(4))
      expect(Option.isSome(yield* keys.find(text))).toBe(true)
      yield* sql`UPDATE keys SET ends_at = ${-1}`
      yield* TestClock.adjust("999 millis")
      yield* keys.find(text)
      yield* TestClock.adjust("1 millis")
      expect(yield* keys.find(text)).toEqual(Option.none())
    })
  )

  it.effect("constant use of a key does not delay its revocation", () =>
    Effect.gen(function* () {
      const { add, keys, sql } = yield* open(filename())
      yield* add(keyOf(4), "mine")
      yield* keys.find(Redacted.value(keyOf(4)))
      yield* sql`UPDATE keys SET ends_at = ${-1}`
      for (let i = 0; i < 10; i++) {
        yield* TestClock.adjust("100 millis")
        yield* keys.find(Redacted.value(keyOf(4)))
      }
      expect(yield* keys.find(Redacted.value(keyOf(4)))).toEqual(Option.none())
    })
  )

  it.effect("new terms of a key in use are in force after half a second, and no call waits for them", () =>
    Effect.gen(function* () {
      const { add, keys, sql } = yield* open(filename())
      yield* add(keyOf(4), "mine")
      const rpm = Effect.map(
        Effect.suspend(() => keys.find(Redacted.value(keyOf(4)))),
        (principal) => Option.getOrThrow(principal).allowance.rpm
      )
      const before = yield* rpm
      yield* sql`UPDATE accounts SET rpm = 7`
      yield* TestClock.adjust("499 millis")
      expect(yield* rpm).toBe(before)
      yield* TestClock.adjust("1 millis")
      expect(Exit.isExit(keys.find(Redacted.value(keyOf(4))))).toBe(true)
      const inTurn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Effect.repeat(Effect.andThen(inTurn, rpm), { until: (rpm) => rpm === 7 })
    })
  )

  it.effect("adding a revoked key again does not make it valid", () =>
    Effect.gen(function* () {
      const { add, keys, sql } = yield* open(filename())
      yield* add(keyOf(5), "mine")
      yield* sql`UPDATE keys SET ends_at = ${-1}`
      yield* add(keyOf(5), "mine")
      expect(yield* keys.find(Redacted.value(keyOf(5)))).toEqual(Option.none())
      expect(yield* sql`SELECT id FROM keys`).toHaveLength(1)
    })
  )

  it.effect("a key that was refused before it existed works as soon as it is added", () =>
    Effect.gen(function* () {
      const { add, keys } = yield* open(filename())
      expect(yield* keys.find(Redacted.value(keyOf(6)))).toEqual(Option.none())
      const added = yield* add(keyOf(6), "mine")
      expect(found(yield* keys.find(Redacted.value(keyOf(6))))).toBe(added)
    })
  )

  it.effect("a key that the operator chose works, also after a restart", () =>
    Effect.gen(function* () {
      const file = filename()
      const first = yield* open(file)
      const chosen = "correct-horse-battery-staple"
      expect(yield* first.keys.find(chosen)).toEqual(Option.none())
      const added = yield* first.add(Redacted.make(chosen), "bootstrap")
      yield* TestClock.adjust("1 second")
      expect(found(yield* first.keys.find(chosen))).toBe(added)
      expect(yield* first.keys.find(`${chosen}x`)).toEqual(Option.none())
      yield* first.close
      const second = yield* open(file)
      expect(found(yield* second.keys.find(chosen))).toBe(added)
    })
  )

  it.effect("lookups fail with Retry-After while the store is unavailable", () =>
    Effect.gen(function* () {
      const { close, keys } = yield* open(filename())
      yield* close
      const refused = yield* Effect.flip(keys.find(Redacted.value(keyOf(1))))
      expect(refused).toMatchObject({ _tag: "Refused", refusal: { code: "billing_unavailable", retryAfter: 1000 } })
      expect(yield* keys.find("not-a-key")).toEqual(Option.none())
    })
  )
})

describe("a gateway whose store is unavailable", () => {
  const host = Layer.effect(
    Host,
    Effect.gen(function* () {
      const { close, keys } = yield* open(filename())
      const host = yield* Effect.provideService(unbilledHost, Keys, keys)
      yield* close
      return host
    })
  ).pipe(Layer.orDie)

  const key = { authorization: `Bearer ${Redacted.value(keyOf(1))}` }
  const cases: ReadonlyArray<readonly [string, "GET" | "POST", string, (requestId: string) => unknown]> = [
    [
      "openai",
      "POST",
      "/v1/rerank",
      () => ({ error: { type: "billing_error", param: null, code: "billing_unavailable" } })
    ],
    [
      "anthropic",
      "POST",
      "/v1/messages",
      (request_id) => ({ type: "error", error: { type: "overloaded_error" }, request_id })
    ],
    ["gemini", "POST", "/v1beta/models/m:generateContent", () => ({ error: { code: 503, status: "UNAVAILABLE" } })],
    ["task", "GET", "/apis/v1/services/aigc/tasks/t", (request_id) => ({ code: "billing_unavailable", request_id })],
    ["usage", "GET", "/v1/usage?start_time=1", () => ({ error: expect.any(String) })],
    [
      "data",
      "GET",
      "/apis/v1/reseller/social_b/v2/fetch_user_stories",
      (request_id) => ({ error: { code: "billing_unavailable", request_id } })
    ]
  ]
  for (const [family, method, path, body] of cases) {
    it.effect(`answers 503 with Retry-After in the shape of ${family}`, () =>
      Effect.gen(function* () {
        const answer = yield* ask(method, path, key, method === "POST" ? question : undefined)
        expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "1"])
        expect(answer.json()).toMatchObject(body(answer.headers["x-request-id"] ?? "") as object)
      }).pipe(Effect.provide(host))
    )
  }

  it.effect("still answers 401 to text that cannot be a key, and still serves its contract", () =>
    Effect.gen(function* () {
      expect((yield* ask("POST", "/v1/rerank", { authorization: "Bearer no-key" }, question)).status).toBe(401)
      expect((yield* ask("GET", "/api/contracts/version")).status).toBe(200)
    }).pipe(Effect.provide(host))
  )
})
