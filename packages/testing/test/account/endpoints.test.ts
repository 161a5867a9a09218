import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

type Options = NonNullable<Parameters<typeof TestGateway.layer>[0]>
type Fields = Readonly<Record<string, unknown>>

const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>, options?: Options) =>
  it.effect(name, () =>
    Effect.provide(effect(), Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer(options))))
  )

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })

const read = (path: string, credential = key) =>
  Effect.map(ask("GET", `/account/v1${path}`, bearer(credential)), (answer) => {
    expect([answer.status, answer.headers["cache-control"]], answer.text).toEqual([200, "no-store"])
    return answer.json() as Fields
  })

/** Costs some micro-USD. */
const question = JSON.stringify({ query: "river", documents: ["river mountain sea shore ".repeat(50)] })

const rerank = Effect.fnUntraced(function* (credential = key) {
  const answer = yield* ask("POST", "/v1/rerank", bearer(credential), question)
  expect(answer.status, answer.text).toBe(200)
  return { cost: Number(answer.headers["x-tollgate-cost-micros-usd"]), headers: answer.headers }
})

const keyOf = Effect.gen(function* () {
  const { account, accounts } = yield* TestGateway
  const keys = yield* accounts.listKeys(account)
  return keys.find(({ label }) => label === "test")!.id
})

const day = 86_400_000

describe("the profile of a key", () => {
  test("says whom it stands for, and that it may spend the whole balance", () =>
    Effect.gen(function* () {
      const { account } = yield* TestGateway
      const id = yield* keyOf
      const { cost } = yield* rerank()
      expect(cost).toBeGreaterThan(0)
      const profile = yield* read("")
      expect(profile).toEqual({
        credential: {
          kind: "key",
          id,
          label: "test",
          scope: "key",
          scopes: null,
          ends_at: null,
          budget_micros_usd: null,
          spent_micros_usd: cost,
          reserved_micros_usd: 0,
          quotas: []
        },
        account: {
          id: account,
          label: "test",
          tier: "Free",
          rpm: 60,
          tpm: 60_000,
          concurrency: 5,
          multiplier: "1",
          balance_micros_usd: 5_000_000 - cost,
          reserved_micros_usd: 0
        },
        spendable_micros_usd: 5_000_000 - cost,
        sandbox: false,
        grants: false
      })
    }))

  test("shows the budget and the quota that its rotations share, and hides the account's balance", () =>
    Effect.gen(function* () {
      const { accounts } = yield* TestGateway
      const id = yield* keyOf
      yield* accounts.changeKey(id, { budget: micro(1_000n), dayBudget: micro(400n) })
      const rotated = yield* accounts.rotateKey(id, day)
      const { cost } = yield* rerank()
      const profile = yield* read("", Redacted.value(rotated.value))
      expect(profile.credential).toMatchObject({
        id: rotated.id,
        budget_micros_usd: 1_000,
        spent_micros_usd: cost,
        quotas: [{ amount_micros_usd: 400, period: "day", spent_micros_usd: cost, ends_at: "1970-01-02T00:00:00.000Z" }]
      })
      expect(profile.account).toMatchObject({ balance_micros_usd: null, reserved_micros_usd: null })
      expect(profile.spendable_micros_usd).toBe(400 - cost)
      expect((yield* read("")).credential).toMatchObject({ ends_at: "1970-01-02T00:00:00.000Z" })
    }))

  test("starts the quota anew with the next day, before anything is spent in it", () =>
    Effect.gen(function* () {
      const { accounts } = yield* TestGateway
      yield* accounts.changeKey(yield* keyOf, { dayBudget: micro(400n) })
      const { cost } = yield* rerank()
      expect((yield* read("")).spendable_micros_usd).toBe(400 - cost)
      yield* TestClock.adjust("1 day")
      const profile = yield* read("")
      expect(profile.spendable_micros_usd).toBe(400)
      expect(profile.credential).toMatchObject({
        quotas: [{ spent_micros_usd: 0, ends_at: "1970-01-03T00:00:00.000Z" }]
      })
    }))

  test("never says less than nothing is left", () =>
    Effect.gen(function* () {
      const { accounts } = yield* TestGateway
      const id = yield* keyOf
      yield* rerank()
      yield* accounts.changeKey(id, { budget: micro(0n) })
      expect((yield* read("")).spendable_micros_usd).toBe(0)
    }))
})

