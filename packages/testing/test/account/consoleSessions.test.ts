import { describe, expect, it } from "@effect/vitest"
import {
  AccessTokensSql,
  Accounts,
  Composition,
  ConsoleSessions,
  Grants,
  KeyHash,
  Keys,
  type Accounts as AccountsService
} from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import { alsoOnPostgres, onMigratedDatabase } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

type Services = AccountsService | ConsoleSessions | Grants | KeyHash | Keys | SqlClient

const secret = Redacted.make(new Uint8Array(32).fill(7))
const key = Redacted.make("tg_a-key-that-somebody-typed")

const valueOf = (found: Option.Option<Redacted.Redacted>): string | undefined =>
  Option.getOrUndefined(Option.map(found, (credential) => Redacted.value(credential)))

/** The credential of a session, as the gateway finds it. */
const find = Effect.fnUntraced(function* (
  kind: "account" | "operator",
  { id, secret }: { readonly id: string; readonly secret: Redacted.Redacted }
) {
  return valueOf(yield* (yield* ConsoleSessions).find(kind, Redacted.value(secret), id))
})

/** A token as the authorization server stores it, for a client that an account let in. */
const letIn = Effect.fnUntraced(function* (client: string) {
  const { id: account } = yield* (yield* Accounts).create("Acme")
  const grant = yield* (yield* Grants).give({
    account,
    client: { id: client, name: client },
    scopes: ["use"],
    limit: null
  })
  const sql = yield* SqlClient
  const hash = yield* KeyHash
  for (const model of ["AccessToken", "RefreshToken"]) {
    const token = `${model}-of-${client}-0123456789`
    const row = {
      model,
      id: yield* hash.of(AccessTokensSql.hashed(model, token)),
      payload: new Uint8Array(3),
      grant_id: grant.id,
      uid: "sign-in",
      scopes: "use",
      resource: "http://127.0.0.1",
      expires_at: 3_600_000
    }
    yield* sql`INSERT INTO oauth ${sql.insert(row)}`
  }
  return { account, grant: grant.id, token: Redacted.make(`AccessToken-of-${client}-0123456789`) }
})

