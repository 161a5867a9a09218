import { expect, it } from "@effect/vitest"
import * as browser from "@tollgate/browser"
import * as functions from "@tollgate/client/operations"
import * as node from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const question = { query: "river", documents: ["A mountain.", "A river."] } as const

const endpointGroups = {
  node: (baseUrl: string) => node.createClient({ baseUrl, credential: key }),
  browser: (baseUrl: string) => browser.createClient({ baseUrl, credential: key, allowKeyInPage: true })
}

const others = ["quote", "resume", "with", "withBudget", "close"]

for (const [name, create] of Object.entries(endpointGroups)) {
  it.live(`${name}: every operation works without Effect, with an idempotency key and a price cap as options`, () =>
    Effect.gen(function* () {
      const client = create((yield* Host).baseUrl)
      const names = [...Object.keys(functions), ...others]
      expect(Object.keys(client).toSorted()).toEqual(names.toSorted())
      const { billingLog } = yield* TestGateway
      yield* Effect.promise(async () => {
        const first = await client.rerank(question, { idempotencyKey: "order 7", maxPrice: "0.01" })
        expect(await client.rerank(question, { idempotencyKey: "order 7" })).toEqual(first)
        await expect(client.rerank(question, { maxPrice: "0" })).rejects.toMatchObject({ code: "over_cap" })
        expect(await client.contractVersion()).toHaveProperty("contentHash")
        await client.close()
      })
      expect(yield* billingLog.count).toBe(1)
    }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer()))))
  )
}

it("an API key in a web page needs an explicit option", () => {
  for (const who of [{ credential: key }, { credential: Redacted.make(key) }]) {
    expect(() => browser.createClient(who)).toThrow("allowKeyInPage")
    expect(() => browser.createClient(who)).not.toThrow(key)
  }
  browser.createClient({ credential: async () => "a token" })
})
