import { expect, layer } from "@effect/vitest"
import { callTool } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Effect from "effect/Effect"

type Json = Readonly<Record<string, unknown>>

const question = { query: "river", documents: ["A river.", "A mountain."] }
const rerank = { operation_id: "rerank", arguments: question, max_price_usd: 0.01 }

const errorOf = (name: string, input: Json) =>
  Effect.map(callTool(name, input), ({ content }) => content["error"] as Readonly<Record<string, string>>)

layer(servedSandbox(), { excludeTestServices: true })("all five tools answer, and say whether they succeeded", (it) => {
  it.effect.each<readonly [string, Json]>([
    ["search", { query: "rank documents" }],
    ["get_details", { operation_id: "chat.completions" }],
    ["list_categories", {}],
    ["use", rerank],
    ["use", { operation_id: "models.list" }],
    ["batch_use", { calls: [rerank, { ...rerank, operation_id: "nothing" }], max_total_usd: 1 }]
  ])("when they succeed: %j", ([name, input]) =>
    Effect.map(callTool(name, input), ({ isError }) => expect(isError).toBe(false))
  )

  it.effect.each<readonly [string, Json]>([
    ["get_details", { operation_id: "nothing" }],
    ["use", { operation_id: "nothing" }],
    ["use", { ...rerank, max_price_usd: 0 }],
    ["use", { operation_id: "rerank", arguments: question }],
    ["use", { ...rerank, arguments: {} }],
    ["batch_use", { calls: [rerank] }],
    ["batch_use", { calls: [rerank], max_total_usd: -1 }]
  ])("when they refuse: %j", ([name, input]) =>
    Effect.map(callTool(name, input), ({ isError }) => expect(isError).toBe(true))
  )

  it.effect.each<readonly [string, Json]>([
    ["search", {}],
    ["search", { query: "x", limit: "5" }],
    ["get_details", {}],
    ["list_categories", { category: "x" }],
    ["use", {}],
    ["use", { operation_id: 5 }],
    ["use", { ...rerank, max_price_usd: "cheap" }],
    ["use", { ...rerank, arguments: "query=x" }],
    ["batch_use", {}],
    ["batch_use", { calls: [] }],
    ["batch_use", { calls: [{}] }]
  ])("when an argument is wrong: %j", ([name, input]) =>
    Effect.map(errorOf(name, input), (error) => expect(error).toMatchObject({ code: "invalid_arguments" }))
  )
})

