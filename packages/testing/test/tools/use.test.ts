import { describe, expect, it } from "@effect/vitest"
import { providerAt, servedTo } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import { ask, callTool } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import { httpUpstream, type Received } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"

const question = { query: "q", documents: ["a", "b".repeat(10_000)] }
const reranked = JSON.stringify({ model: "m", results: [], usage: { total_tokens: 1_000 } })

/** An upstream for rerank, at 50 micro-USD for its answer. */
const withRerank = <A, E, R>(
  test: (received: ReadonlyArray<Received>) => Effect.Effect<A, E, R>,
  answer: (res: ServerResponse) => void = (res) =>
    void res.writeHead(200, { "content-type": "application/json" }).end(reranked)
) =>
  Effect.gen(function* () {
    const upstream = yield* httpUpstream(answer)
    return yield* Effect.provide(
      test(upstream.received),
      servedTo({ rerank: providerAt(upstream.port, { protocol: "json" }) }, { tools: { pollMillis: 520 } })
    )
  }).pipe(Effect.scoped)

const rerank = (more: object = {}) => callTool("use", { operation_id: "rerank", arguments: question, ...more })

describe("the list of tools", () => {
  it.live("has five, with input schemas, texts and hints, in less than 10 kB", () =>
    withRerank(() =>
      Effect.gen(function* () {
        const { messages } = yield* ask("tools/list")
        const tools = messages[0]?.result?.["tools"] as ReadonlyArray<Record<string, Record<string, unknown>>>
        expect(tools.map(({ name }) => name)).toEqual(["search", "get_details", "list_categories", "use", "batch_use"])
        for (const tool of tools) {
          expect([tool["inputSchema"]?.["type"], tool["outputSchema"]]).toEqual(["object", undefined])
          expect(tool["inputSchema"]?.["additionalProperties"]).toBe(false)
          expect(String(tool["description"]).length).toBeLessThan(650)
        }
        expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(10_000)
        const hints = tools.map(({ annotations }) => [
          annotations?.["readOnlyHint"],
          annotations?.["destructiveHint"],
          annotations?.["idempotentHint"],
          annotations?.["openWorldHint"]
        ])
        const looksUp = [true, false, true, false]
        const spends = [false, true, false, true]
        expect(hints).toEqual([looksUp, looksUp, looksUp, spends, spends])
      })
    )
  )
})