describe("the limits of a key", () => {
  const limited = { limits: true, sandbox: "all", operations: priced } as const

  test(
    "are those that its next call meets, and looking at them takes nothing",
    () =>
      Effect.gen(function* () {
        for (let i = 0; i < 3; i++) yield* rerank()
        for (let i = 0; i < 100; i++) yield* read("/limits")
        expect(yield* read("/limits")).toEqual({
          now: 0,
          requests: { limit: 60, remaining: 57, full_at: 3_000 },
          tokens: { limit: 60_000, remaining: 60_000, full_at: 0 },
          concurrency: { limit: 5, running: 0 },
          groups: [],
          tasks: { limit: 3, running: 0 }
        })
        yield* TestClock.adjust("1500 millis")
        expect(yield* read("/limits")).toMatchObject({ now: 1_500, requests: { remaining: 58, full_at: 3_000 } })
      }),
    limited
  )

  test(
    "include the groups that were called, and the tokens that were used",
    () =>
      Effect.gen(function* () {
        const body = JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Why?" }] }] })
        expect((yield* ask("POST", "/v1beta/models/sandbox:generateContent", bearer(key), body)).status).toBe(200)
        const limits = yield* read("/limits")
        expect(limits.groups).toEqual([{ id: "generate_content", limit: 30, remaining: 29, full_at: 2_000 }])
        expect((limits.tokens as Fields).remaining).toBeLessThan(60_000)
      }),
    limited
  )

  test(
    "belong to each key alone, and to its rotations",
    () =>
      Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        const other = yield* accounts.createKey(account, {})
        const rotated = yield* accounts.rotateKey(yield* keyOf, day)
        yield* rerank()
        expect(yield* read("/limits", Redacted.value(other.value))).toMatchObject({ requests: { remaining: 60 } })
        expect(yield* read("/limits", Redacted.value(rotated.value))).toMatchObject({ requests: { remaining: 59 } })
      }),
    limited
  )

  test("are not found on a gateway without limits", () =>
    Effect.gen(function* () {
      expect((yield* ask("GET", "/account/v1/limits", bearer(key))).status).toBe(404)
    }))
})

describe("requests to the account API", () => {
  test(
    "have a limit of their own, 600 in a minute, which calls do not share",
    () =>
      Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        const other = yield* accounts.createKey(account, {})
        const all = yield* Effect.forEach(Array.from({ length: 605 }), () =>
          ask("GET", "/account/v1/link", bearer(key))
        )
        expect(all.filter(({ status }) => status === 200)).toHaveLength(600)
        const refused = all.at(-1)!
        expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"])
        expect(refused.json()).toMatchObject({ error: { code: "rate_limit_exceeded" } })
        expect((yield* rerank()).headers["x-ratelimit-remaining-requests"]).toBe("59")
        yield* read("/link", Redacted.value(other.value))
        yield* TestClock.adjust("100 millis")
        yield* read("/link")
        expect((yield* ask("GET", "/account/v1/link", bearer(key))).status).toBe(429)
      }),
    { limits: true }
  )
})

describe("the offer", () => {
  const scenarios = [{ value: "slow; ms=10", title: "Slow", shows: "It waits." }]

  test(
    "has every operation with a schema, an example and a price",
    () =>
      Effect.gen(function* () {
        const offer = yield* read("/operations")
        const operations = offer.operations as ReadonlyArray<Fields>
        expect(offer.names).toMatchObject({ provider: "Tollgate" })
        expect(offer.scenarios).toEqual(scenarios)
        expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
        expect(operations.find(({ id }) => id === "rerank")).toMatchObject({
          template: "rerank",
          method: "POST",
          path: "/v1/rerank",
          example: { documents: expect.any(Array) as unknown },
          input_schema: { type: "object", required: ["query", "documents"] },
          is_free: false,
          streams: false,
          starts_task: false
        })
        expect(operations.find(({ id }) => id === "models.generate_content")).toMatchObject({
          models: ["sandbox"]
        })
        expect(operations.find(({ id }) => id === "video.create")).toMatchObject({ starts_task: true })
        expect(operations.find(({ id }) => id === "social_a.follow")).toMatchObject({ template: "{social_a}.follow" })
        expect((yield* read("")).sandbox).toBe(true)
      }),
    { sandbox: "all", accountEndpoints: { sandbox: () => scenarios } }
  )
})

const videoPath = "/apis/v1/services/aigc/video-generation/video-synthesis"

describe("the tasks of an account", () => {
  test(
    "are listed with their calls, the newest first, to every key of the account but one with a budget or a quota",
    () =>
      Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        const create = (prompt: string) =>
          ask(
            "POST",
            videoPath,
            { ...bearer(key), "x-tollgate-async": "enable" },
            JSON.stringify({ model: "sandbox-video", input: { prompt } })
          )
        const first = yield* create("a river [task never]")
        expect(first.status).toBe(200)
        yield* TestClock.adjust("1 second")
        yield* create("a sea [task never]")
        const { tasks } = (yield* read("/tasks")) as { readonly tasks: ReadonlyArray<Fields> }
        expect(tasks.map(({ created_at }) => created_at)).toEqual([
          "1970-01-01T00:00:01.000Z",
          "1970-01-01T00:00:00.000Z"
        ])
        expect(tasks[1]).toEqual({
          id: expect.stringMatching(/^task_/) as unknown,
          call: first.headers["x-request-id"],
          operation: "video.create",
          status: expect.any(String) as unknown,
          state: "running",
          created_at: "1970-01-01T00:00:00.000Z",
          ended_at: null,
          reserved_micros_usd: 10_000,
          charged_micros_usd: 0
        })
        expect((yield* read("/limits")).tasks).toEqual({ limit: 3, running: 2 })
        const other = yield* accounts.createKey(account, {})
        expect(yield* read("/tasks", Redacted.value(other.value))).toEqual({ tasks })
        const limited = yield* accounts.createKey(account, { budget: micro(1_000_000n) })
        expect(yield* read("/tasks", Redacted.value(limited.value))).toEqual({ tasks: [] })
      }),
    { sandbox: "all", limits: true, operations: priced }
  )
})
