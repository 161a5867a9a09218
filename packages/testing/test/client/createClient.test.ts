import { expect, it } from "@effect/vitest"
import { createClient } from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const question = { query: "river", documents: ["A mountain.", "A river."] } as const

it.live("on Node, createClient gives the operations as promises", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ baseUrl, credential: key })
    const answer = yield* Effect.promise(() => client.rerank(question))
    expect(answer.results.map(({ index }) => index)).toEqual([1, 0])
    yield* Effect.promise(() => client.close())
  }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer()))))
)

it('a call to an unreachable gateway fails with "not executed"', async () => {
  const client = createClient({ baseUrl: "http://127.0.0.1:1", credential: key })
  await expect(client.rerank(question)).rejects.toMatchObject({ _tag: "TransportFailed", outcome: "not executed" })
  await client.close()
})
