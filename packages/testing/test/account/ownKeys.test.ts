import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { priced } from "@tollgate/testing/models"
import { alsoOnPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"

type Fields = Readonly<Record<string, unknown>>

const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.effect(name, () =>
    Effect.provide(
      effect(),
      Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))
    )
  )

const send = (method: "GET" | "POST" | "PATCH", path: string, body?: object, credential = key) =>
  Effect.map(
    ask(method, `/account/v1/keys${path}`, { authorization: `Bearer ${credential}` }, body && JSON.stringify(body)),
    (answer) => {
      const fields = answer.json() as Fields
      return { ...fields, status: answer.status, error: fields.error as Fields | undefined }
    }
  )

const list = Effect.map(send("GET", ""), (answer) => (answer as Fields).keys as ReadonlyArray<Fields>)

const make = (terms: object, credential?: string) =>
  Effect.map(send("POST", "", terms, credential), (made) => {
    expect(made.status, JSON.stringify(made)).toBe(201)
    return made as typeof made & { readonly id: string; readonly key: string }
  })

const refusal = ({ error, status }: { readonly status: number; readonly error: Fields | undefined }) => [
  status,
  error?.code,
  /^([a-z_.\d]+): /.exec(String(error?.message))?.[1]
]

const call = (
  credential: string,
  path = "/v1/rerank",
  body: object = { query: "river", documents: ["river mountain sea shore ".repeat(50)] }
) =>
  Effect.map(ask("POST", path, { authorization: `Bearer ${credential}` }, JSON.stringify(body)), (answer) => ({
    status: answer.status,
    code: answer.status < 400 ? undefined : ((answer.json() as Fields).error as Fields).code,
    text: answer.text
  }))

const ownId = Effect.map(list, (keys) => String(keys.find(({ own }) => own === true)?.id))

const inTenDays = "1970-01-11T00:00:00.000Z"

