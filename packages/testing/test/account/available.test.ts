import { describe, expect, it } from "@effect/vitest"
import { formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.effect(name, () =>
    Effect.provide(effect(), Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ limits: true }))))
  )

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })

const read = (path: string, credential = key) =>
  Effect.map(ask("GET", path, bearer(credential)), (answer) => ({
    status: answer.status,
    body: answer.json() as Readonly<Record<string, unknown>>
  }))

const question = JSON.stringify({ query: "river", documents: ["river mountain sea shore ".repeat(50)] })

const costOfCall = (credential: string) =>
  Effect.map(ask("POST", "/v1/rerank", bearer(credential), question), ({ headers }) =>
    BigInt(headers["x-tollgate-cost-micros-usd"] ?? "")
  )

const usd = (micros: bigint) => formatUsd(fromMicros(micro(micros)))

describe("account.balance", () => {
  test("says at no cost what a key may spend of the balance, and what it may send", () =>
    Effect.gen(function* () {
      const cost = yield* costOfCall(key)
      expect(cost).toBeGreaterThan(0n)
      const { account, accounts } = yield* TestGateway
      const { balance } = yield* accounts.get(account)
      const { body } = yield* read("/v1/balance")
      expect(body).toMatchObject({
        spendable_usd: usd(balance),
        spendable_micros_usd: Number(balance),
        balance_usd: usd(balance),
        budget: null,
        quota: null,
        requests: { limit: 60, remaining: expect.any(Number) as unknown }
      })
      expect((yield* accounts.get(account)).balance).toBe(balance)
    }))

  test("tells a key with a budget and a daily limit what is left of these, and not the balance", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const terms = { budget: micro(900n), dayBudget: micro(500n) }
      const { value } = yield* accounts.createKey(account, terms)
      const limited = Redacted.value(value)
      const cost = yield* costOfCall(limited)
      const { body } = yield* read("/v1/balance", limited)
      expect(body).toMatchObject({
        spendable_usd: usd(500n - cost),
        balance_usd: null,
        budget: { limit_usd: "0.0009", left_usd: usd(900n - cost) },
        quota: { limit_usd: "0.0005", left_usd: usd(500n - cost), period: "day" }
      })
    }))
})

describe("account.prices", () => {
  test("lists every operation once, page by page", () =>
    Effect.gen(function* () {
      const all: Array<string> = []
      let next: unknown = ""
      while (typeof next === "string") {
        const { body } = yield* read(`/v1/prices?limit=7&after=${next}`)
        const prices = body["prices"] as ReadonlyArray<{ operation_id: string; price: string }>
        all.push(...prices.map(({ operation_id }) => operation_id))
        next = body["next"]
      }
      expect(new Set(all).size).toBe(all.length)
      expect(all).toEqual(expect.arrayContaining(["account.balance", "rerank", "usage"]))
      expect(all).toEqual(all.toSorted())
    }))

  test("shows the price of one operation, and refuses one that does not exist", () =>
    Effect.gen(function* () {
      const { body } = yield* read("/v1/prices?operation_id=rerank")
      expect(body).toMatchObject({
        prices: [{ operation_id: "rerank", price: "$0.05 / 1M tokens" }],
        next: null
      })
      const category = (yield* read("/v1/prices?category=rerank")).body["prices"] as ReadonlyArray<object>
      expect(category).toHaveLength(2)
      for (const path of ["operation_id=nothing", "limit=0", "limit=1000"]) {
        expect((yield* read(`/v1/prices?${path}`)).status, path).toBe(400)
      }
    }))
})