describe("use", () => {
  it.live("calls an operation, charges it and tells the cost", () =>
    withRerank((received) =>
      Effect.gen(function* () {
        const result = yield* rerank({ max_price_usd: 0.01 })
        expect(result.content).toMatchObject({
          operation_id: "rerank",
          status: 200,
          body_encoding: "json",
          body: { usage: { total_tokens: 1_000 } },
          cost: { state: "settled", usd: "0.00005", micros_usd: 50 }
        })
        expect(result.isError).toBe(false)
        expect(received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([question])
        expect((yield* calls).map(({ charged }) => charged)).toEqual([50])
      })
    )
  )

  it.live("is refused without a cap, with the price", () =>
    withRerank((received) =>
      Effect.gen(function* () {
        const result = yield* rerank()
        expect(result.isError).toBe(true)
        expect(result.content).toMatchObject({
          error: { code: "max_price_required", outcome: "not executed", repeat: "after_change" },
          price: { price_contract: "per_token" },
          cost: { state: "none" }
        })
        expect(received).toHaveLength(0)
        expect(yield* calls).toHaveLength(0)
      })
    )
  )

  it.live("is refused above its cap before anything is spent, with estimate and largest price", () =>
    withRerank((received) =>
      Effect.gen(function* () {
        const refused = yield* rerank({ max_price_usd: 0.000000001 })
        expect(refused.content).toMatchObject({ error: { code: "over_cap" }, cost: { state: "none" } })
        const { max_micros_usd, max_usd } = refused.content["price"] as { max_micros_usd: number; max_usd: string }
        expect(Number(max_usd)).toBe(max_micros_usd / 1e6)
        expect(received).toHaveLength(0)
        expect((yield* rerank({ max_price_usd: Number(max_usd) })).isError).toBe(false)
      })
    )
  )

  it.live("refuses amounts that are not exact, and inputs that it does not know", () =>
    withRerank((received) =>
      Effect.gen(function* () {
        for (const max_price_usd of [-1, 0.0000000001, 0.1 + 0.2, "one", null]) {
          const { content } = yield* rerank({ max_price_usd })
          expect(content["error"], String(max_price_usd)).toMatchObject({ code: "invalid_arguments" })
        }
        expect((yield* rerank({ max_price: 1 })).content["error"]).toMatchObject({ code: "invalid_arguments" })
        expect((yield* callTool("use", { operation_id: "rerenk", max_price_usd: 1 })).content["error"]).toMatchObject({
          code: "unknown_operation",
          param: "operation_id"
        })
        const noQuery = yield* callTool("use", {
          operation_id: "rerank",
          arguments: { documents: ["a"] },
          max_price_usd: 1
        })
        expect(noQuery.content["error"]).toMatchObject({ code: "invalid_request", repeat: "after_change" })
        expect(received).toHaveLength(0)
      })
    )
  )

  it.live("with the same idempotency key returns the stored answer and is not paid twice", () =>
    withRerank((received) =>
      Effect.gen(function* () {
        const keyed = { max_price_usd: 0.01, idempotency_key: "k 1" }
        const first = yield* rerank(keyed)
        const again = yield* rerank(keyed)
        expect(again.content).toMatchObject({ replayed: true, cost: { state: "none" }, body: first.content["body"] })
        const other = yield* callTool("use", { operation_id: "rerank", arguments: { ...question, top_n: 1 }, ...keyed })
        expect(other.content["error"]).toMatchObject({ code: "idempotency_mismatch", repeat: "after_change" })
        expect(received).toHaveLength(1)
      })
    )
  )

  it.live("says what to do if the outcome is unknown", () =>
    withRerank(
      () =>
        Effect.gen(function* () {
          const unkeyed = yield* rerank({ max_price_usd: 0.01 })
          expect(unkeyed.content).toMatchObject({
            error: { outcome: "unknown", repeat: "never" },
            cost: { state: "unknown" }
          })
          const keyed = { max_price_usd: 0.01, idempotency_key: "k1" }
          expect((yield* rerank(keyed)).content["error"]).toMatchObject({
            outcome: "unknown",
            repeat: "same_key_only",
            what_to_do: expect.stringContaining("same idempotency_key") as unknown
          })
          expect((yield* rerank(keyed)).content["error"]).toMatchObject({
            code: "idempotency_unknown",
            what_to_do: expect.stringContaining("Do not repeat it with a new key") as unknown
          })
        }),
      (res) => void res.destroy()
    )
  )

  it.live("shows an upstream's own error as a tool error that cost nothing", () =>
    withRerank(
      () =>
        Effect.gen(function* () {
          const result = yield* rerank({ max_price_usd: 0.01 })
          expect(result.isError).toBe(true)
          expect(result.content).toMatchObject({
            status: 422,
            body: { why: "no" },
            cost: { state: "none", usd: "0" },
            error: { code: "upstream_status", repeat: "after_change" }
          })
        }),
      (res) => void res.writeHead(422, { "content-type": "application/json" }).end('{"why":"no"}')
    )
  )

  it.live.each([
    ["text as text", "text/plain", "text", "plain", "plain"],
    [
      "a number that JavaScript would round as text",
      "application/json",
      "text",
      '{"id":12345678901234567890}',
      '{"id":12345678901234567890}'
    ],
    [
      "JSON that is nested too deep as text",
      "application/json",
      "text",
      "[".repeat(5_000) + "]".repeat(5_000),
      undefined
    ]
  ] as const)("returns %s", ([, type, encoding, sent, shown]) =>
    withRerank(
      () =>
        Effect.gen(function* () {
          const { content } = yield* rerank({ max_price_usd: 0.01 })
          expect([content["content_type"], content["body_encoding"]]).toEqual([type, encoding])
          expect(content["body"]).toBe(shown ?? sent)
        }),
      (res) => void res.writeHead(422, { "content-type": type }).end(sent)
    )
  )

  it.live("names the free operation that lists the models when a model is not offered", () =>
    Effect.gen(function* () {
      const input = { model: "nothing", messages: [{ role: "user", content: "Why?" }] }
      const wrong = yield* callTool("use", { operation_id: "chat.completions", arguments: input, max_price_usd: 1 })
      const listed = expect.stringContaining("models.list, which is free") as unknown
      expect(wrong.content["error"]).toMatchObject({ code: "model_not_found", what_to_do: listed })
      expect((yield* callTool("use", { operation_id: "models.list" })).isError).toBe(false)
    }).pipe(Effect.provide(servedSandbox()))
  )

  it.live("needs no cap for what is free", () =>
    Effect.gen(function* () {
      const result = yield* callTool("use", { operation_id: "models.list" })
      expect(result.content).toMatchObject({ status: 200, cost: { state: "none" } })
    }).pipe(Effect.provide(servedSandbox()))
  )

  it.live("collects a stream, reports progress, and tells the cost at its end", () =>
    Effect.gen(function* () {
      const input = {
        operation_id: "models.stream_generate_content",
        arguments: { model: "sandbox", contents: [{ role: "user", parts: [{ text: "Why do rivers bend?" }] }] },
        max_price_usd: 0.1
      }
      const result = yield* callTool("use", input, undefined, "p1")
      expect(result.content).toMatchObject({ status: 200, body_encoding: "events", cost: { state: "settled" } })
      expect(result.progress[0]).toMatchObject({ progressToken: "p1", message: expect.any(String) as unknown })
      const [call] = yield* calls
      expect(result.content["cost"]).toMatchObject({ micros_usd: call?.charged })
    }).pipe(Effect.provide(servedSandbox()))
  )

  it.live("reports the progress of a task until its end, with its cost", () =>
    Effect.gen(function* () {
      const input = {
        operation_id: "video.create",
        arguments: { model: "sandbox-video", input: { prompt: "a river [task 50ms]" } },
        max_price_usd: 1
      }
      const result = yield* callTool("use", input, undefined, "p1")
      expect(result.content).toMatchObject({
        operation_id: "video.create",
        task: { status: "SUCCEEDED", done: true },
        cost: { state: "settled", usd: "0.01" }
      })
      expect(result.progress.length).toBeGreaterThan(0)
    }).pipe(Effect.provide(servedSandbox()))
  )

  it.live("hands back a task that goes on, and how to go on with it", () =>
    Effect.gen(function* () {
      const started = yield* callTool("use", {
        operation_id: "video.create",
        arguments: { model: "sandbox-video", input: { prompt: "a river [task 50ms]" } },
        max_price_usd: 1
      })
      expect(started.content).toMatchObject({ task: { done: false }, cost: { state: "pending" } })
      const { next } = started.content["task"] as { next: Record<string, unknown> }
      const ended = yield* callTool("use", { ...next, wait_seconds: 30 })
      expect(ended.content).toMatchObject({ operation_id: "task.get", task: { status: "SUCCEEDED", done: true } })
    }).pipe(Effect.provide(servedSandbox()))
  )
})

describe("batch_use", () => {
  it.live("shows each result in its place, and what failed", () =>
    withRerank(() =>
      Effect.gen(function* () {
        const good = { operation_id: "rerank", arguments: question, max_price_usd: 0.01 }
        const result = yield* callTool("batch_use", {
          calls: [good, { ...good, operation_id: "nothing" }, { ...good, max_price_usd: 0.000000001 }, good],
          max_total_usd: 1
        })
        expect(result.isError).toBe(false)
        expect(result.content).toMatchObject({
          succeeded: 2,
          failed: 2,
          charged_usd: "0.0001",
          held_usd: "0",
          results: [
            { status: 200 },
            { error: { code: "unknown_operation" } },
            { error: { code: "over_cap" }, price: {} },
            { status: 200 }
          ]
        })
      })
    )
  )

  it.live("needs a total for what can cost something, and nothing runs without it", () =>
    withRerank((received) =>
      Effect.gen(function* () {
        const calls = [{ operation_id: "rerank", arguments: question, max_price_usd: 0.01 }]
        const result = yield* callTool("batch_use", { calls })
        expect([result.isError, result.content["error"]]).toEqual([
          true,
          expect.objectContaining({ code: "max_total_required" })
        ])
        expect(received).toHaveLength(0)
      })
    )
  )

  it.live("takes at most twenty calls", () =>
    withRerank((received) =>
      Effect.gen(function* () {
        const call = { operation_id: "rerank", arguments: question, max_price_usd: 0.01 }
        const result = yield* callTool("batch_use", { calls: Array.from({ length: 21 }, () => call), max_total_usd: 9 })
        expect(result.content["error"]).toMatchObject({ code: "invalid_arguments" })
        expect(received).toHaveLength(0)
      })
    )
  )
})