describe("the keys of an account, over its own API", () => {
  test("are made, listed, changed, rotated and revoked by a key; a secret is shown once", () =>
    Effect.gen(function* () {
      const made = yield* make({ label: "nightly", day_budget_micros_usd: 1_000_000 })
      expect(made).toMatchObject({
        label: "nightly",
        day_budget_micros_usd: 1_000_000,
        month_budget_micros_usd: null,
        spent_today_micros_usd: 0,
        last_used_at: null,
        ends_at: null,
        ended: false,
        own: false
      })
      expect((yield* call(made.key)).status).toBe(200)
      const [listed] = (yield* list).filter(({ id }) => id === made.id)
      expect(listed).toMatchObject({
        last_used_at: "1970-01-01T00:00:00.000Z",
        spent_today_micros_usd: expect.any(Number) as unknown
      })
      expect(listed?.spent_today_micros_usd).toBeGreaterThan(0)
      expect(JSON.stringify(yield* list)).not.toContain(made.key)
      expect(yield* send("PATCH", `/${made.id}`, { label: "לילה", month_budget_micros_usd: 5_000_000 })).toMatchObject({
        label: "לילה",
        day_budget_micros_usd: 1_000_000,
        month_budget_micros_usd: 5_000_000
      })
      const rotated = (yield* send("POST", `/${made.id}/rotate`, { grace_seconds: 60 })) as Fields
      expect(rotated).toMatchObject({ status: 201, root_key: made.id, month_budget_micros_usd: 5_000_000 })
      expect((yield* call(String(rotated.key))).status).toBe(200)
      yield* TestClock.adjust("1 minute")
      expect((yield* call(made.key)).status).toBe(401)
      const revoked = yield* send("POST", `/${String(rotated.id)}/revoke`)
      expect(revoked).toMatchObject({ status: 200, ended: true })
      yield* TestClock.adjust("1 second")
      expect((yield* call(String(rotated.key))).status).toBe(401)
      for (const answer of [
        yield* send("PATCH", `/${String(rotated.id)}`, { label: "x" }),
        yield* send("POST", `/${String(rotated.id)}/rotate`)
      ]) {
        expect(answer.status).toBe(409)
      }
    }))

  test("with bad names and terms are refused, and named", () =>
    Effect.gen(function* () {
      for (const [terms, param] of [
        [{ label: "x".repeat(10_240) }, "label"],
        [{ label: "a\u202eb" }, "label"],
        [{ label: "a\nb" }, "label"],
        [{ ends_at: "1969-12-31T00:00:00Z" }, "ends_at"],
        [{ ends_at: "tomorrow" }, "ends_at"],
        [{ allowed: { categories: ["nothing"], operations: [] } }, "allowed.categories"],
        [{ allowed: { categories: [], operations: ["nothing"] } }, "allowed.operations"],
        [{ models: [] }, "models"],
        [{ addresses: ["here"] }, "addresses.0"],
        [{ addresses: ["300.0.0.1"] }, "addresses"],
        [{ addresses: ["10.1.2.3/8"] }, "addresses"],
        [{ budget_micros_usd: -1 }, "budget_micros_usd"],
        [{ id: "key_1" }, "id"]
      ] as const) {
        expect([terms, ...refusal(yield* send("POST", "", terms))]).toEqual([terms, 400, "invalid_request", param])
      }
      const markup = "<b>קוד & 鍵</b>"
      expect(yield* make({ label: markup })).toMatchObject({ label: markup })
    }))

  test("are at most 100 that are valid", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      for (let valid = (yield* list).length; valid < 99; valid++) yield* accounts.createKey(account, {})
      const both = yield* Effect.all([send("POST", "", {}), send("POST", "", {})], { concurrency: 2 })
      expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
      const id = yield* ownId
      expect(yield* send("POST", `/${id}/rotate`)).toMatchObject({
        status: 409,
        error: { message: expect.stringContaining("100 valid keys") as unknown }
      })
      const [other] = (yield* list).filter(({ own }) => own !== true)
      expect((yield* send("POST", `/${String(other?.id)}/revoke`)).status).toBe(200)
      expect((yield* send("POST", "", {})).status).toBe(201)
    }))

  test("are changed by no limited key, of no other account, and a key does not limit itself", () =>
    Effect.gen(function* () {
      const { accounts } = yield* TestGateway
      const id = yield* ownId
      for (const terms of [
        { budget_micros_usd: 5 },
        { month_budget_micros_usd: 5 },
        { ends_at: inTenDays },
        { models: ["sandbox"] },
        { allowed: { categories: ["rerank"], operations: [] } }
      ]) {
        const limited = yield* make(terms)
        for (const [method, path] of [
          ["GET", ""],
          ["POST", ""],
          ["PATCH", `/${id}`],
          ["POST", `/${limited.id}/revoke`]
        ] as const) {
          expect(refusal(yield* send(method, path, method === "GET" ? undefined : {}, limited.key))).toEqual([
            403,
            "access_denied",
            undefined
          ])
        }
      }
      const stranger = yield* accounts.createKey((yield* accounts.create("other")).id, {})
      for (const [method, path] of [
        ["PATCH", ""],
        ["POST", "/revoke"],
        ["POST", "/rotate"]
      ] as const) {
        const answer = yield* send(method, `/${id}${path}`, {}, Redacted.value(stranger.value))
        expect(refusal(answer)).toEqual([404, "not_found", undefined])
      }
      expect(refusal(yield* send("PATCH", `/${id}`, { budget_micros_usd: 5 }))).toEqual([
        403,
        "access_denied",
        undefined
      ])
      expect(yield* send("PATCH", `/${id}`, { label: "mine" })).toMatchObject({ status: 200, label: "mine" })
    }))

  test("that ask, or are the last, are revoked only with a confirmation", () =>
    Effect.gen(function* () {
      const id = yield* ownId
      for (const { id: other, own } of yield* list) if (own !== true) yield* send("POST", `/${String(other)}/revoke`)
      yield* make({ budget_micros_usd: 5 })
      const last = yield* send("POST", `/${id}/revoke`)
      expect(last).toMatchObject({
        status: 409,
        error: { message: expect.stringContaining("the last key") as unknown }
      })
      yield* make({ label: "second" })
      const own = yield* send("POST", `/${id}/revoke`)
      expect(own).toMatchObject({
        status: 409,
        error: { message: expect.stringContaining("signed in with this key") as unknown }
      })
      expect(yield* send("POST", `/${id}/revoke`, { confirm: "last" })).toMatchObject({ status: 200, ended: true })
      yield* TestClock.adjust("1 second")
      expect((yield* send("GET", "")).status).toBe(401)
    }))
})

describe.each([
  { name: "SQLite", has: true, database: Effect.succeed(undefined) },
  { name: "PostgreSQL", has: alsoOnPostgres, database: migratedDatabase }
])("the last keys of an account in $name", ({ database, has }) => {
  it.live.runIf(has)("that are revoked at once, with no word of the last: one stays", () =>
    Effect.gen(function* () {
      const address = yield* Effect.orDie(database)
      const gateway = TestGateway.layer(address === undefined ? {} : { database: address })
      yield* Effect.gen(function* () {
        for (const { id, own } of yield* list) if (own !== true) yield* send("POST", `/${String(id)}/revoke`)
        for (let round = 0, own = key, id = yield* ownId; round < 5; round++) {
          const other = yield* make({}, own)
          const both = [
            send("POST", `/${id}/revoke`, { confirm: "own" }, own),
            send("POST", `/${other.id}/revoke`, {}, own)
          ]
          const answers = yield* Effect.all(round % 2 === 0 ? both : both.toReversed(), { concurrency: 2 })
          // A request may find its key revoked already.
          expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
          if ((yield* send("GET", "", undefined, other.key)).status === 200) [own, id] = [other.key, other.id]
          expect((yield* send("GET", "", undefined, own)).status).toBe(200)
        }
      }).pipe(Effect.provide(Layer.provideMerge(Host.layerInProcess, gateway)))
    }).pipe(Effect.scoped)
  )
})

