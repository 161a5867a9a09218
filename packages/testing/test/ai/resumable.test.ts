import { expect, it } from "@effect/vitest"
import { costOf, createTollgate } from "@tollgate/ai"
import { createClient } from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import { after, cutting } from "@tollgate/testing/client/cutting"
import { calls, priced } from "@tollgate/testing/models"
import { isStepCount, streamText, tool } from "ai"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { z } from "zod"

const gateway = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ operations: priced, limits: true, sandbox: "all" }))
)

const charged = Effect.map(calls, (rows) => rows.map((row) => Number(row.charged)).filter((micros) => micros > 0))

const prompt = "How deep is the river?"
const depth = tool({ inputSchema: z.object({ river: z.string() }), execute: async () => ({ metres: 4321 }) })

it.live.each(["chat", "messages", "responses", "gemini"] as const)(
  "a resumable stream over %s goes on after its connection broke, also in a loop, and after a reload by its key",
  (api) =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      // The first connection of each of the two steps breaks.
      const proxy = yield* cutting(baseUrl, (nth) => (nth % 2 === 0 && nth < 4 ? after(2, 9) : undefined))
      const client = createClient({ baseUrl: proxy.baseUrl, credential: key, retry: { backoffMillis: 1 } })
      const model = createTollgate({ client })[api]("sandbox", { resumable: true, idempotencyKey: `page-${api}` })
      const ask = async () => {
        const errors: Array<unknown> = []
        const onError = ({ error }: { readonly error: unknown }) => void errors.push(error)
        const stream = streamText({ model, prompt, tools: { depth }, stopWhen: isStepCount(3), onError })
        const text = await stream.text
        return { text, errors, cost: costOf(await stream.steps) }
      }
      const first = yield* Effect.promise(ask)
      expect(first.errors).toEqual([])
      expect(first.text).toContain("4321")
      const paid = yield* charged
      expect(paid).toHaveLength(2)
      expect(first.cost).toMatchObject({ state: "settled", micros: paid.reduce((sum, one) => sum + one, 0) })
      expect(proxy.seen).toHaveLength(4)
      const again = yield* Effect.promise(ask)
      expect(again).toMatchObject({ text: first.text, errors: [] })
      expect(yield* charged).toEqual(paid)
      expect(again.cost).toMatchObject({ state: "none", micros: 0 })
      yield* Effect.promise(() => client.close())
    }).pipe(Effect.scoped, Effect.provide(gateway))
)

it.live("an aborted resumable stream ends at the gateway, and is charged for what was delivered", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ baseUrl, credential: key })
    const controller = new AbortController()
    const stream = streamText({
      model: createTollgate({ client })("sandbox", { resumable: true, scenario: "interval; ms=500" }),
      prompt,
      abortSignal: controller.signal
    })
    yield* Effect.promise(async () => {
      for await (const { type } of stream.fullStream) if (type === "text-delta") controller.abort()
    })
    const run = Effect.runPromiseWith(yield* Effect.context<TestGateway>())
    // The whole answer would take half a minute, also without its caller.
    yield* Effect.promise(() => expect.poll(() => run(charged), { timeout: 5_000 }).toEqual([expect.any(Number)]))
    yield* Effect.promise(() => client.close())
  }).pipe(Effect.provide(gateway))
)