layer(servedSandbox(), { excludeTestServices: true })("an argument error", (it) => {
  it.effect.each<readonly [string, Json, string]>([
    ["search", {}, "query: is required"],
    ["use", {}, "operation_id: is required"],
    ["batch_use", { calls: [{ arguments: {} }] }, "calls.0.operation_id: is required"],
    ["use", { ...rerank, max_price: 1 }, "There is no field max_price; did you mean max_price_usd?"],
    ["use", { ...rerank, maxPriceUsd: 1 }, "There is no field maxPriceUsd; did you mean max_price_usd?"],
    ["use", { operaton_id: "rerank" }, "There is no field operaton_id; did you mean operation_id?"],
    ["batch_use", { calls: [{ ...rerank, cap: 1 }] }, "There is no field calls.0.cap; "],
    ["list_categories", { name: "x" }, "There is no field name; "],
    ["use", { ...rerank, arguments: "query=x" }, "arguments: must be a JSON object"],
    ["use", { ...rerank, arguments: "[1]" }, "arguments: must be a JSON object"],
    ["use", { ...rerank, max_price_usd: "1e-3" }, "max_price_usd: must be an amount of USD"],
    ["use", { ...rerank, wait_seconds: "5" }, "wait_seconds: must be a whole number from 0 to 300"],
    ["search", { query: 5 }, "query: must be a string"],
    ["batch_use", { calls: [] }, "calls: must be a JSON array of 1 to 20 items"],
    ["use", { ...rerank, arguments: { documents: ["a"] } }, "query: is required"]
  ])("of %s says what is wrong: %j", ([name, input, message]) =>
    Effect.map(errorOf(name, input), (error) => expect(error["message"]).toContain(message))
  )

  it.effect("says where the operation's input goes, and what to send for an amount", () =>
    Effect.gen(function* () {
      const misplaced = yield* errorOf("use", { operation_id: "rerank", ...question })
      expect(misplaced["what_to_do"]).toContain("The operation's own input goes into arguments")
      const amount = yield* errorOf("use", { ...rerank, max_price_usd: "cheap" })
      expect(amount).toMatchObject({ param: "max_price_usd", what_to_do: expect.stringContaining("0.05") as unknown })
      const empty = yield* errorOf("use", { ...rerank, idempotency_key: null })
      expect(empty["what_to_do"]).toContain("Leave out")
    })
  )

  it.effect.each<readonly [string, Json, string]>([
    ["use", { ...rerank, max_price_usd: "0.01" }, "max_price_usd: must be an amount of USD as a JSON number"],
    ["batch_use", { calls: [rerank], max_total_usd: "0.01" }, "max_total_usd: must be an amount of USD as a JSON num"],
    ["batch_use", { calls: [{ ...rerank, max_price_usd: "1" }], max_total_usd: 1 }, "calls.0.max_price_usd: must be"],
    ["use", { ...rerank, arguments: JSON.stringify(question) }, "arguments: must be a JSON object"],
    [
      "batch_use",
      { calls: JSON.stringify([rerank]), max_total_usd: 1 },
      "calls: must be a JSON array of 1 to 20 items"
    ],
    ["use", { ...rerank, fields: "results" }, "fields: must be a JSON array of 0 to 20 items, and not a text."],
    ["use", { ...rerank, fields: [1] }, "fields.0: must be a string"],
    ["use", { ...rerank, idempotency_key: 5 }, "idempotency_key: must be a string"],
    ["search", { query: "x", limit: 2.5 }, "limit: must be a whole number from 1 to"],
    ["search", { query: "x", category: true }, "category: must be a string"],
    ["get_details", { operation_id: "rerank", full: "true" }, "full: must be true or false, and not in quotes."],
    ["get_details", { operation_id: "rerank", full: 1 }, "full: must be true or false, and not in quotes."],
    ["get_details", { operation_id: "rerank", fields: "query" }, "fields: must be a JSON array, and not a text."],
    ["list_categories", { limit: "5" }, "limit: must be a whole number from 1 to 100, and not in quotes."],
    ["list_categories", { after: 5 }, "after: must be a string"]
  ])("is the answer to what the schema of %s does not allow: %j", ([name, input, message]) =>
    Effect.map(errorOf(name, input), (error) =>
      expect(error).toMatchObject({ code: "invalid_arguments", message: expect.stringContaining(message) as unknown })
    )
  )

  it.effect("is the answer to an amount that is negative, has too many digits or is too large", () =>
    Effect.gen(function* () {
      for (const max of [-1, -1e-9, 1e-10, 0.1 + 0.2, 12_345_678.123_456_789, 1e21, 1e300]) {
        const error = { code: "invalid_arguments", message: expect.stringContaining("must be an amount of USD") }
        expect(yield* errorOf("use", { ...rerank, max_price_usd: max }), String(max)).toMatchObject(error)
        const batch = { calls: [{ operation_id: "rerank", arguments: question }], max_total_usd: max }
        expect(yield* errorOf("batch_use", batch), String(max)).toMatchObject(error)
      }
      const capped = yield* callTool("use", { ...rerank, max_price_usd: 1e-9 })
      expect(capped.content["error"]).toMatchObject({ code: "over_cap" })
      expect((yield* callTool("use", { ...rerank, max_price_usd: 1e6 })).content).toMatchObject({ status: 200 })
    })
  )
})
