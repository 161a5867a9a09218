import { describe, expect, it } from "@effect/vitest"
import { Accounts, Admin, Audit, Composition, EndpointGroup, KeyHash, Operators } from "@tollgate/gateway"
import { adminApi } from "@tollgate/contract/admin/adminApi"
import { mayUse } from "@tollgate/contract/admin/Operator"
import type { ApiRoute, Role } from "@tollgate/contract/Api"
import * as Rows from "@tollgate/ledger/store/rows"
import { withTrail } from "@tollgate/ledger/trail/verify"
import { NodeDigest, NodeSqliteClient } from "@tollgate/server"
import { PostgresClient } from "@tollgate/server/postgres"
import { Host, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const shared = "an-admin-token-of-some-length"
const secret = Redacted.make(new Uint8Array(32).fill(7))
const day = 86_400_000

const store = Composition.layerStore(secret).pipe(Layer.provideMerge(NodeSqliteClient.layer({ filename: ":memory:" })))
const postgres = Layer.unwrap(
  Effect.map(migratedDatabase, (address) =>
    Composition.layerStore(secret).pipe(
      Layer.provideMerge(PostgresClient.layer({ address })),
      Layer.provide(NodeDigest.layer)
    )
  )
)

/** The admin API alone, on a store of its own. */
const served = (token: string | undefined) =>
  Host.layerInProcess.pipe(
    Layer.provideMerge(
      Layer.effect(
        TestGateway,
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const admin = yield* Admin.make(token === undefined ? undefined : Redacted.make(token), {
            audit: withTrail(Effect.provideService(Audit.run, SqlClient, sql), Rows.make(sql), yield* KeyHash)
          })
          const app = EndpointGroup.serve([Admin.endpoints(admin)], () => expect.unreachable())
          return { app, accounts: yield* Accounts, account: "", sql } as TestGateway["Service"]
        })
      )
    ),
    Layer.provideMerge(store)
  )

type Method = Parameters<typeof ask>[0]
type Fields = Readonly<Record<string, unknown>>

