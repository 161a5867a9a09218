import { expect, it } from "@effect/vitest"
import * as browser from "@tollgate/browser"
import * as operations from "@tollgate/client/operations"
import * as node from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const question = { query: "river", documents: ["A mountain.", "A river."] } as const

const faces = {
  node: (baseUrl: string) => node.createClient({ baseUrl, credential: key }),
  browser: (baseUrl: string) => browser.createClient({ baseUrl, credential: key, allowApiKeyInPage: true })
}

for (const [name, create] of Object.entries(faces)) {
  it.live(`${name}: every operation is a function that returns a promise, with a key and a cap as options`, () =>
    Effect.gen(function* () {
      const client = create((yield* Host).baseUrl)
      expect(Object.keys(client).toSorted()).toEqual([...Object.keys(operations), "close"].toSorted())
      const { books } = yield* TestGateway
      yield* Effect.promise(async () => {
        const first = await client.rerank(question, { idempotencyKey: "order 7", maxPrice: "0.01" })
        expect(await client.rerank(question, { idempotencyKey: "order 7" })).toEqual(first)
        await expect(client.rerank(question, { maxPrice: "0" })).rejects.toMatchObject({ code: "over_cap" })
        expect(await client.contractVersion()).toHaveProperty("contentHash")
        await client.close()
      })
      expect(yield* books.count).toBe(1)
    }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer()))))
  )
}
