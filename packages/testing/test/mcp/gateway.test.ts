import { describe, expect, it } from "@effect/vitest"
import { Served } from "@tollgate/testing/hostile/Served"
import { post, sellingTools } from "@tollgate/testing/mcp/soldTools"
import { calls } from "@tollgate/testing/models"
import { key } from "@tollgate/testing/TestGateway"
import { callTool } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const sold = [
  { id: "resold.search", tool: "search", price: { contract: "free" } as const, replay: "free" as const },
  { id: "resold.use", tool: "use" }
]

const rerank = { operation_id: "rerank", arguments: { query: "q", documents: ["a"] } }

describe("a gateway that sells the tools of another gateway", () => {
  it.live("carries calls and failures through, and each takes its own price", () =>
    Effect.gen(function* () {
      const supplier = yield* Layer.build(servedSandbox())
      const { port } = Context.get(supplier, Served)
      const credential = { header: "authorization", value: Redacted.make(`Bearer ${key}`) }
      yield* Effect.gen(function* () {
        const found = yield* post("resold.search", { query: "rerank" })
        expect(found.status).toBe(200)
        expect(found.text).toContain('\\"rerank\\"')

        const used = yield* callTool("use", {
          operation_id: "resold.use",
          arguments: { ...rerank, max_price_usd: 0.01 },
          max_price_usd: 0.01
        })
        expect(used.content).toMatchObject({
          status: 200,
          body: { content: [{ text: expect.stringContaining('"cost":{"state":"settled"') as unknown }] },
          cost: { usd: "0.002" }
        })

        // The other gateway refuses the call without a cap: a tool that failed, and free.
        const refused = yield* post("resold.use", rerank)
        expect([refused.status, refused.cost]).toEqual([200, "0"])
        expect(JSON.parse(refused.text)).toMatchObject({
          isError: true,
          content: [{ text: expect.stringContaining("max_price_required") as unknown }]
        })
        expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual([
          ["settled", 2000],
          ["settled", 0]
        ])
      }).pipe(Effect.provide(sellingTools(sold, [port], { credential })))
      const atSupplier = yield* Effect.provideContext(calls, supplier)
      expect(atSupplier.map(({ state }) => state)).toEqual(["settled"])
    }).pipe(Effect.scoped)
  )
})
