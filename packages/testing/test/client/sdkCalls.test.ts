import Anthropic from "@anthropic-ai/sdk"
import { describe, expect, it } from "@effect/vitest"
import { GoogleGenAI } from "@google/genai"
import { usd } from "@tollgate/contract/Money"
import * as prices from "@tollgate/contract/price/modelPrices"
import type { Price } from "@tollgate/contract/price/Price"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { calls, priced } from "@tollgate/testing/models"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import OpenAI from "openai"

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

const post = (path: string, headers: Record<string, string>, body: object) =>
  ask("POST", path, { ...bearer, ...headers }, json(body))

const openai = (baseURL: string, defaultHeaders: Record<string, string> = {}) =>
  new OpenAI({ apiKey: key, baseURL: `${baseURL}/v1`, maxRetries: 0, defaultHeaders })

/** A gateway in front of one upstream, which answers all with the same JSON. */
const behind = Effect.fnUntraced(function* (
  protocol: string,
  answer: object,
  operations: Record<string, object>,
  prices: ReadonlyArray<readonly [id: string, price: Price]> = []
) {
  const { port, received } = yield* httpUpstream((res) =>
    res.writeHead(200, { "content-type": "application/json" }).end(json(answer))
  )
  const routes = Object.entries(operations).map(([operation, target]) => ({
    operation,
    to: [{ provider: { ...providerAt(port), protocol }, weight: 1, ...target }]
  }))
  const own = new Map(prices)
  const gateway = TestGateway.layer({
    operations: priced.map((operation) => ({ ...operation, price: own.get(operation.id) ?? operation.price })),
    routes,
    limits: true
  })
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

describe("openai", () => {
  const ask = { model: "sandbox", prompt: "Rivers bend because", max_tokens: 30 }

  test("completes a prompt, whole and as a stream, at the price of its tokens", () =>
    Effect.gen(function* () {
      yield* use(async (baseUrl) => {
        const whole = await openai(baseUrl).completions.create(ask)
        expect(whole.usage?.completion_tokens).toBe(30)
        let text = ""
        for await (const event of await openai(baseUrl).completions.create({ ...ask, stream: true })) {
          text += event.choices[0]?.text ?? ""
          expect(event.usage ?? undefined).toBeUndefined()
        }
        expect(text).toBe(whole.choices[0]?.text)
        const events = await openai(baseUrl).completions.create({
          ...ask,
          stream: true,
          stream_options: { include_usage: true }
        })
        let usage: OpenAI.CompletionUsage | undefined
        for await (const event of events) usage = event.usage ?? usage
        expect(usage).toEqual(whole.usage)
      })
      const call = { state: "settled", cost_state: "settled", input_tokens: 3, output_tokens: 30, charged: 9 + 30 * 17 }
      expect(yield* calls).toMatchObject([call, call, call])
    }))

  test("completes several prompts, and a stream of them that reports nothing is counted whole", () =>
    Effect.gen(function* () {
      const prompt = ["One river", "Another river", "A third"]
      const count = yield* use(async (baseUrl) => {
        const whole = await openai(baseUrl).completions.create({ ...ask, prompt, n: 2 })
        expect(whole.choices).toHaveLength(6)
        const hiding = openai(baseUrl, { "x-tollgate-scenario": "no-usage" })
        const seen = new Set<number>()
        let text = ""
        for await (const event of await hiding.completions.create({ ...ask, prompt, stream: true }))
          for (const choice of event.choices) {
            seen.add(choice.index)
            text += choice.text
          }
        expect(seen.size).toBe(3)
        // At most what the request allows.
        return Math.min(90, Math.ceil(text.length / 4))
      })
      const [whole, streamed] = yield* calls
      expect(whole).toMatchObject({ cost_state: "settled", output_tokens: 180 })
      expect(streamed).toMatchObject({ cost_state: "estimated" })
      expect(Math.abs((streamed?.output_tokens ?? 0) - count)).toBeLessThanOrEqual(1)
    }))

  test("a completion's most is that of all its prompts, choices and candidates", () =>
    Effect.gen(function* () {
      const quote = (more: object) =>
        Effect.map(
          post("/v1/completions", { "x-tollgate-cost-mode": "quote" }, { ...ask, ...more }),
          (answer) => (answer.json() as { readonly max_micros_usd: number }).max_micros_usd
        )
      const one = yield* quote({ prompt: [1, 2, 3] })
      // The names and texts of the other fields count as input in the most.
      const output = 30 * 17
      expect((yield* quote({ prompt: [[1], [2], [3]] })) - one).toBe(2 * output)
      expect((yield* quote({ prompt: [[1], [2], [3]], n: 2, best_of: 4 })) - one).toBeGreaterThanOrEqual(11 * output)
      const long = Array.from({ length: 5_000 }, (_, i) => i)
      expect((yield* quote({ prompt: long })) - one).toBeGreaterThanOrEqual(4_997 * 3)
      for (const more of [{ best_of: 0 }, { best_of: 1.5 }, { best_of: "2" }, { n: 1e9 }, { max_tokens: -1 }])
        expect((yield* post("/v1/completions", {}, { ...ask, ...more })).status, json(more)).toBe(400)
      const capped = yield* post("/v1/completions", { "x-tollgate-max-price-usd": "0.0004" }, { ...ask })
      expect(capped.status).toBe(402)
    }))

  it.live("a cap bounds every completion in the field that the old format knows", () =>
    Effect.gen(function* () {
      const answer = { choices: [{ index: 0, text: "a" }], usage: { prompt_tokens: 3, completion_tokens: 1 } }
      const { layer, received } = yield* behind("openai", answer, { completions: { model: "up" } })
      const headers = { "x-tollgate-max-price-usd": "0.002" }
      const { status } = yield* Effect.provide(
        post("/v1/completions", headers, { model: "sandbox", prompt: ["a", "b"] }),
        layer
      )
      const sent = JSON.parse(received[0]?.body ?? "") as Record<string, unknown>
      expect([status, sent]).toEqual([200, { model: "up", prompt: ["a", "b"], max_tokens: expect.any(Number) }])
      expect(Number(sent["max_tokens"]) * 2 * 17).toBeLessThanOrEqual(2_000)
    }).pipe(Effect.scoped)
  )

  test("moderates texts and parts, for its input", () =>
    Effect.gen(function* () {
      yield* use(async (baseUrl) => {
        const { moderations } = openai(baseUrl)
        const two = await moderations.create({ model: "sandbox", input: ["a calm river", "I will kill it"] })
        expect(two.results.map(({ flagged }) => flagged)).toEqual([false, true])
        const parts = await moderations.create({
          model: "sandbox",
          input: [
            { type: "text", text: "a river" },
            { type: "image_url", image_url: { url: "https://example.com/river.png" } }
          ]
        })
        expect(parts.results).toHaveLength(1)
      })
      expect(yield* calls).toMatchObject([
        { input_tokens: 7, output_tokens: 0, charged: 21, cost_state: "settled" },
        { output_tokens: 0, cost_state: "settled" }
      ])
    }))

  it.live("moderates without a model, for what each call costs, if the operator prices it so", () =>
    Effect.gen(function* () {
      for (const [amount, charged] of [
        ["0", 0],
        ["0.0001", 100]
      ] as const) {
        const { layer, received } = yield* behind("openai", { results: [{ flagged: false }] }, { moderations: {} }, [
          ["moderations", { contract: "per_request", amount: usd(amount) }]
        ])
        yield* Effect.gen(function* () {
          const answer = yield* post("/v1/moderations", {}, { input: "a river" })
          expect([answer.status, answer.json()]).toEqual([200, { results: [{ flagged: false }] }])
          expect(received.map(({ body }) => body)).toEqual([json({ input: "a river" })])
          expect(yield* calls).toMatchObject([{ charged, state: "settled" }])
        }).pipe(Effect.provide(layer))
      }
    }).pipe(Effect.scoped)
  )

  it.live("delivers no moderation that is none", () =>
    Effect.gen(function* () {
      for (const wrong of [{ results: {} }, { choices: [] }, { error: { message: "no" }, results: [{}] }]) {
        const { layer } = yield* behind("openai", wrong, { moderations: {} })
        const { status } = yield* Effect.provide(
          post("/v1/moderations", {}, { model: "sandbox", input: "a river" }),
          layer
        )
        expect(status, json(wrong)).toBe(502)
      }
    }).pipe(Effect.scoped)
  )

  test("counts what a response would read, for nothing", () =>
    Effect.gen(function* () {
      yield* use(async (baseUrl) => {
        const { responses } = openai(baseUrl)
        const { input_tokens } = await responses.inputTokens.count({ model: "sandbox", input: "Why do rivers bend?" })
        const response = await responses.create({ model: "sandbox", input: "Why do rivers bend?" })
        expect(input_tokens).toBe(response.usage?.input_tokens)
      })
      expect(yield* calls).toHaveLength(1)
    }))

  it.live("counts where the model responds, and reads nothing that another may have kept there", () =>
    Effect.gen(function* () {
      const target = { model: "up", path: "/openai/responses" }
      const { layer, received } = yield* behind("openai", { input_tokens: 3 }, { responses: target })
      yield* Effect.gen(function* () {
        const path = "/v1/responses/input_tokens"
        const counted = yield* post(path, {}, { model: "sandbox", input: "a" })
        expect([counted.status, counted.json()]).toEqual([200, { input_tokens: 3 }])
        for (const [kept, status] of [
          [{ previous_response_id: "resp_1" }, 400],
          [{ conversation: "conv_1" }, 404],
          [{ input: [{ type: "item_reference", id: "msg_1" }] }, 404]
        ] as const)
          expect((yield* post(path, {}, { model: "sandbox", input: "a", ...kept })).status, json(kept)).toBe(status)
        expect(received.map(({ body, url }) => [url, body])).toEqual([
          ["/openai/responses/input_tokens", json({ model: "up", input: "a" })]
        ])
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )
})

describe("openai, for sound and images", () => {
  const sound = { model: "sandbox", voice: "alloy", input: "Why? 🙂" } as const

  test("speaks, at a price for each character as people count them", () =>
    Effect.gen(function* () {
      const quote = yield* post("/v1/audio/speech", { "x-tollgate-cost-mode": "quote" }, sound)
      // Six characters, at a cent each.
      expect(quote.json()).toMatchObject({ estimate_micros_usd: 60_000, max_micros_usd: 60_000 })
      yield* use(async (baseUrl) => {
        const answer = await openai(baseUrl).audio.speech.create({ ...sound, response_format: "wav" })
        expect(answer.headers.get("content-type")).toBe("audio/wav")
        expect(
          Buffer.from(await answer.arrayBuffer())
            .subarray(0, 4)
            .toString()
        ).toBe("RIFF")
      })
      expect(yield* calls).toMatchObject([{ charged: 60_000, state: "settled" }])
      const cap = { "x-tollgate-max-price-usd": "0.0599" }
      expect((yield* post("/v1/audio/speech", cap, sound)).status).toBe(402)
      for (const more of [{ input: "" }, { input: 7 }, { stream_format: "sse" }, { INPUT: "long" }, { model: 1 }])
        expect((yield* post("/v1/audio/speech", {}, { ...sound, ...more })).status, json(more)).toBe(400)
      expect(yield* calls).toHaveLength(1)
    }))

  it.live("speaks by the model's own price, and delivers no sound that is none", () =>
    Effect.gen(function* () {
      const price: Price = {
        contract: "per_request",
        amount: usd("0.000015"),
        times: { field: ["input"], characters: true, unit: "character", otherwise: 1 },
        variants: [{ where: [{ field: ["model"], values: ["hd"] }], amount: usd("0.00003") }]
      }
      for (const [type, model, status, charged] of [
        ["audio/mpeg", "hd", 200, 30_000],
        ["audio/mpeg", "other", 200, 30_000],
        ["text/html", "hd", 502, 0],
        ["application/json", "hd", 502, 0]
      ] as const) {
        const { port, received } = yield* httpUpstream((res) =>
          res.writeHead(200, { "content-type": type }).end('{"error":{"message":"no"}}')
        )
        const to = [{ provider: { ...providerAt(port), protocol: "openai" }, weight: 1, model: "up" }]
        const operations = priced.map((each) => (each.id === "audio.speech" ? { ...each, price } : each))
        const gateway = TestGateway.layer({ operations, routes: [{ operation: "audio.speech", to }], limits: true })
        yield* Effect.gen(function* () {
          const answer = yield* post("/v1/audio/speech", {}, { ...sound, model, input: "x".repeat(1_000) })
          expect([type, answer.status]).toEqual([type, status])
          expect(received[0]?.body).toContain('"model":"up"')
          expect((yield* calls).map((call) => call.charged)).toEqual([charged])
        }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(gateway))))
      }
    }).pipe(Effect.scoped)
  )

  const recording = new File([new Uint8Array(24_000)], "river.wav", { type: "audio/wav" })

  test("transcribes, at the price of the tokens that are reported", () =>
    Effect.gen(function* () {
      yield* use(async (baseUrl) => {
        const { transcriptions } = openai(baseUrl).audio
        const { text } = await transcriptions.create({ model: "sandbox", file: recording })
        expect(text).toBe("A recording of 3 seconds.")
        const long = await transcriptions.create({
          model: "sandbox",
          file: recording,
          response_format: "verbose_json",
          timestamp_granularities: ["segment", "word"]
        })
        expect(long.segments).toEqual([])
        for (const more of [{ response_format: "srt" }, { stream: true }] as const)
          await expect(
            transcriptions.create({ model: "sandbox", file: recording, ...more }) as Promise<unknown>
          ).rejects.toMatchObject({ status: 400 })
      })
      const [one, two, ...more] = yield* calls
      expect(more).toEqual([])
      expect(one).toMatchObject({ input_tokens: 30, state: "settled", cost_state: "settled" })
      expect(one?.charged).toBe(30 * 3 + (one?.output_tokens ?? 0) * 17)
      expect(two?.charged).toBe(one?.charged)
    }))

  it.live(
    "transcribes at the price of each second that has begun, and delivers nothing that does not tell its cost",
    () =>
      Effect.gen(function* () {
        const bySecond: Price = {
          ...(prices.transcription as Extract<Price, { contract: "model_tokens" }>),
          models: {
            whisper: {
              input: usd("0"),
              output: usd("0"),
              cacheRead: usd("0"),
              cacheWrite: usd("0"),
              tools: { audio_second: { amount: usd("0.0001") } }
            }
          }
        }
        for (const [answer, status, charged] of [
          [{ text: "a", usage: { type: "duration", seconds: 61 } }, 200, 6_100],
          [{ text: "a", duration: 60.01, segments: [] }, 200, 6_100],
          [{ text: "a", usage: { type: "duration", seconds: 0 } }, 200, 0],
          [{ text: "a" }, 502, 0],
          [{ text: "a", duration: -1 }, 502, 0],
          [{ text: "a", duration: "60" }, 502, 0],
          [{ text: "a", usage: { input_tokens: 1.5 }, duration: 60 }, 502, 0],
          [{ duration: 60 }, 502, 0],
          [{ text: "a", duration: 60, error: { message: "no" } }, 502, 0]
        ] as const) {
          const routes = { "audio.transcriptions": { model: "up" } }
          const { layer, received } = yield* behind("openai", answer, routes, [["audio.transcriptions", bySecond]])
          yield* Effect.gen(function* () {
            const got = yield* use((baseUrl) =>
              openai(baseUrl)
                .audio.transcriptions.create({ model: "whisper", file: recording })
                .then(
                  () => 200,
                  (error: { readonly status: number }) => error.status
                )
            )
            expect([got, (yield* calls).map((call) => call.charged)], json(answer)).toEqual([status, [charged]])
            expect(received[0]?.body).toContain('name="model"\r\n\r\nup\r\n')
          }).pipe(Effect.provide(layer))
        }
        const { layer } = yield* behind("openai", {}, { "audio.transcriptions": {} }, [
          ["audio.transcriptions", bySecond]
        ])
        const quoted = use(async (baseUrl) => {
          const quoting = openai(baseUrl, { "x-tollgate-cost-mode": "quote" })
          return (await quoting.audio.transcriptions.create({ model: "whisper", file: recording })) as object
        })
        // 24,000 bytes are 1.5 seconds as usual, and 48 at most.
        expect(yield* Effect.provide(quoted, layer)).toMatchObject({ estimate_micros_usd: 200, max_micros_usd: 4_800 })
      }).pipe(Effect.scoped)
  )

  const image = new File([Uint8Array.from([13, 10, 45, 45, 0, 255])], "river.png", { type: "image/png" })

  test("edits images, at the price of as many as are asked for", () =>
    Effect.gen(function* () {
      yield* use(async (baseUrl) => {
        const { images } = openai(baseUrl)
        const two = await images.edit({ model: "sandbox", image, prompt: "At dawn", n: 2 })
        expect(two.data).toHaveLength(2)
        const one = await images.edit({ model: "sandbox", image: [image, image], prompt: "At dawn" })
        expect(one.data).toHaveLength(1)
        await expect(images.edit({ model: "none", image, prompt: "At dawn" })).rejects.toMatchObject({ status: 404 })
        await expect(images.edit({ image, prompt: "At dawn", stream: true })).rejects.toMatchObject({ status: 400 })
        await expect(images.edit({ image, prompt: "At dawn", n: 0 })).rejects.toMatchObject({ status: 400 })
      })
      expect((yield* calls).map(({ charged }) => charged)).toEqual([20_000, 10_000, 0])
    }))

  it.live("sends a form upstream as it is, but for the model's name there", () =>
    Effect.gen(function* () {
      const { layer, received } = yield* behind("openai", { data: [{}] }, { "images.edit": { model: "up-ä" } })
      const boundary = "x"
      const form = (model: string) =>
        `--x\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\nmodel\r\n--x\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n--x\r\nContent-Disposition: form-data; name="prompt"\r\n\r\nsandbox\r\n--x--\r\n`
      const headers = { ...bearer, "content-type": `multipart/form-data; boundary=${boundary}` }
      const send = (body: string) =>
        use(async (baseUrl) => {
          const answer = await fetch(`${baseUrl}/v1/images/edits`, { method: "POST", headers, body })
          return { status: answer.status, text: await answer.text() }
        })
      yield* Effect.gen(function* () {
        const { status, text } = yield* send(form("sandbox"))
        expect([status, text]).toEqual([200, json({ data: [{}] })])
        expect(received.map(({ body, headers }) => [body, headers["content-type"]])).toEqual([
          [form("up-ä"), `multipart/form-data; boundary=${boundary}`]
        ])
        const broken = form("sandbox").replace(
          "\r\n--x--\r\n",
          '\r\n--x\r\nContent-Disposition: form-data; name="n"\r\n\r\n9\n--x--'
        )
        expect((yield* send(broken)).status).toBe(400)
        const held = form("sandbox").replace("sandbox\r\n--x--", `${key}\r\n--x--`)
        expect((yield* send(held)).status).toBe(400)
        const asJson = yield* post("/v1/images/edits", { "content-type": "application/json" }, { prompt: "a" })
        expect(asJson.status).toBe(415)
        expect(received).toHaveLength(1)
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )
})

describe("@anthropic-ai/sdk", () => {
  test("lists the models page by page, and reads one", () =>
    use(async (baseURL) => {
      const { models } = new Anthropic({ apiKey: key, baseURL })
      const ids: Array<string> = []
      for await (const { id } of models.list({ limit: 1 })) ids.push(id)
      expect(ids).toEqual(["sandbox"])
      expect(await models.retrieve("sandbox")).toMatchObject({ type: "model", display_name: "sandbox" })
    }))
})