const suite = (name: string, sql: () => Layer.Layer<SqlClient, unknown>) =>
  describe(name, () => {
    const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Services>) =>
      it.effect(name, () =>
        Effect.provide(
          effect(),
          Composition.layerStore(secret, AccessTokensSql.layer).pipe(Layer.provideMerge(sql())) as Layer.Layer<Services>
        )
      )

    test("a session gives back the credential that began it, to the page that means it", () =>
      Effect.gen(function* () {
        const sessions = yield* ConsoleSessions
        const begun = yield* sessions.begin("account", "acct_1", key)
        const other = yield* sessions.begin("account", "acct_2", Redacted.make("another"))
        expect(yield* find("account", begun)).toBe(Redacted.value(key))
        // Neither the other kind, nor a page that shows another session.
        expect(yield* find("operator", begun)).toBeUndefined()
        expect(yield* find("account", { ...begun, id: other.id })).toBeUndefined()
        const value = Redacted.value(begun.secret)
        const changed = `${value.startsWith("A") ? "B" : "A"}${value.slice(1)}`
        for (const forged of ["", value.slice(1), `${value}A`, changed, "x".repeat(100_000)]) {
          expect(yield* find("account", { id: begun.id, secret: Redacted.make(forged) })).toBeUndefined()
        }
      }))

    test("the store holds neither the credential nor the secret", () =>
      Effect.gen(function* () {
        const sessions = yield* ConsoleSessions
        const sql = yield* SqlClient
        const { id, secret } = yield* sessions.begin("account", "acct_1", key)
        const rows = yield* sql<{ readonly id: string; readonly sealed: Uint8Array }>`SELECT * FROM console_sessions`
        const stored = JSON.stringify(rows) + rows.map(({ sealed }) => Buffer.from(sealed).toString("latin1")).join()
        expect(stored).toContain(id)
        expect(stored).not.toContain(Redacted.value(secret))
        expect(stored).not.toContain(Redacted.value(key))
        // What was moved to another row opens nothing.
        const other = yield* sessions.begin("account", "acct_2", Redacted.make("another"))
        yield* sql`UPDATE console_sessions SET sealed = ${rows[0]?.sealed} WHERE owner = 'acct_2'`
        expect(yield* find("account", other)).toBeUndefined()
      }))

    test("an account's session ends 12 hours after its last use, and a week after the sign-in", () =>
      Effect.gen(function* () {
        const sessions = yield* ConsoleSessions
        const used = yield* sessions.begin("account", "acct_1", key)
        const idle = yield* sessions.begin("account", "acct_1", key)
        for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
          yield* TestClock.adjust("8 hours")
          expect([hours, yield* find("account", used)]).toEqual([hours, Redacted.value(key)])
        }
        expect(yield* find("account", idle)).toBeUndefined()
        yield* TestClock.adjust("8 hours")
        expect(yield* find("account", used)).toBeUndefined()
      }))

    test("the operator's session ends an hour after its last use, and 12 hours after the sign-in", () =>
      Effect.gen(function* () {
        const sessions = yield* ConsoleSessions
        const used = yield* sessions.begin("operator", "operator", key)
        for (let minutes = 0; minutes < 12 * 60 - 45; minutes += 45) {
          yield* TestClock.adjust("45 minutes")
          expect([minutes, yield* find("operator", used)]).toEqual([minutes, Redacted.value(key)])
        }
        yield* TestClock.adjust("45 minutes")
        expect(yield* find("operator", used)).toBeUndefined()
        const idle = yield* sessions.begin("operator", "operator", key)
        yield* TestClock.adjust("1 hour")
        expect(yield* find("operator", idle)).toBeUndefined()
      }))

    test("an account has at most 20 sessions: the oldest end, and those of others stay", () =>
      Effect.gen(function* () {
        const sessions = yield* ConsoleSessions
        const sql = yield* SqlClient
        const other = yield* sessions.begin("account", "acct_2", key)
        const all = []
        for (let i = 0; i < 25; i++) {
          all.push(yield* sessions.begin("account", "acct_1", key))
          yield* TestClock.adjust("1 second")
        }
        const found = yield* Effect.forEach(all, (begun) => find("account", begun))
        expect(found.map((credential) => credential !== undefined)).toEqual(all.map((_, i) => i >= 5))
        expect(yield* find("account", other)).toBe(Redacted.value(key))
        yield* TestClock.adjust("8 days")
        yield* sessions.begin("account", "acct_3", key)
        expect(yield* sql`SELECT owner FROM console_sessions`).toEqual([{ owner: "acct_3" }])
      }))

    test("an account has at most 20 sessions after 60 sign-ins at once", () =>
      Effect.gen(function* () {
        const sessions = yield* ConsoleSessions
        const begin = () => sessions.begin("account", "acct_1", key)
        const all = yield* Effect.forEach(Array.from({ length: 60 }), begin, { concurrency: "unbounded" })
        const found = yield* Effect.forEach(all, (begun) => find("account", begun))
        expect(found.filter((credential) => credential !== undefined)).toHaveLength(20)
      }))

    test("it is ended once, and only by the page that means it", () =>
      Effect.gen(function* () {
        const sessions = yield* ConsoleSessions
        const begun = yield* sessions.begin("account", "acct_1", key)
        const value = Redacted.value(begun.secret)
        expect(yield* sessions.end("account", value, "0123456789abcdef")).toBe(false)
        expect(yield* sessions.end("operator", value, begun.id)).toBe(false)
        expect(yield* find("account", begun)).toBe(Redacted.value(key))
        expect(yield* sessions.end("account", value, begun.id)).toBe(true)
        expect(yield* find("account", begun)).toBeUndefined()
        expect(yield* sessions.end("account", value, begun.id)).toBe(false)
      }))

    test("the console's own token is taken over: what the page had is worth nothing, and the grant outlives the session", () =>
      Effect.gen(function* () {
        const sessions = yield* ConsoleSessions
        const keys = yield* Keys
        const { account, grant, token } = yield* letIn("console")
        expect(Option.isSome(yield* keys.find(Redacted.value(token)))).toBe(true)
        const begun = yield* sessions.begin("account", account, token)
        const kept = (yield* find("account", begun)) ?? ""
        expect(kept).not.toBe(Redacted.value(token))
        expect(Option.isSome(yield* keys.find(Redacted.value(token)))).toBe(false)
        // It lives as long as the session, not an hour.
        for (let hours = 0; hours < 48; hours += 8) {
          yield* TestClock.adjust("8 hours")
          expect(yield* find("account", begun)).toBe(kept)
        }
        expect(Option.getOrThrow(yield* keys.find(kept))).toMatchObject({ account, key: grant, grant: { id: grant } })
        const sql = yield* SqlClient
        expect(yield* sql`SELECT model FROM oauth`).toEqual([{ model: "AccessToken" }])
        yield* sessions.end("account", Redacted.value(begun.secret), begun.id)
        expect(yield* sql`SELECT model FROM oauth`).toEqual([])
        expect(Option.isSome(yield* keys.find(kept))).toBe(false)
        expect((yield* (yield* Grants).list(account)).map(({ ended, id }) => [id, ended])).toEqual([[grant, false]])
      }))

    test("a token of another program lives no longer in a session than without, and survives it", () =>
      Effect.gen(function* () {
        const sessions = yield* ConsoleSessions
        const keys = yield* Keys
        const { account, token } = yield* letIn("an-agent")
        const begun = yield* sessions.begin("account", account, token)
        expect(yield* find("account", begun)).toBe(Redacted.value(token))
        yield* sessions.end("account", Redacted.value(begun.secret), begun.id)
        expect(Option.isSome(yield* keys.find(Redacted.value(token)))).toBe(true)
        yield* TestClock.adjust("1 hour")
        expect(Option.isSome(yield* keys.find(Redacted.value(token)))).toBe(false)
      }))

    test("a grant that is taken back ends what its session may do, at once", () =>
      Effect.gen(function* () {
        const sessions = yield* ConsoleSessions
        const { account, grant, token } = yield* letIn("console")
        const begun = yield* sessions.begin("account", account, token)
        yield* (yield* Grants).revoke(grant)
        const kept = (yield* find("account", begun)) ?? ""
        expect(Option.isSome(yield* (yield* Keys).find(kept))).toBe(false)
      }))
  })

suite("on SQLite", () => NodeSqliteClient.layer({ filename: ":memory:" }))
if (alsoOnPostgres) suite("on PostgreSQL", onMigratedDatabase)