const as = Effect.fnUntraced(function* (token: string, method: Method, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${token}` }
  const answer = yield* ask(method, `/admin/v1${path}`, headers, body === undefined ? undefined : JSON.stringify(body))
  return { status: answer.status, body: answer.json() as Fields }
})

/** An operator of this role with a session. */
const signedIn = Effect.fnUntraced(function* (role: Role, name: string = role) {
  const operators = yield* Operators
  const { id } = yield* operators.create({ name, role })
  const { secret } = yield* operators.link(id)
  const session = yield* operators.useLink(Redacted.value(secret))
  return { id, token: Redacted.value(session!) }
})

const fill = ({ path }: ApiRoute) => path.replaceAll(/\{\w+\}/g, "none")
const roles = ["owner", "finance", "support", "reader"] as const
const all = Object.values(adminApi.groups).flatMap((routes) => Object.entries(routes as Record<string, ApiRoute>))

describe("operators with names", () => {
  it.effect("each route refuses the roles that the contract does not name, and no other", () =>
    Effect.gen(function* () {
      for (const role of roles) {
        const { token } = yield* signedIn(role)
        const { may } = (yield* as(token, "GET", "/me")).body
        expect(may).toEqual(all.flatMap(([name, route]) => (mayUse(route, role) ? [name] : [])))
        for (const [name, route] of all) {
          const { body, status } = yield* as(token, route.method, fill(route), route.method === "GET" ? undefined : {})
          const known = status !== 404 || (body.error as Fields).code !== "route_not_found"
          if (!known) continue
          expect([name, role, status === 403]).toEqual([name, role, !mayUse(route, role)])
        }
      }
    }).pipe(Effect.provide(served(shared)))
  )

  it.effect("support makes, frees and rotates no unlimited key: with one it could charge the account's card", () =>
    Effect.gen(function* () {
      const [{ token: owner }, { token: support }] = [yield* signedIn("owner"), yield* signedIn("support")]
      const account = String((yield* as(owner, "POST", "/accounts", { label: "Acme" })).body.id)
      const make = (token: string, terms: object) => as(token, "POST", `/accounts/${account}/keys`, terms)
      const unlimited = String((yield* make(owner, { label: "all" })).body.id)
      const limited = yield* make(support, { label: "help", budget_micros_usd: 1_000_000 })
      expect(limited.status).toBe(201)
      const own = `/keys/${String(limited.body.id)}`
      for (const refused of [
        yield* make(support, { label: "help" }),
        yield* make(support, { label: "help", budget_micros_usd: null, models: null }),
        yield* as(support, "PATCH", own, { budget_micros_usd: null }),
        yield* as(support, "POST", `/keys/${unlimited}/rotate`, {})
      ]) {
        expect(refused).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining("support") } } })
      }
      expect((yield* as(support, "PATCH", own, { budget_micros_usd: 2_000_000 })).status).toBe(200)
      expect((yield* as(support, "POST", `${own}/rotate`, {})).status).toBe(201)
      expect((yield* as(owner, "PATCH", own, { budget_micros_usd: null })).status).toBe(200)
    }).pipe(Effect.provide(served(undefined)))
  )

  it.effect("nobody books under the id of a payment, which then could not be booked", () =>
    Effect.gen(function* () {
      const { token } = yield* signedIn("owner")
      const account = String((yield* as(token, "POST", "/accounts", { label: "Acme" })).body.id)
      for (const [id, status] of [
        ["pay_1", 400],
        ["back:pay_1.r9", 400],
        ["my-pay_1", 200]
      ] as const) {
        const booked = yield* as(token, "POST", `/accounts/${account}/topups`, { amount_micros_usd: 1, id })
        expect([id, booked.status]).toEqual([id, status])
      }
    }).pipe(Effect.provide(served(undefined)))
  )

  it.effect("a role that is taken away holds at the next request, and so does an end", () =>
    Effect.gen(function* () {
      const owner = yield* signedIn("owner")
      const ada = yield* signedIn("finance", "Ada")
      const made = yield* as(ada.token, "POST", "/tokens", { label: "nightly", days: 1 })
      const token = String(made.body.token)
      expect(made.body).toMatchObject({ operator: ada.id, role: "finance", ended: false })
      const account = String((yield* as(token, "POST", "/accounts", { label: "Acme" })).body.id)
      const pay = (token: string) => as(token, "POST", `/accounts/${account}/topups`, { amount_micros_usd: 5 })
      expect((yield* pay(token)).status).toBe(200)

      expect((yield* as(owner.token, "PATCH", `/operators/${ada.id}`, { role: "reader" })).status).toBe(200)
      for (const held of [ada.token, token]) {
        expect((yield* pay(held)).status).toBe(403)
        expect((yield* as(held, "GET", "/accounts")).status).toBe(200)
      }
      yield* as(owner.token, "POST", `/operators/${ada.id}/end`)
      for (const held of [ada.token, token]) expect((yield* as(held, "GET", "/accounts")).status).toBe(401)

      // A role lets Ada in again, with what is new.
      yield* as(owner.token, "PATCH", `/operators/${ada.id}`, { role: "finance" })
      expect((yield* pay(token)).status).toBe(401)
    }).pipe(Effect.provide(served(undefined)))
  )

  it.effect("the last owner stays one, also of two who take each other's role away at once", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* signedIn("owner", "one"), yield* signedIn("owner", "other")]
      const both = yield* Effect.all(
        [
          as(one.token, "PATCH", `/operators/${other.id}`, { role: "reader" }),
          as(other.token, "POST", `/operators/${one.id}/end`)
        ],
        { concurrency: "unbounded" }
      )
      expect(both.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
      const left = (yield* (yield* Operators).list).filter(({ ended, role }) => role === "owner" && !ended)
      expect(left).toHaveLength(1)
    }).pipe(Effect.provide(served(undefined)))
  )

  it.effect("a link signs in once, within its time, and is no token", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const { id } = yield* operators.create({ name: "Ada", role: "owner" })
      const link = Redacted.value((yield* operators.link(id)).secret)
      expect(yield* operators.find(link)).toBeUndefined()
      const sql = yield* SqlClient
      expect(yield* sql`SELECT action, subject FROM trail ORDER BY seq DESC LIMIT 1`).toMatchObject([
        { action: "sign-in link made", subject: id }
      ])
      const session = yield* operators.useLink(link)
      expect(yield* operators.useLink(link)).toBeUndefined()
      expect(yield* operators.find(Redacted.value(session!))).toMatchObject({ id, name: "Ada", role: "owner" })
      yield* operators.signOut(session!)
      expect(yield* operators.find(Redacted.value(session!))).toBeUndefined()

      const late = Redacted.value((yield* operators.link(id)).secret)
      yield* TestClock.adjust("15 minutes")
      expect(yield* operators.useLink(late)).toBeUndefined()
    }).pipe(Effect.provide(store))
  )

  it.effect("a token ends by its time, by its operator, or by an owner, and by nobody else", () =>
    Effect.gen(function* () {
      const [owner, ada, bob] = [yield* signedIn("owner"), yield* signedIn("support"), yield* signedIn("support")]
      const make = (token: string, days: number) =>
        Effect.map(as(token, "POST", "/tokens", { label: "t", days }), ({ body }) => [
          String(body.id),
          String(body.token)
        ])
      const [id = "", token = ""] = yield* make(ada.token, 2)
      expect((yield* as(bob.token, "POST", `/tokens/${id}/end`)).status).toBe(404)
      expect((yield* as(token, "GET", "/me")).body).toMatchObject({ id: ada.id, role: "support" })
      expect((yield* as(ada.token, "POST", `/tokens/${id}/end`)).body).toMatchObject({ ended: true })
      expect((yield* as(token, "GET", "/me")).status).toBe(401)
      const [second = ""] = yield* make(ada.token, 2)
      expect((yield* as(owner.token, "POST", `/tokens/${second}/end`)).status).toBe(200)
      // A token makes no other, ends only itself, and nobody makes one that may do more.
      const [own = "", reader = ""] = yield* Effect.map(
        as(owner.token, "POST", "/tokens", { label: "r", role: "reader" }),
        ({ body }) => [String(body.id), String(body.token)]
      )
      const [held = ""] = yield* make(owner.token, 2)
      expect((yield* as(reader, "POST", "/tokens", { label: "t" })).status).toBe(403)
      expect((yield* as(reader, "POST", `/tokens/${held}/end`)).status).toBe(403)
      expect((yield* as(reader, "POST", `/tokens/${own}/end`)).body).toMatchObject({ ended: true })
      for (const role of ["owner", "finance"]) {
        expect((yield* as(ada.token, "POST", "/tokens", { label: "t", role })).status).toBe(403)
      }
      const [, third = ""] = yield* make(ada.token, 2)
      yield* TestClock.adjust(2 * day)
      expect((yield* as(third, "GET", "/me")).status).toBe(401)
      expect((yield* as(shared, "POST", "/tokens", { label: "t" })).status).toBe(403)
    }).pipe(Effect.provide(served(shared)))
  )

  it.effect("without the shared token and without operators the API is off; an operator alone turns it on", () =>
    Effect.gen(function* () {
      expect((yield* as(shared, "GET", "/accounts")).status).toBe(404)
      const { token } = yield* signedIn("owner")
      expect((yield* as(shared, "GET", "/accounts")).status).toBe(401)
      expect((yield* as(token, "GET", "/accounts")).status).toBe(200)
    }).pipe(Effect.provide(served(undefined)))
  )

  it.effect("a provider says name and role at each sign-in; who loses the last group loses all tokens", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const claimed = { issuer: "https://id.example", subject: "7", name: "Ada", role: "finance" } as const
      const first = Redacted.value(yield* operators.signedIn(claimed))
      expect(yield* operators.find(first)).toMatchObject({ name: "Ada", role: "finance" })
      yield* operators.signedIn({ ...claimed, name: "Ada L.", role: "reader" })
      expect(yield* operators.find(first)).toMatchObject({ name: "Ada L.", role: "reader" })
      const [ada] = yield* operators.list
      expect(yield* Effect.flip(operators.link(ada!.id))).toMatchObject({ reason: "conflict" })
      expect(yield* Effect.flip(operators.signedIn({ ...claimed, role: undefined }))).toMatchObject({
        reason: "conflict"
      })
      expect(yield* operators.find(first)).toBeUndefined()
      yield* operators.signedIn(claimed)
      yield* operators.create({ name: "owner", role: "owner" })
      yield* operators.end(ada!.id)
      expect(yield* Effect.flip(operators.signedIn(claimed))).toMatchObject({ reason: "conflict" })
    }).pipe(Effect.provide(store))
  )
})

describe.each([["SQLite", store], ...(hasPostgres ? ([["PostgreSQL", postgres]] as const) : [])] as const)(
  "operators of a provider on %s",
  (_, on) => {
    it.effect("keep their tokens for programs for 30 days after each sign-in, and others to their end", () =>
      Effect.gen(function* () {
        const operators = yield* Operators
        const token = Effect.fnUntraced(function* (session: Redacted.Redacted | undefined) {
          const by = yield* operators.find(Redacted.value(session!))
          const { secret } = yield* operators.createToken(by!, { label: by!.name, role: "finance", days: 300 })
          return Redacted.value(secret)
        })
        const claimed = { issuer: "https://id.example", subject: "7", name: "Ada", role: "finance" } as const
        const session = yield* operators.signedIn(claimed)
        const ofAda = yield* token(session)
        const { id } = yield* operators.create({ name: "Bob", role: "owner" })
        const ofBob = yield* token(yield* operators.useLink(Redacted.value((yield* operators.link(id)).secret)))
        yield* operators.signOut(session)
        expect(yield* operators.find(Redacted.value(session))).toBeUndefined()
        const live = Effect.gen(function* () {
          const found = yield* Effect.forEach([ofAda, ofBob], (one) => operators.find(one))
          const listed = yield* operators.tokens
          expect(listed.map(({ ended, label }) => [label, ended]).toSorted()).toEqual([
            ["Ada", found[0] === undefined],
            ["Bob", found[1] === undefined]
          ])
          return found.map((one) => one?.role)
        })
        // Other sign-ins clear what is old.
        const others = Effect.andThen(TestClock.adjust("29 days"), operators.signedIn({ ...claimed, subject: "8" }))
        yield* others
        expect(yield* live).toEqual(["finance", "finance"])
        yield* TestClock.adjust("1 day")
        expect(yield* live).toEqual([undefined, "finance"])
        yield* operators.signedIn({ ...claimed, role: "reader" })
        expect(yield* live).toEqual(["reader", "finance"])
        yield* others
        yield* Effect.flip(operators.signedIn({ ...claimed, role: undefined }))
        expect(yield* live).toEqual([undefined, "finance"])
        yield* operators.signedIn(claimed)
        expect(yield* live).toEqual([undefined, "finance"])
        yield* TestClock.adjust("241 days")
        expect(yield* live).toEqual([undefined, undefined])
      }).pipe(Effect.provide(on as typeof store))
    )
  }
)

const trailOf = Effect.fnUntraced(function* (of?: string) {
  const { body } = yield* as(shared, "GET", `/trail${of === undefined ? "" : `?of=${encodeURIComponent(of)}`}`)
  return body.trail as ReadonlyArray<Fields>
})

const audited = (head?: unknown) =>
  Effect.map(as(shared, "POST", "/audit", head === undefined ? {} : { trail_head: head }), ({ body }) => body)

/** Some changes by two people. */
const changes = Effect.gen(function* () {
  const [ada, bob] = [yield* signedIn("finance", "Ada"), yield* signedIn("support", "Bob")]
  const { body } = yield* as(ada.token, "POST", "/accounts", { label: "Acme" })
  const account = String(body.id)
  yield* TestClock.adjust("1 second")
  yield* as(ada.token, "POST", `/accounts/${account}/topups`, {
    amount_micros_usd: 25_000_000,
    note: "invoice 7",
    id: "i7"
  })
  yield* as(ada.token, "PATCH", `/accounts/${account}`, { multiplier: "1.5" })
  const terms = { label: "k", day_budget_micros_usd: 1_000_000 }
  const key = String((yield* as(bob.token, "POST", `/accounts/${account}/keys`, terms)).body.id)
  yield* as(bob.token, "PATCH", `/keys/${key}`, { budget_micros_usd: 9_000_000 })
  yield* as(bob.token, "POST", `/keys/${key}/revoke`)
  return { account, key, ada, bob }
})

describe("the trail", () => {
  it.effect("says who changed what, from what to what, and why, once", () =>
    Effect.gen(function* () {
      const { account, ada, bob, key } = yield* changes
      const found = yield* trailOf(account)
      expect(found.map(({ action, who }) => `${String(who)}: ${String(action)}`).reverse()).toEqual([
        `Ada (${ada.id}): account created`,
        `Ada (${ada.id}): money booked`,
        `Ada (${ada.id}): money booked`,
        `Ada (${ada.id}): account changed`,
        `Bob (${bob.id}): key created`,
        `Bob (${bob.id}): key changed`,
        `Bob (${bob.id}): key revoked`
      ])
      expect(yield* trailOf(ada.id)).toMatchObject([{}, {}, {}, { action: "account created" }, {}, {}])
      const [payment] = yield* trailOf("i7")
      expect(payment).toMatchObject({ account, why: "invoice 7", after: { kind: "topup", amount: 25_000_000 } })
      expect(payment!.request).toMatch(/^req_/)
      const [revoked, changed] = yield* trailOf(key)
      expect([changed!.before, changed!.after]).toEqual([{ budget: null }, { budget: 9_000_000 }])
      expect(revoked!.before).toEqual({ ended: 0, ends_at: null })
      // What changes nothing is no entry.
      yield* as(ada.token, "POST", `/accounts/${account}/topups`, {
        amount_micros_usd: 25_000_000,
        note: "invoice 7",
        id: "i7"
      })
      yield* as(bob.token, "POST", `/keys/${key}/revoke`)
      yield* as(ada.token, "POST", `/accounts/${account}/adjustments`, { amount_micros_usd: -900_000_000, note: "no" })
      expect(yield* trailOf(account)).toHaveLength(found.length)
      expect(yield* audited()).toMatchObject({ correct: true, differences: [] })
      expect(JSON.stringify(yield* trailOf())).not.toMatch(/tg_|tgo_|hash":"[^"]{0,63}"/)
    }).pipe(Effect.provide(served(shared)))
  )

  it.effect("begins with the money of before, also if the first change is a payment", () =>
    Effect.gen(function* () {
      const { account } = yield* changes
      const sql = yield* SqlClient
      // A store from before the trail.
      yield* sql`DELETE FROM trail`
      yield* sql`DELETE FROM facts WHERE name = 'trail'`
      expect(yield* audited()).toMatchObject({ correct: true, trail_head: "0:" })
      yield* as(shared, "POST", `/accounts/${account}/topups`, { amount_micros_usd: 7, id: "first" })
      expect((yield* trailOf()).map(({ action }) => action)).toEqual(["money booked", "trail begun"])
      expect(yield* audited()).toMatchObject({ correct: true, differences: [] })
    }).pipe(Effect.provide(served(shared)))
  )

  it.effect("is shown also where somebody has changed it", () =>
    Effect.gen(function* () {
      yield* changes
      yield* (yield* SqlClient)`UPDATE trail SET after = 'x' WHERE subject = 'i7'`
      expect(yield* trailOf("i7")).toMatchObject([{ after: "x" }])
    }).pipe(Effect.provide(served(shared)))
  )

  it.effect("pages by the entry before", () =>
    Effect.gen(function* () {
      yield* changes
      const whole = yield* trailOf()
      const { body } = yield* as(shared, "GET", `/trail?limit=3&before=${String(whole[1]!.seq)}`)
      expect((body.trail as ReadonlyArray<Fields>).map(({ seq }) => seq)).toEqual(
        whole.slice(2, 5).map(({ seq }) => seq)
      )
    }).pipe(Effect.provide(served(shared)))
  )

  const attacks: ReadonlyArray<readonly [name: string, sql: string, column: string]> = [
    ["an edited reason", "UPDATE trail SET why = 'gift' WHERE subject = 'i7'", "hash"],
    ["an edited person", "UPDATE trail SET who = 'Eve' WHERE seq = 3", "hash"],
    ["an entry that is gone", "DELETE FROM trail WHERE seq = 4", "seq"],
    ["a cut end", "DELETE FROM trail WHERE seq > 6", "seq"],
    [
      "a cut end with its fact",
      "DELETE FROM trail WHERE seq > 6; UPDATE facts SET value = '6 ' || (SELECT hash FROM trail WHERE seq = 6) WHERE name = 'trail'",
      ""
    ],
    [
      "an entry of money that nobody made",
      "INSERT INTO entries (id, account, kind, amount, note, at) SELECT 'x', account, 'credit', 5, '', at + 9 FROM entries LIMIT 1; UPDATE accounts SET balance = balance + 5",
      "subject"
    ],
    [
      "money of another amount",
      "UPDATE entries SET amount = amount + 5 WHERE id = 'i7'; UPDATE accounts SET balance = balance + 5, topped_up = topped_up + 5",
      "amount"
    ],
    [
      "money that is dated before the trail",
      "INSERT INTO entries (id, account, kind, amount, note, at) SELECT 'x', account, 'credit', 5, '', 5 FROM entries LIMIT 1; UPDATE accounts SET balance = balance + 5",
      "subject"
    ],
    [
      "a credit made a payment",
      "UPDATE entries SET kind = 'topup' WHERE id = 'i7'; UPDATE entries SET kind = 'adjustment' WHERE id = 'i7'",
      "amount"
    ],
    ["a text for an amount of money", "UPDATE entries SET amount = 'much' WHERE id = 'i7'", "amount"],
    [
      "an amount that nobody made, and is none",
      "INSERT INTO entries (id, account, kind, amount, note, at) SELECT 'x', account, 'credit', '1.5', '', at + 9 FROM entries LIMIT 1",
      "subject"
    ],
    ["a time of the trail that is none", "UPDATE trail SET at = 'x' WHERE subject = 'i7'", "hash"],
    ["another note of money", "UPDATE entries SET note = 'gift' WHERE id = 'i7'", "amount"],
    ["another time of money", "UPDATE entries SET at = at - 90000000 WHERE id = 'i7'", "at"],
    ["a time of money that is none", "UPDATE entries SET at = 'x' WHERE id = 'i7'", "at"],
    ["an entry that is no JSON", "UPDATE trail SET after = 'x' WHERE subject = 'i7'", "hash"],
    ["no fact of the end", "DELETE FROM facts WHERE name = 'trail'", "seq"],
    ["nothing left of it", "DELETE FROM trail", "seq"]
  ]

  it.effect.each(attacks)("the audit notices %s", ([, statements, column]) =>
    Effect.gen(function* () {
      yield* changes
      const before = yield* audited()
      const sql = yield* SqlClient
      for (const statement of statements.split("; ")) yield* sql.unsafe(statement)
      const { correct, differences } = yield* audited(before.trail_head)
      expect(correct).toBe(false)
      expect((differences as ReadonlyArray<Fields>).map((one) => one.column)).toContain(column === "" ? "hash" : column)
    }).pipe(Effect.provide(served(shared)))
  )

  it.effect("support refunds up to the limit, and is told who may do more", () =>
    Effect.gen(function* () {
      const { token } = yield* signedIn("support")
      expect((yield* as(token, "GET", "/me")).body).toMatchObject({ refund_limit_micros_usd: 10_000_000 })
      const { body } = yield* as(shared, "POST", "/accounts", { label: "Acme" })
      const refund = { call: "req_1", amount_micros_usd: 10_000_001, note: "empty" }
      const sql = yield* SqlClient
      yield* sql`INSERT INTO keys (id, account, hash, label, created_at) VALUES ('key_1', ${String(body.id)}, 'h', 'k', 0)`
      const columns = yield* sql<{ name: string; notnull: number }>`PRAGMA table_info(calls)`
      const call: Record<string, unknown> = Object.fromEntries(
        columns.filter((c) => c.notnull === 1).map(({ name }) => [name, 0])
      )
      Object.assign(call, {
        id: "req_1",
        account: body.id,
        key: "key_1",
        operation: "rerank",
        state: "settled",
        owner: "x",
        charged: 20_000_000,
        charged_nano: 20_000_000_000,
        ended_at: 1
      })
      yield* sql`INSERT INTO calls ${sql.insert(call)}`
      const refused = yield* as(token, "POST", `/accounts/${String(body.id)}/refunds`, refund)
      expect([refused.status, refused.body.error]).toMatchObject([
        403,
        {
          code: "access_denied",
          message: "You may refund up to 10 USD for a call; ask an owner or somebody in finance."
        }
      ])
      const give = (i: number, by = token) =>
        as(by, "POST", `/accounts/${String(body.id)}/refunds`, {
          call: `req_${i}`,
          amount_micros_usd: 10_000_000,
          note: "empty"
        })
      for (let i = 1; i <= 12; i++) {
        if (i > 1) yield* sql`INSERT INTO calls ${sql.insert({ ...call, id: `req_${i}` })}`
        if (i <= 10) expect((yield* give(i)).status).toBe(200)
      }
      // Ten times as much in a day, each for oneself.
      const late = yield* give(11)
      expect([late.status, JSON.stringify(late.body)]).toEqual([403, expect.stringContaining("100 USD in a day (UTC)")])
      expect((yield* as(shared, "GET", `/accounts/${String(body.id)}`)).body).toMatchObject({
        balance_micros_usd: 105_000_000
      })
      // What was given back is not given back again, and is no refusal.
      expect((yield* give(10)).status).toBe(200)
      expect((yield* give(12, (yield* signedIn("support", "Bob")).token)).status).toBe(200)
      const { body: program } = yield* as(token, "POST", "/tokens", { label: "of support" })
      expect((yield* give(11, String(program.token))).status).toBe(403)
      yield* TestClock.adjust("1 day")
      expect((yield* give(11, String(program.token))).status).toBe(200)
    }).pipe(Effect.provide(served(shared)))
  )
})
