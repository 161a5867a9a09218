import { expect, layer } from "@effect/vitest"
import { ask, bearer, initialize, inSession, rpc, send } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Effect from "effect/Effect"

type Json = Readonly<Record<string, unknown>>

interface Block {
  readonly type: string
  readonly text?: string
}

const rerank = {
  operation_id: "rerank",
  arguments: { query: "river", documents: ["A river.", "A mountain."] },
  max_price_usd: 0.01
}

const asProgram = { "tollgate/structured": true }

const call = (name: string, input: Json, meta: object = {}) =>
  Effect.map(ask("tools/call", { name, arguments: input }, bearer, meta), ({ messages }) => {
    const result = messages.at(-1)?.result ?? {}
    return {
      blocks: result["content"] as ReadonlyArray<Block>,
      structured: result["structuredContent"] as Json | undefined
    }
  })

layer(servedSandbox(), { excludeTestServices: true })("a result", (it) => {
  it.effect.each<readonly [string, Json]>([
    ["search", { query: "rank documents" }],
    ["get_details", { operation_id: "rerank" }],
    ["list_categories", {}],
    ["use", rerank],
    ["use", { operation_id: "nothing" }],
    ["batch_use", { calls: [rerank], max_total_usd: 1 }]
  ])("has its JSON once: as text, or as structured content for a program that asks: %j", ([name, input]) =>
    Effect.gen(function* () {
      const text = yield* call(name, input)
      expect(text.structured).toBeUndefined()
      expect(text.blocks).toHaveLength(1)
      const shown = JSON.parse(text.blocks[0]?.text ?? "") as object

      const structured = yield* call(name, input, asProgram)
      expect(Object.keys(structured.structured ?? {})).toEqual(Object.keys(shown))
      expect(structured.blocks[0]?.text?.length).toBeLessThan(100)
    })
  )

  it.effect("is text for a program whose revision has no structured content, or that does not ask for it", () =>
    Effect.gen(function* () {
      const { session } = yield* initialize("2025-03-26")
      const body = rpc("tools/call", { name: "use", arguments: rerank, _meta: asProgram })
      const { messages } = yield* send(body, inSession(session, "2025-03-26"))
      expect(messages[0]?.result?.["structuredContent"]).toBeUndefined()
      expect(JSON.stringify(messages[0]?.result?.["content"])).toContain("settled")
      for (const asked of [false, "true", 1, null, {}]) {
        expect((yield* call("use", rerank, { "tollgate/structured": asked })).structured).toBeUndefined()
      }
    })
  )
})
