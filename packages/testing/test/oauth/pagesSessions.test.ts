import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Accounts, Composition, SignIn } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const store = Composition.layerStore(Redacted.make(new Uint8Array(32).fill(7))).pipe(
  Layer.provideMerge(NodeSqliteClient.layer({ filename: ":memory:" }))
)

const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Accounts | SignIn | SqlClient>) =>
  it.effect(name, () => Effect.provide(effect(), store))

const newAccount = Effect.map(
  Effect.flatMap(Accounts, (accounts) => accounts.create("Acme")),
  ({ id }) => id
)

const wrongKey = Redacted.make("tg_00000000000000000000000000000000s858ht0")
const address = "203.0.113.7"

/** The account of a session, or why there is none. */
const accountOf = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
  const found = yield* (yield* SignIn).find(Redacted.value(secret))
  return Option.getOrUndefined(Option.map(found, ({ account }) => account))
})

describe("one-time links", () => {
  test("sign in once, and looking at one does not use it up", () =>
    Effect.gen(function* () {
      const signIn = yield* SignIn
      const account = yield* newAccount
      const { secret } = yield* signIn.createLink(account)
      const link = Redacted.value(secret)
      expect(yield* signIn.findLink(link)).toEqual(Option.some(account))
      expect(yield* signIn.findLink(link)).toEqual(Option.some(account))
      const session = yield* signIn.withLink(link, address)
      expect(yield* accountOf(session.secret)).toBe(account)
      expect(yield* Effect.flip(signIn.withLink(link, address))).toMatchObject({ why: "used link" })
      expect(yield* signIn.findLink(link)).toEqual(Option.none())
    }))

  test("of two that open one at the same time, one is signed in", () =>
    Effect.gen(function* () {
      const signIn = yield* SignIn
      const { secret } = yield* signIn.createLink(yield* newAccount)
      const tries = Array.from({ length: 8 }, () => Effect.result(signIn.withLink(Redacted.value(secret), address)))
      const results = yield* Effect.all(tries, { concurrency: "unbounded" })
      expect(results.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
    }))

  test("expire after 15 minutes", () =>
    Effect.gen(function* () {
      const signIn = yield* SignIn
      const { secret } = yield* signIn.createLink(yield* newAccount)
      yield* TestClock.adjust("15 minutes")
      expect(yield* signIn.findLink(Redacted.value(secret))).toEqual(Option.none())
      expect(yield* Effect.flip(signIn.withLink(Redacted.value(secret), address))).toMatchObject({ why: "used link" })
    }))

  test("need an account that exists", () =>
    Effect.gen(function* () {
      const signIn = yield* SignIn
      expect(yield* Effect.flip(signIn.createLink("acct_none"))).toMatchObject({ reason: "missing" })
    }))
})

describe("sessions of the pages", () => {
  test("end after an hour, or when the user signs out", () =>
    Effect.gen(function* () {
      const signIn = yield* SignIn
      const accounts = yield* Accounts
      const account = yield* newAccount
      const { value } = yield* accounts.createKey(account, {})
      const one = yield* signIn.withKey(value, address)
      const other = yield* signIn.withKey(value, address)
      expect([yield* accountOf(one.secret), yield* accountOf(other.secret)]).toEqual([account, account])
      yield* signIn.end(Redacted.value(one.secret))
      expect([yield* accountOf(one.secret), yield* accountOf(other.secret)]).toEqual([undefined, account])
      yield* TestClock.adjust("1 hour")
      expect(yield* accountOf(other.secret)).toBeUndefined()
    }))

  test("end at once when the key that began them is revoked or limited", () =>
    Effect.gen(function* () {
      const signIn = yield* SignIn
      const accounts = yield* Accounts
      const account = yield* newAccount
      const one = yield* accounts.createKey(account, {})
      const other = yield* accounts.createKey(account, {})
      const sessions = [yield* signIn.withKey(one.value, address), yield* signIn.withKey(other.value, address)]
      yield* accounts.revokeKey(one.id)
      yield* accounts.changeKey(other.id, { budget: micro(1n) })
      expect(yield* Effect.forEach(sessions, ({ secret }) => accountOf(secret))).toEqual([undefined, undefined])
      expect(yield* Effect.flip(signIn.withKey(one.value, address))).toMatchObject({ why: "wrong key" })
    }))

  test("are not begun by a key with a budget or a quota, which could grant more than it has", () =>
    Effect.gen(function* () {
      const signIn = yield* SignIn
      const accounts = yield* Accounts
      const account = yield* newAccount
      const budget = yield* accounts.createKey(account, { budget: micro(5_000_000n) })
      const quota = yield* accounts.createKey(account, { dayBudget: micro(1n) })
      const rotated = yield* accounts.rotateKey(budget.id, 0)
      for (const { value } of [quota, rotated]) {
        expect(yield* Effect.flip(signIn.withKey(value, address))).toMatchObject({ why: "limited key" })
      }
    }))

  test("and links are stored hashed", () =>
    Effect.gen(function* () {
      const signIn = yield* SignIn
      const sql = yield* SqlClient
      const account = yield* newAccount
      const used = yield* signIn.createLink(account)
      const link = yield* signIn.createLink(account)
      const session = yield* signIn.withLink(Redacted.value(used.secret), address)
      const stored = JSON.stringify([yield* sql`SELECT * FROM sign_in_links`, yield* sql`SELECT * FROM page_sessions`])
      expect(stored).toContain(account)
      for (const { secret } of [link, session]) expect(stored).not.toContain(Redacted.value(secret))
      // Neither is good for the other.
      expect(yield* accountOf(link.secret)).toBeUndefined()
      expect(yield* signIn.findLink(Redacted.value(session.secret))).toEqual(Option.none())
    }))
})

describe("wrong keys and links", () => {
  test("from one address get ten answers, also if all are sent at once, and then one every six seconds", () =>
    Effect.gen(function* () {
      const signIn = yield* SignIn
      const guess = (count: number) =>
        Effect.map(
          Effect.all(
            Array.from({ length: count }, (_, i) =>
              Effect.flip(i % 2 === 0 ? signIn.withKey(wrongKey, address) : signIn.withLink("x".repeat(43), address))
            ),
            { concurrency: "unbounded" }
          ),
          (errors) => errors.filter((error) => "why" in error && error.why !== "too many").length
        )
      expect(yield* guess(100)).toBe(10)
      yield* TestClock.adjust("6 seconds")
      expect(yield* guess(5)).toBe(1)
    }))

  test("do not lock out a right key or link from their address", () =>
    Effect.gen(function* () {
      const signIn = yield* SignIn
      const account = yield* newAccount
      const { value } = yield* (yield* Accounts).createKey(account, {})
      const { secret } = yield* signIn.createLink(account)
      for (let i = 0; i < 10; i++) yield* Effect.flip(signIn.withKey(wrongKey, address))
      const limited = { why: "too many", retryAfter: 6_000 }
      expect(yield* Effect.flip(signIn.withKey(wrongKey, address))).toMatchObject(limited)
      yield* signIn.withKey(value, address)
      yield* signIn.withLink(Redacted.value(secret), address)
      expect(yield* Effect.flip(signIn.withLink(Redacted.value(secret), address))).toMatchObject(limited)
    }))
})
