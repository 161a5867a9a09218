import { expect, it } from "@effect/vitest"
import { chatCompletions, Client, generateContent, messages } from "@tollgate/client"
import { BudgetSpent, runTools, tool, toolSteps } from "@tollgate/client/runTools"
import { createClient, NodeClient } from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import { calls, priced } from "@tollgate/testing/models"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { expectTypeOf } from "vitest"
import * as z from "zod"

const gateway = Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))

const text = "How deep is the river?"
const chat = { model: "sandbox", messages: [{ role: "user" as const, content: text }] }
const anthropic = { ...chat, max_tokens: 500 }
const gemini = { path: { model: "sandbox" }, body: { contents: [{ role: "user" as const, parts: [{ text }] }] } }

const charged = Effect.map(calls, (rows) => rows.reduce((sum, row) => sum + Number(row.charged), 0))

class Depths extends Context.Service<Depths, { readonly of: (river: string) => number }>()("test/Depths") {}

const depth = tool({
  name: "depth",
  description: "The depth of a river in metres",
  schema: Schema.Struct({ river: Schema.String }),
  run: ({ river }) => Depths.use((depths) => Effect.succeed({ metres: depths.of(river) }))
})

const zodDepth = tool({
  name: "depth",
  schema: z.object({ river: z.string() }),
  run: async ({ river }) => {
    expectTypeOf(river).toEqualTypeOf<string>()
    return { metres: river.length }
  }
})

it.live("a tool is used and the answer tells of its result, in each protocol", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = NodeClient.layer({ baseUrl, credential: key })
    const loop = runTools(chatCompletions, [depth], chat, { budget: "0.50" })
    expectTypeOf<Effect.Services<typeof loop>>().toEqualTypeOf<Client | Depths>()
    const all = yield* Effect.all([
      loop,
      runTools(messages, [depth], anthropic, { budget: "0.50" }),
      runTools(generateContent, [depth], gemini, { budget: "0.50" })
    ]).pipe(Effect.provide(client), Effect.provideService(Depths, { of: () => 4321 }))
    for (const { charge, steps, text } of all) {
      expect(text).toContain("4321")
      expect(steps.map(({ uses }) => uses.map(({ output }) => output))).toEqual([[{ metres: 4321 }], []])
      expect(charge.state).toBe("settled")
    }
    expect(all.reduce((sum, { charge }) => sum + (charge.micros ?? 0), 0)).toBe(yield* charged)
  }).pipe(Effect.provide(gateway))
)

it.live("with promises: steps with what each cost, and a budget that is never exceeded", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ baseUrl, credential: key })
    const costs: Array<number | undefined> = []
    const read = async () => {
      for await (const { charge } of toolSteps(client.messages, [zodDepth], anthropic)) costs.push(charge.micros)
    }
    yield* Effect.promise(read)
    const total = yield* charged
    expect(costs).toHaveLength(2)
    expect(costs.reduce<number>((sum, micros = 0) => sum + micros, 0)).toBe(total)

    // Pays for the first step, but not for the longest answer to the second.
    const first = costs[0] ?? 0
    const most = 500 * 17 + 500
    const budget = `0.${String(first + most).padStart(6, "0")}`
    const poor = () => runTools(client.messages, [zodDepth], anthropic, { budget }).catch((reason: unknown) => reason)
    const error = yield* Effect.promise(poor)
    if (!(error instanceof BudgetSpent)) throw error
    expect(error.steps).toHaveLength(1)
    expect(error.charge).toEqual({ state: "settled", micros: (yield* charged) - total })
    yield* Effect.promise(() => client.close())
  }).pipe(Effect.provide(gateway))
)
