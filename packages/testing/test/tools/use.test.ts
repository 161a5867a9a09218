import { describe, expect, it } from "@effect/vitest"
import { httpUpstream } from "@tollgate/testing/upstream"
import { providerAt, servedTo } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import { ask, callTool } from "@tollgate/testing/tools/agent"
import * as Effect from "effect/Effect"

const rerank = (answer = JSON.stringify({ model: "m", results: [], usage: { total_tokens: 1_000 } })) =>
  httpUpstream((res) => void res.writeHead(200, { "content-type": "application/json" }).end(answer))

const question = { query: "q", documents: ["a", "b"] }

const withRerank = <A, E, R>(test: (received: ReadonlyArray<unknown>) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const upstream = yield* rerank()
    return yield* Effect.provide(
      test(upstream.received),
      servedTo({ rerank: providerAt(upstream.port, { protocol: "json" }) })
    )
  }).pipe(Effect.scoped)

describe("the tool server", () => {
  it.live("lists five tools with schemas and hints", () =>
    withRerank(() =>
      Effect.gen(function* () {
        const { messages } = yield* ask("tools/list")
        const tools = messages[0]?.result?.["tools"] as ReadonlyArray<Record<string, Record<string, unknown>>>
        expect(tools.map(({ name }) => name)).toEqual(["search", "get_details", "list_categories", "use", "batch_use"])
        for (const tool of tools) {
          expect(tool["inputSchema"]?.["type"]).toBe("object")
          expect(tool["outputSchema"]?.["type"]).toBe("object")
        }
      })
    )
  )

  it.live("use calls an operation, charges it and tells the cost", () =>
    withRerank((received) =>
      Effect.gen(function* () {
        const result = yield* callTool("use", { operation_id: "rerank", arguments: question, max_price_usd: 0.01 })
        expect(result.content).toMatchObject({
          operation_id: "rerank",
          status: 200,
          body_encoding: "json",
          body: { usage: { total_tokens: 1_000 } },
          cost: { state: "settled", usd: "0.00005", micros_usd: 50 }
        })
        expect(result.isError).toBe(false)
        expect(JSON.parse(result.text)).toEqual(result.content)
        expect(received).toHaveLength(1)
        expect((yield* calls).map(({ charged }) => charged)).toEqual([50])
      })
    )
  )
})