describe("what a key may do", () => {
  test("ends with its date, also with the clock set back, and cannot be extended then", () =>
    Effect.gen(function* () {
      const { id, key: limited } = yield* make({ ends_at: inTenDays })
      expect((yield* call(limited)).status).toBe(200)
      yield* TestClock.adjust("10 days")
      expect((yield* call(limited)).status).toBe(401)
      expect((yield* send("PATCH", `/${id}`, { ends_at: null })).status).toBe(409)
      yield* TestClock.setTime(1_000)
      expect((yield* call(limited)).status).toBe(401)
    }))

  test("is some operations and categories, for its rotations too, and what it sees of a price", () =>
    Effect.gen(function* () {
      const { id, key: limited } = yield* make({ allowed: { categories: ["rerank"], operations: [] } })
      const chat = { model: "sandbox", messages: [{ role: "user", content: "hi" }] }
      const rotated = (yield* send("POST", `/${id}/rotate`)) as Fields
      for (const credential of [limited, String(rotated.key)]) {
        expect((yield* call(credential)).status).toBe(200)
        const refused = yield* call(credential, "/v1/chat/completions", chat)
        expect([refused.status, refused.code]).toEqual([403, "operation_not_allowed"])
        expect(refused.text).toContain("The owner of the account can allow it")
      }
      expect((yield* send("PATCH", `/${id}`, { allowed: null })).status).toBe(200)
      yield* TestClock.adjust("1 second")
      expect((yield* call(limited, "/v1/chat/completions", chat)).code).not.toBe("operation_not_allowed")
    }))

  test("is some models; an operation whose price has none stays", () =>
    Effect.gen(function* () {
      const { key: limited } = yield* make({ models: ["sandbox", "other"] })
      const chat = (model: string) =>
        call(limited, "/v1/chat/completions", { model, messages: [{ role: "user", content: "hi" }] })
      expect((yield* chat("sandbox")).code).not.toBe("model_not_allowed")
      const refused = yield* chat("gpt-<b>")
      expect([refused.status, refused.code]).toEqual([403, "model_not_allowed"])
      expect(refused.text).toContain("it is for sandbox, other")
      expect((yield* call(limited)).status).toBe(200)
    }))

  test("is refused to callers whose address is not known, or another", () =>
    Effect.gen(function* () {
      const { key: limited } = yield* make({ addresses: ["203.0.113.0/24", "2001:db8::/32"] })
      const refused = yield* call(limited)
      expect([refused.status, refused.code]).toEqual([403, "address_not_allowed"])
    }))

  test("can be limited while its call runs: the call ends and counts", () =>
    Effect.gen(function* () {
      const { accounts } = yield* TestGateway
      const { id, key: limited } = yield* make({})
      expect((yield* call(limited)).status).toBe(200)
      const { spent } = yield* accounts.getKey(id)
      yield* send("PATCH", `/${id}`, { budget_micros_usd: Number(spent), day_budget_micros_usd: 1_000_000 })
      expect(yield* call(limited)).toMatchObject({ status: 402, code: "over_budget" })
      yield* accounts.changeKey(id, { budget: null, monthBudget: micro(spent) })
      yield* TestClock.adjust("1 second")
      expect(yield* call(limited)).toMatchObject({ status: 429, code: "quota_exceeded" })
    }))

  it.live("can be limited while its stream runs: the stream ends and counts, and the next call is refused", () =>
    Effect.gen(function* () {
      const { accounts } = yield* TestGateway
      const { baseUrl, http } = yield* Host
      const { id, key: limited } = yield* make({})
      const body = { model: "sandbox", stream: true, messages: [{ role: "user", content: "hi" }] }
      const asked = HttpClientRequest.post(`${baseUrl}/v1/chat/completions`, {
        headers: { authorization: `Bearer ${limited}` },
        body: HttpBody.text(JSON.stringify(body), "application/json")
      })
      let text = ""
      yield* Stream.runForEach((yield* http.execute(asked)).stream, (chunk) =>
        Effect.gen(function* () {
          if (text === "") {
            expect((yield* send("PATCH", `/${id}`, { budget_micros_usd: 1, addresses: ["203.0.113.7"] })).status).toBe(
              200
            )
          }
          text += new TextDecoder().decode(chunk)
        })
      )
      expect(text).toContain("[DONE]")
      const { reserved, spent } = yield* accounts.getKey(id)
      expect([spent > 1n, reserved]).toEqual([true, 0n])
      yield* send("PATCH", `/${id}`, { addresses: null })
      expect((yield* call(limited, "/v1/chat/completions", body)).code).toBe("over_budget")
    }).pipe(
      Effect.provide(
        Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))
      )
    )
  )
})
