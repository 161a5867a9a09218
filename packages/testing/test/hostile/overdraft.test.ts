import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Audit, UsageLog } from "@tollgate/gateway"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { calls, priced } from "@tollgate/testing/models"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"

const bearer = { authorization: `Bearer ${key}` }

/** 16,384 tokens of output at 17 USD a million, and 10 of input at 3 USD. */
const outputTokens = 16_384
const price = 278_558

const usage = { prompt_tokens: 10, completion_tokens: outputTokens, total_tokens: 10 + outputTokens }
const completion = {
  id: "c",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage
}
const events = [
  { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: "hi" }, finish_reason: null }] },
  { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { id: "c", object: "chat.completion.chunk", choices: [], usage }
]

/** An upstream that ignores every bound and reports 16,384 tokens. */
const greedy = httpUpstream((res, { body }) => {
  if ((JSON.parse(body) as { readonly stream?: boolean }).stream !== true) {
    return void res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion))
  }
  const text = [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`)
  res.writeHead(200, { "content-type": "text/event-stream" }).end(text.join(""))
})

const withGreedy = <A, E>(use: Effect.Effect<A, E, Host | TestGateway>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { port } = yield* greedy
      const providers = { "chat.completions": { ...providerAt(port), protocol: "openai" } }
      const gateway = TestGateway.layer({ operations: priced, providers })
      return yield* Effect.provide(use, Host.layerNode.pipe(Layer.provideMerge(gateway)))
    })
  )

/** Asks for at most 100 tokens, so that little is reserved. */
const chat = (headers: Readonly<Record<string, string>> = {}, more: object = {}) =>
  ask(
    "POST",
    "/v1/chat/completions",
    { ...bearer, ...headers },
    JSON.stringify({ model: "sandbox", max_tokens: 100, messages: [{ role: "user", content: "hi" }], ...more })
  )

const cost = ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) => [
  headers["x-tollgate-cost-state"],
  headers["x-tollgate-cost-micros-usd"]
]

const withSql = <A, E>(effect: Effect.Effect<A, E, SqlClient>) =>
  TestGateway.use(({ sql }) => Effect.provideService(effect, SqlClient, sql))

/** Leaves the account this much. */
const leave = (micros: bigint) =>
  TestGateway.use(({ account, accounts }) =>
    Effect.flatMap(accounts.get(account), ({ balance }) => accounts.adjust(account, micros - balance, "the rest"))
  )

describe("an upstream that reports more than was reserved", () => {
  it.live("is paid in full by the caller; then every billed call gets 402 until the balance is positive", () =>
    withGreedy(
      Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        yield* leave(50_000n)
        const answer = yield* chat()
        expect([answer.status, ...cost(answer)]).toEqual([200, "settled", String(price)])
        const [call] = yield* calls
        expect(call?.reserved).toBeLessThan(50_000)
        expect((yield* accounts.get(account)).balance).toBe(BigInt(50_000 - price))

        const refused = yield* chat()
        expect([refused.status, refused.text]).toEqual([402, expect.stringContaining("the balance is 0 USD")])
        expect(yield* withSql(Audit.run)).toMatchObject({
          differences: [],
          overdrafts: [{ of: "balance", id: account, amount: BigInt(price - 50_000) }]
        })

        yield* accounts.topUp(account, micro(BigInt(price - 50_000)), "to zero")
        expect((yield* chat()).status).toBe(402)
        yield* accounts.topUp(account, micro(1_000_000n), "enough")
        expect((yield* chat()).status).toBe(200)
        expect(yield* withSql(Audit.run)).toMatchObject({ differences: [], overdrafts: [] })
      })
    )
  )

  it.live("is paid in full for a stream too", () =>
    withGreedy(
      Effect.gen(function* () {
        const answer = yield* chat({}, { stream: true })
        expect(answer.text).toContain(`: cost_micros_usd=${price} cost_state=settled`)
        expect((yield* calls)[0]).toMatchObject({ charged: price, output_tokens: outputTokens })
      })
    )
  )

  it.live("takes a budget and a quota below zero: 402, and 429 quota_exceeded", () =>
    withGreedy(
      Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        const [own] = yield* accounts.listKeys(account)
        const id = own?.id ?? ""
        yield* accounts.changeKey(id, { budget: micro(50_000n), dayBudget: micro(60_000n) })
        expect((yield* chat()).status).toBe(200)
        expect((yield* chat()).text).toContain("quota_exceeded")
        yield* accounts.changeKey(id, { dayBudget: null })
        const over = yield* chat()
        expect([over.status, over.text]).toEqual([402, expect.stringMatching(/budget .*(is used up|has 0 USD left)/)])
      })
    )
  )

  it.live("is paid up to the cap by the caller and beyond it by the operator", () =>
    withGreedy(
      Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        const { balance } = yield* accounts.get(account)
        // Less than a micro-USD of a cap is nothing that could be charged.
        for (const cap of ["0.0025", "0.0025009"]) {
          const answer = yield* chat({ "x-tollgate-max-price-usd": cap })
          expect([answer.status, ...cost(answer)]).toEqual([200, "settled", "2500"])
        }
        const streamed = yield* chat({ "x-tollgate-max-price-usd": "0.0025" }, { stream: true })
        expect(streamed.text).toContain(": cost_micros_usd=2500 cost_state=settled")
        expect((yield* accounts.get(account)).balance).toBe(balance - 7_500n)

        const loss = price - 2_500
        const { differences, totals } = yield* withSql(Audit.run)
        expect([differences, totals.charged, totals.loss]).toEqual([[], 7_500n, BigInt(3 * loss)])
        const log = yield* withSql(Stream.runCollect(UsageLog.stream()))
        expect(log.map((call) => [call.value_micros_usd, call.charged_micros_usd, call.loss_micros_usd])).toEqual(
          Array(3).fill([BigInt(price), 2_500n, BigInt(loss)])
        )
        const lines = yield* withSql(Stream.runCollect(UsageLog.ndjson(UsageLog.stream())))
        expect([...lines].join("")).toContain(`"loss_micros_usd":${loss},`)
      })
    )
  )
})
