import { describe, expect, it } from "@effect/vitest"
import { GoogleGenAI } from "@google/genai"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { calls, priced } from "@tollgate/testing/models"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

// What official SDKs call beside conversations.

const host = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ operations: priced, limits: true, sandbox: "all" }))
)
const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.live(name, () => Effect.provide(effect(), host))

const use = <A>(call: (baseUrl: string) => Promise<A>) =>
  Effect.flatMap(Host, ({ baseUrl }) => Effect.promise(() => call(baseUrl)))

const json = (value: unknown) => JSON.stringify(value)
const goog = { "x-goog-api-key": key }
const bearer = { authorization: `Bearer ${key}` }

/** A gateway in front of one upstream, which answers all with the same JSON. */
const behind = Effect.fnUntraced(function* (protocol: string, answer: object, operations: Record<string, object>) {
  const { port, received } = yield* httpUpstream((res) =>
    res.writeHead(200, { "content-type": "application/json" }).end(json(answer))
  )
  const routes = Object.entries(operations).map(([operation, target]) => ({
    operation,
    to: [{ provider: { ...providerAt(port), protocol }, weight: 1, ...target }]
  }))
  const gateway = TestGateway.layer({ operations: priced, routes, limits: true })
  return { received, layer: Host.layerNode.pipe(Layer.provideMerge(gateway)) }
})

describe("@google/genai", () => {
  for (const apiVersion of [undefined, "v1", "v1beta"]) {
    const client = (baseUrl: string) =>
      new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl }, ...(apiVersion === undefined ? {} : { apiVersion }) })
    describe(`with the version ${apiVersion ?? "that it has by itself"}`, () => {
      test("generates, streams, counts and embeds", () =>
        Effect.gen(function* () {
          yield* use(async (baseUrl) => {
            const { models } = client(baseUrl)
            const question = { model: "sandbox", contents: "Why do rivers bend?" }
            const answer = await models.generateContent(question)
            expect(answer.text).toContain("rivers")
            let text = ""
            for await (const piece of await models.generateContentStream(question)) text += piece.text ?? ""
            expect(text).toContain("rivers")
            const { totalTokens } = await models.countTokens(question)
            expect(totalTokens).toBe(answer.usageMetadata?.promptTokenCount)
            const { embeddings } = await models.embedContent({
              model: "sandbox",
              contents: ["a river", "a bend"],
              config: { outputDimensionality: 8 }
            })
            expect(embeddings?.map(({ values }) => values?.length)).toEqual([8, 8])
          })
          const all = yield* calls
          expect(all).toHaveLength(3)
          // Four words, at 3 USD a million.
          expect(all.at(-1)).toMatchObject({ state: "settled", input_tokens: 4, output_tokens: 0, charged: 12 })
        }))

      test("lists the models and reads one, in its own format", () =>
        use(async (baseUrl) => {
          const { models } = client(baseUrl)
          const names: Array<string | undefined> = []
          for await (const { name } of await models.list()) names.push(name)
          expect(names).toEqual(["models/sandbox"])
          expect((await models.get({ model: "sandbox" })).name).toBe("models/sandbox")
          await expect(models.get({ model: "sandbox-video" })).rejects.toMatchObject({ status: 404 })
        }))
    })
  }
})

