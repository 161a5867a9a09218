import { expect, it } from "@effect/vitest"
import { createClient, NodeClient } from "@tollgate/node/effect"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"

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

it.live("a call over https to a port that speaks http says so", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ baseUrl: baseUrl.replace("http:", "https:"), credential: key, retries: 0 })
    const error = yield* Effect.promise(() => client.rerank(question).catch((error: unknown) => error))
    expect(error).toMatchObject({
      _tag: "TransportFailed",
      outcome: "not executed",
      message: "The request could not be sent: this port speaks http, not https"
    })
    yield* Effect.promise(() => client.close())
  }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer()))))
)

it("createClient throws for a misspelt option at once, and takes those of its transport", () => {
  vi.stubEnv("TOLLGATE_LOG", "debug")
  const misspelt = { credential: key, proxi: "http://127.0.0.1:1" }
  expect(() => createClient(misspelt as object)).toThrow("Unknown option proxi. Did you mean proxy?")
  expect(() => NodeClient.layer(misspelt as object)).toThrow("Unknown option proxi. Did you mean proxy?")
  expect(() => createClient({ credential: key, proxy: "http://127.0.0.1:1" })).not.toThrow()
  vi.unstubAllEnvs()
})

it.live("TOLLGATE_LOG writes what a call does to standard error, with bodies only if asked", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const error = vi.spyOn(console, "error").mockImplementation(() => {})
    const linesOf = (asked: string) =>
      Effect.promise(async () => {
        vi.stubEnv("TOLLGATE_LOG", asked)
        error.mockClear()
        const client = createClient({ baseUrl, credential: key })
        await client.rerank(question)
        await client.close()
        return error.mock.calls.map(String).join("\n")
      })
    expect(yield* linesOf("")).toBe("")
    const plain = yield* linesOf("debug")
    expect(plain).toMatch(
      /^tollgate 1 rerank: POST 127.0.0.1:\d+\ntollgate 1 rerank: 200, \d+ ms, 1 attempt, .*, request \S+$/
    )
    const bodies = yield* linesOf("bodies")
    expect(bodies).toContain("A mountain.")
    expect([plain, bodies].join()).not.toContain(key)
    vi.unstubAllEnvs()
    error.mockRestore()
  }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer()))))
)
