import { describe, expect, it, layer } from "@effect/vitest"
import { providerAt, servedTo } from "@tollgate/testing/hostile/Served"
import { ask, callTool } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"

type Json = Readonly<Record<string, unknown>>

const use = (input: Json) => Effect.map(callTool("use", input), ({ content }) => content)

const useAsModel = (input: Json) =>
  Effect.map(ask("tools/call", { name: "use", arguments: input }), ({ messages }) => {
    const [block] = (messages[0]?.result?.["content"] ?? []) as ReadonlyArray<{ text: string }>
    return JSON.parse(block?.text ?? "") as Json
  })

const rerank = {
  operation_id: "rerank",
  arguments: { query: "river", documents: ["A river.", "A mountain.", "A lake."] },
  max_price_usd: 0.01
}

const question = [{ role: "user", content: "Why do rivers bend?" }]

layer(servedSandbox(), { excludeTestServices: true })("fields of use", (it) => {
  it.effect("return parts of an answer, and under the same key other parts of it, which is paid once", () =>
    Effect.gen(function* () {
      const keyed = { ...rerank, idempotency_key: "parts" }
      const first = yield* use({ ...keyed, fields: ["results[].index"] })
      expect(first).toMatchObject({ status: 200, cost: { state: "settled" } })
      expect(first).not.toHaveProperty("note")
      const { results, ...rest } = first["body"] as { results: ReadonlyArray<Json> }
      expect([results.map((one) => Object.keys(one)), rest]).toEqual([[["index"], ["index"], ["index"]], {}])
      const other = yield* use({ ...keyed, fields: ["results[1:]"] })
      expect(other).toMatchObject({ replayed: true })
      const whole = yield* use(keyed)
      expect(whole).toMatchObject({ replayed: true })
      const all = (whole["body"] as { results: ReadonlyArray<Json> }).results
      expect(other["body"]).toEqual({ results: all.slice(1) })
    })
  )

  it.effect("are those of each call in a batch, and one with wrong ones is refused alone", () =>
    Effect.gen(function* () {
      const calls = [
        { ...rerank, fields: ["results[].index"] },
        rerank,
        { ...rerank, fields: ["results["] },
        { ...rerank, fields: ["nothing"] }
      ]
      const { content } = yield* callTool("batch_use", { calls, max_total_usd: 0.04 })
      const whole = { index: expect.any(Number) as unknown, relevance_score: expect.any(Number) as unknown }
      expect(content).toMatchObject({
        succeeded: 3,
        results: [
          { body: { results: [{}, {}, {}] }, cost: { state: "settled" } },
          { body: { results: [whole, whole, whole] } },
          { error: { code: "invalid_arguments", param: "fields", outcome: "not executed" } },
          { body: {}, note: expect.stringContaining("does not have nothing") as unknown }
        ]
      })
      const [first] = content["results"] as ReadonlyArray<{ body: { results: ReadonlyArray<Json> } }>
      expect(first?.body.results.map((one) => Object.keys(one))).toEqual([["index"], ["index"], ["index"]])
    })
  )

  it.effect.each([false, true])("do not hide that the cap cut the answer off, streamed: %s", (stream) =>
    Effect.gen(function* () {
      const used = yield* use({
        operation_id: "chat.completions",
        arguments: { model: "sandbox", messages: question, stream },
        max_price_usd: 0.0008,
        fields: ["choices[].message.content"]
      })
      expect(used).toMatchObject({ status: 200, limited_by_cap: true })
      expect(used["body"]).toEqual({ choices: [{ message: { content: expect.any(String) as unknown } }] })
    })
  )

  it.effect("that the answer does not have are named, and it is paid as ever", () =>
    Effect.gen(function* () {
      const used = yield* use({ ...rerank, fields: ["body.results", "nothing"] })
      expect(used).toMatchObject({ status: 200, body: {}, cost: { state: "settled" } })
      expect(used["note"]).toMatch(/does not have body\.results, nothing\. It has: .*results/)
    })
  )

  it.effect.each<readonly [string, unknown]>([
    ["no path", ["results["]],
    ["too many", Array(21).fill("results")],
    ["too long", ["x".repeat(201)]],
    ["no texts", [1]],
    ["no list", { results: true }]
  ])("are refused before anything is spent if they are %s", ([, fields]) =>
    Effect.gen(function* () {
      const { error } = (yield* use({ ...rerank, fields })) as { error: Json }
      expect(error).toMatchObject({ code: "invalid_arguments", outcome: "not executed", repeat: "after_change" })
      expect(String(error["param"])).toMatch(/^fields/)
    })
  )
})

describe("fields of use", () => {
  const id = "financial.metrics_snapshot"
  const input = { operation_id: id, arguments: { ticker: "ACME" }, max_price_usd: 0.01, fields: ["id"] }

  it.live.each([
    { bytes: 100_000, idempotency_key: "k", next: /send the same call with the same idempotency_key.*fields/ },
    { bytes: 100_000, idempotency_key: undefined, next: /ask for less at a time/ },
    { bytes: 300_000, idempotency_key: "k", next: /ask for less at a time/ }
  ])("are named for an answer that was shortened only if it is stored: %j", ({ bytes, next, ...keyed }) =>
    Effect.gen(function* () {
      const document = { text: "x".repeat(1_000) }
      const results = Array.from({ length: bytes / 1_000 }, (_, index) => ({ index, relevance_score: 0, document }))
      const body = JSON.stringify({ model: "m", results, usage: { total_tokens: 20 } })
      const upstream = yield* httpUpstream(
        (res) => void res.writeHead(200, { "content-type": "application/json" }).end(body)
      )
      yield* Effect.gen(function* () {
        const used = yield* useAsModel({ ...rerank, ...keyed })
        expect(used).toMatchObject({ status: 200, truncated: true })
        expect(used["note"]).toMatch(next)
        if (!String(used["note"]).includes("same idempotency_key")) return
        const again = yield* useAsModel({ ...rerank, ...keyed, fields: ["results[99].index"] })
        expect(again).toMatchObject({ replayed: true, body: { results: [{ index: 99 }] } })
      }).pipe(Effect.provide(servedTo({ rerank: providerAt(upstream.port, { protocol: "json" }) })))
    }).pipe(Effect.scoped)
  )

  it.live("do not hide an error", () =>
    Effect.gen(function* () {
      const upstream = yield* httpUpstream(
        (res) => void res.writeHead(422, { "content-type": "application/json" }).end('{"id":1,"why":"x"}')
      )
      const used = yield* Effect.provide(
        use(input),
        servedTo({ [id]: providerAt(upstream.port, { protocol: "json" }) })
      )
      expect(used).toMatchObject({ status: 422, body: { id: 1, why: "x" } })
    }).pipe(Effect.scoped)
  )
})