describe("Gemini's paths", () => {
  const answer = { embeddings: [{ values: [1] }], usageMetadata: { promptTokenCount: 7 } }

  it.live("of both versions are one operation: the same call upstream, under the same key of idempotency", () =>
    Effect.gen(function* () {
      const whole = {
        candidates: [{ content: { parts: [{ text: "A" }] } }],
        usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 1 }
      }
      const { layer, received } = yield* behind("gemini", whole, { "models.generate_content": {} })
      yield* Effect.gen(function* () {
        const headers = { ...goog, "idempotency-key": "one", "x-tollgate-idempotency-mode": "replay" }
        const body = json({ contents: [{ parts: [{ text: "Why?" }] }] })
        for (const version of ["v1", "v1beta"]) {
          const { status } = yield* ask("POST", `/${version}/models/sandbox:generateContent`, headers, body)
          expect(status).toBe(200)
        }
        expect(received.map(({ body, url }) => [url, body])).toEqual([["/v1beta/models/sandbox:generateContent", body]])
        expect(json(received)).not.toContain(key)
        // The second is the stored answer, which is free.
        expect((yield* calls).map(({ charged }) => charged)).toEqual([6 + 17, 0])
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("send no other model upstream than the one that is paid", () =>
    Effect.gen(function* () {
      const target = { model: "up", path: "/g/{model}:embedContent" }
      const { layer, received } = yield* behind("gemini", answer, { "models.embed_content": target })
      yield* Effect.gen(function* () {
        const body = `{"requests":[{"model":"models/dear","content":{"parts":[{"text":"a","n":12345678901234567890}]}},{"content":{"parts":[]}},{"m\\u006fdel":5,"content":{"parts":[]}}],"model":"models/dear"}`
        const { status } = yield* ask("POST", "/v1/models/sandbox:batchEmbedContents", goog, body)
        expect(status).toBe(200)
        const [sent] = received
        expect(sent?.url).toBe("/g/up:batchEmbedContents")
        expect(sent?.body).toContain("12345678901234567890")
        expect(sent?.body).not.toContain("dear")
        const { model, requests: got } = JSON.parse(sent?.body ?? "") as { model: string; requests: Array<object> }
        expect([model, ...got.map((one) => "model" in one && one.model)]).toEqual([
          "models/up",
          "models/up",
          false,
          "models/up"
        ])
        expect(yield* calls).toMatchObject([{ input_tokens: 7, charged: 21, cost_state: "settled" }])
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("count where the model generates, for nothing", () =>
    Effect.gen(function* () {
      const target = { model: "up", path: "/g/{model}:generateContent" }
      const { layer, received } = yield* behind("gemini", { totalTokens: 3 }, { "models.generate_content": target })
      yield* Effect.gen(function* () {
        const body = json({ generateContentRequest: { model: "models/sandbox", contents: [] } })
        const counted = yield* ask("POST", "/v1/models/sandbox:countTokens", goog, body)
        expect([counted.status, counted.json()]).toEqual([200, { totalTokens: 3 }])
        expect(received).toMatchObject([
          { url: "/g/up:countTokens", body: json({ generateContentRequest: { model: "models/up", contents: [] } }) }
        ])
        expect(yield* calls).toEqual([])
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("deliver no embeddings whose cost is not proven, and count those that report none", () =>
    Effect.gen(function* () {
      const body = json({ requests: [{ content: { parts: [{ text: "four byte words here" }] } }] })
      for (const [upstream, status, state] of [
        [{ embeddings: [] }, 502, "none"],
        [{ candidates: [] }, 502, "none"],
        [{ embeddings: [{ values: [1] }] }, 200, "estimated"]
      ] as const) {
        const { layer } = yield* behind("gemini", upstream, { "models.batch_embed_contents": {} })
        const { headers, status: got } = yield* Effect.provide(
          ask("POST", "/v1beta/models/sandbox:batchEmbedContents", goog, body),
          layer
        )
        expect([got, headers["x-tollgate-cost-state"]], json(upstream)).toEqual([status, state])
      }
    }).pipe(Effect.scoped)
  )

  test("refuse a cap that does not pay for what they read elsewhere, of each request", () =>
    Effect.gen(function* () {
      const request = { content: { parts: [{ fileData: { fileUri: "gs://b/f" } }] } }
      const quoting = { ...goog, "x-tollgate-cost-mode": "quote" }
      const quote = (requests: ReadonlyArray<object>) =>
        Effect.map(
          ask("POST", "/v1/models/sandbox:batchEmbedContents", quoting, json({ requests })),
          (answer) => (answer.json() as { readonly max_micros_usd: number }).max_micros_usd
        )
      expect(yield* quote([request])).toBeGreaterThan(3_000_000)
      expect(yield* quote([request, request])).toBeGreaterThan(6_000_000)
    }))

  test("take the key where Google's SDK sends it, and only there", () =>
    Effect.gen(function* () {
      const gemini = { models: [expect.objectContaining({ name: "models/sandbox" })] }
      expect((yield* ask("GET", "/v1/models?pageSize=1", goog)).json()).toMatchObject(gemini)
      expect((yield* ask("GET", "/v1/models", bearer)).json()).toMatchObject({ object: "list" })
      const wrong = yield* ask("GET", "/v1/models", { "x-goog-api-key": "wrong" })
      expect([wrong.status, wrong.json()]).toMatchObject([401, { error: { code: 401, status: "UNAUTHENTICATED" } }])
      expect((yield* ask("GET", "/v1/models", { "x-api-key": key })).status).toBe(401)
      const chat = json({ model: "sandbox", messages: [{ role: "user", content: "Why?" }] })
      expect((yield* ask("POST", "/v1/chat/completions", goog, chat)).status).toBe(401)
      expect((yield* ask("POST", `/v1/models/sandbox:countTokens?key=${key}`, {}, json({ contents: [] }))).status).toBe(
        400
      )
      const method = yield* ask("POST", "/v1/models", goog, "{}")
      expect([method.status, method.headers["allow"]]).toEqual([405, "GET, HEAD"])
    }))
})
