import { describe, expect, it } from "@effect/vitest"
import * as browser from "@tollgate/browser"
import { type PromiseClient, VideoFailed } from "@tollgate/client"
import type { Operation } from "@tollgate/contract/Operation"
import * as node from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { bindings, calls, price, priced } from "@tollgate/testing/models"

const endpointGroups = {
  "Node's": node.createClient,
  "the browser's": (options: Parameters<typeof node.createClient>[0]) =>
    browser.createClient({ ...options, allowKeyInPage: true })
}

/** Stalls, so that only a disconnect ends the call. */
const stalling = "sandbox:stall; after=4"

const operations = priced.map((operation): Operation => {
  const own = operation.price
  if (own.contract !== "model_tokens") return operation
  return { ...operation, price: { ...own, models: { sandbox: price, [stalling]: price } } }
})

const gateway = Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations, bindings, sandbox: "all" })))

const text = "Why do rivers bend, and where?"
const messages = [{ role: "user" as const, content: text }]

/** Each stream of a model. */
const streams = (client: PromiseClient, model: string) => ({
  chatCompletions: client.chatCompletionsStream({ model, messages }),
  deepResearch: client.deepResearchStream({ model, messages }),
  messages: client.messagesStream({ model, max_tokens: 500, messages }),
  generateContent: client.generateContentStream({
    path: { model },
    body: { contents: [{ role: "user", parts: [{ text }] }] }
  })
})

const allEnded = Effect.gen(function* () {
  for (;;) {
    const made = yield* calls
    if (made.every(({ state }) => state !== "open")) return made
    yield* Effect.sleep("5 millis")
  }
})

for (const [name, createClient] of Object.entries(endpointGroups)) {
  const test = (title: string, body: (client: PromiseClient) => Promise<unknown>, settled: number) =>
    it.live(title, () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* Host
        const client = createClient({ baseUrl, credential: key, bindings })
        yield* Effect.promise(() => body(client))
        const made = yield* allEnded
        yield* Effect.promise(() => client.close())
        expect(made.map(({ state }) => state)).toEqual(Array.from({ length: settled }, () => "settled"))
      }).pipe(Effect.provide(gateway))
    )

  describe(`${name} client without Effect`, () => {
    test("reads the text of every stream", async (client) => {
      const texts = await Promise.all(Object.values(streams(client, "sandbox")).map((stream) => stream.text()))
      for (const one of texts) expect(one.length).toBeGreaterThan(20)
    }, 4)

    test("leaves every stream half way, and each call is settled", async (client) => {
      for (const stream of Object.values(streams(client, stalling))) for await (const _ of stream) break
    }, 4)

    test("is closed during streams, and each call is settled", async (client) => {
      const iterators = Object.values(streams(client, stalling)).map((stream) => stream[Symbol.asyncIterator]())
      for (const iterator of iterators) expect(await iterator.next()).toMatchObject({ done: false })
      await client.close()
      for (const iterator of iterators) await expect(iterator.next()).rejects.toThrow("closed")
    }, 4)
  })
}

it.live("the cost of a call and of a stream can be read", () =>
  Effect.gen(function* () {
    const client = node.createClient({ baseUrl: (yield* Host).baseUrl, credential: key })
    const { call, stream } = yield* Effect.promise(async () => {
      const call = await client.chatCompletions({ model: "sandbox", messages }).withResponse()
      const events = client.chatCompletionsStream({ model: "sandbox", messages })
      await events.text()
      return { call, stream: await events.response() }
    })
    const charged = (yield* calls).map(({ charged, id }) => ({ cost: charged, requestId: id }))
    expect([call, stream].map(({ cost, requestId }) => ({ cost: cost.micros, requestId }))).toEqual(charged)
    expect(call.cost.state).toBe("settled")
    yield* Effect.promise(() => client.close())
  }).pipe(Effect.provide(gateway))
)

it.live("a scenario makes the sandbox fail, for one call or for all of a client", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const question = { query: "river", documents: ["A river."] }
    yield* Effect.promise(async () => {
      const client = node.createClient({ baseUrl, credential: key, retry: { retries: 0 } })
      const failed = client.rerank(question, { scenario: "status; code=429; after=7" })
      await expect(failed).rejects.toMatchObject({ _tag: "RateLimited", retryAfter: 7_000 })
      expect(await client.rerank(question)).toHaveProperty("results")
      await client.close()
      const failing = node.createClient({ baseUrl, credential: key, retry: { retries: 0 }, scenario: "html" })
      await expect(failing.rerank(question)).rejects.toHaveProperty("_tag")
      await failing.close()
    })
  }).pipe(Effect.provide(gateway))
)

const soon = { firstMillis: 500, betweenMillis: [500, 500] } as const

it.live("videos can be awaited and watched, and fail with the same errors", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = node.createClient({ baseUrl, credential: key })
    const asked = (prompt: string) => ({ model: "sandbox-video", input: { prompt } })
    const watch = async () => {
      const { output } = await client.videoCreate(asked("a lake [task 100ms]"))
      const seen: Array<string> = []
      for await (const { status } of client.videoProgress(output.task_id, soon)) seen.push(status)
      return { seen, again: await client.awaitVideo(output.task_id, soon) }
    }
    yield* Effect.promise(async () => {
      const [made, watched, failed] = await Promise.allSettled([
        client.generateVideo(asked("a river [task 100ms]"), soon),
        watch(),
        client.generateVideo(asked("a hill [task fails] [task 100ms]"), soon)
      ])
      expect(made).toMatchObject({ value: { output: { task_status: "SUCCEEDED" } } })
      expect(watched).toMatchObject({ value: { again: { output: { task_status: "SUCCEEDED" } } } })
      expect(watched.status === "fulfilled" && watched.value.seen.at(-1)).toBe("SUCCEEDED")
      expect(failed.status === "rejected" && failed.reason).toBeInstanceOf(VideoFailed)
      await client.close()
    })
  }).pipe(Effect.provide(gateway))
)
