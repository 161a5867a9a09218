import { expect, layer } from "@effect/vitest"
import { callTool } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Effect from "effect/Effect"

type Json = Readonly<Record<string, unknown>>

const question = [{ role: "user", content: "Why do rivers bend?" }]
const rerank = {
  operation_id: "rerank",
  arguments: { query: "q", documents: ["a", "word ".repeat(2_000)] },
  max_price_usd: 0.01
}

const use = (input: Json) => Effect.map(callTool("use", input), ({ content }) => content)

layer(servedSandbox(), { excludeTestServices: true })("a result", (it) => {
  it.effect.each<readonly [string, Json]>([
    ["chat.completions", { model: "sandbox", messages: question }],
    ["chat.completions", { model: "sandbox", messages: question, stream: true }],
    ["responses", { model: "sandbox", input: "Why do rivers bend?", store: false }],
    ["models.generate_content", { model: "sandbox", contents: [{ role: "user", parts: [{ text: "Why?" }] }] }]
  ])("says that the cap cut the answer off: %s %j", ([operation_id, input]) =>
    Effect.gen(function* () {
      const capped = yield* use({ operation_id, arguments: input, max_price_usd: 0.0008 })
      expect(capped).toMatchObject({ status: 200, limited_by_cap: true })
      const enough = yield* use({ operation_id, arguments: input, max_price_usd: 1 })
      expect(enough).not.toHaveProperty("limited_by_cap")
    })
  )

  it.effect("has one estimate if the cap does not pay for the shortest answer", () =>
    Effect.gen(function* () {
      const input = { model: "sandbox", messages: question }
      const refused = yield* use({ operation_id: "chat.completions", arguments: input, max_price_usd: 0.000001 })
      expect(refused).toMatchObject({ price: { estimate_usd: expect.any(String) as unknown } })
      const { message } = refused["error"] as { message: string }
      expect(message).toMatch(/^Even with the shortest answer, the call can cost up to [\d.]+ USD, more than the cap/)
      expect(message).not.toContain("estimate")
    })
  )

  it.effect("does not blame the cap for a limit that the caller set", () =>
    Effect.gen(function* () {
      const input = { model: "sandbox", messages: question, max_tokens: 5 }
      const own = yield* use({ operation_id: "chat.completions", arguments: input, max_price_usd: 1 })
      expect(own["body"]).toMatchObject({ choices: [{ finish_reason: "length" }] })
      expect(own).not.toHaveProperty("limited_by_cap")
    })
  )

  it.effect("says what is left to spend, and of what, after a free call too", () =>
    Effect.gen(function* () {
      const first = yield* use(rerank)
      const again = yield* use(rerank)
      const left = (used: Json) => Number((used["left"] as Json)["usd"])
      expect(first["left"]).toMatchObject({ of: expect.stringMatching(/^(?:account|key)$/) as unknown })
      expect(left(again)).toBeCloseTo(left(first) - Number((again["cost"] as Json)["usd"]), 6)
      const balance = yield* use({ operation_id: "account.balance" })
      expect(left(again)).toBeCloseTo(Number((balance["body"] as Json)["spendable_usd"]), 6)
      expect(left(balance)).toBe(left(again))
      const { content } = yield* callTool("batch_use", { calls: [rerank, rerank], max_total_usd: 1 })
      expect(content["left"]).toMatchObject({ usd: expect.any(String) as unknown })
      const free = yield* callTool("batch_use", { calls: [{ operation_id: "account.balance" }] })
      expect(free.content["left"]).toMatchObject({ usd: expect.any(String) as unknown })
    })
  )

  it.effect("of a call that the balance does not pay for says so", () =>
    Effect.gen(function* () {
      const { content } = yield* callTool("use", { ...rerank, max_price_usd: 0 })
      expect(content).toMatchObject({
        error: { code: "over_cap", what_to_do: expect.stringContaining("max_usd") as unknown },
        price: { max_usd: expect.any(String) as unknown },
        left: { usd: expect.any(String) as unknown }
      })
    })
  )

  it.effect("of an operation that does not exist names the search for it", () =>
    Effect.gen(function* () {
      const { error } = (yield* use({ operation_id: "send_mail.now" })) as { error: Json }
      expect(error["what_to_do"]).toContain('Call search with {"query":"send mail now"}.')
    })
  )

  it.effect("of an operation without a source says that none is configured", () =>
    Effect.gen(function* () {
      const sales = yield* use({ operation_id: "sales_api_data" })
      expect(sales["error"]).toMatchObject({
        code: "verified_sales_source_unavailable",
        repeat: "after_change",
        what_to_do: expect.stringContaining("No source") as unknown
      })
    })
  )
})
