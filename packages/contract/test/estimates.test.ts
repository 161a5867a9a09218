import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { type NanoUsd, nano, toMicros, usd } from "../src/Money.ts"
import { chatCompletions } from "../src/operations/chatCompletions.ts"
import { embeddings } from "../src/operations/embeddings.ts"
import { generateContent } from "../src/operations/generateContent.ts"
import { messages } from "../src/operations/messages.ts"
import { rerank } from "../src/operations/rerank.ts"
import { basis, contractOf, estimate, settle } from "../src/price/contracts.ts"
import { contentOf } from "../src/price/content.ts"
import { type ModelPrice, type Multiplier, one, type Price } from "../src/price/Price.ts"
import { estimateTokens } from "../src/price/tokens.ts"

const plain: ModelPrice = { input: usd("1"), output: usd("10"), cacheRead: usd("1"), cacheWrite: usd("1") }

const outputBound = (price: Price, request: unknown, cap: NanoUsd, multiplier: Multiplier = one, model?: string) =>
  contractOf(price).outputBound?.(price, request, cap, multiplier, model)

const boundField = (price: Price, request: unknown) => contractOf(price).boundField?.(price, request)

const resolve = (price: Price, request: unknown): Price => contractOf(price).resolve?.(price, request) ?? price

const withModel = (price: Price, model: ModelPrice): Price =>
  price.contract === "model_tokens" ? { ...price, models: { m: model } } : price

const chat = (model: ModelPrice) => withModel(chatCompletions.price, model)

const estimated = (price: Price, request: unknown, multiplier: Multiplier = one, limit?: number) =>
  Option.getOrThrow(estimate(price, request, multiplier, "m", limit))

const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n }).map(nano)
const models: fc.Arbitrary<ModelPrice> = fc
  .record({
    prices: fc.record({ input: amounts, output: amounts, cacheRead: amounts, cacheWrite: amounts }),
    figures: fc.record(
      {
        maxOutput: fc.integer({ min: 1, max: 2_000_000 }),
        contextWindow: fc.integer({ min: 1, max: 20_000_000 }),
        imageTokens: fc.integer({ min: 1, max: 100_000 })
      },
      { requiredKeys: [] }
    )
  })
  .map(({ figures, prices }) => ({ ...prices, ...figures }))
const multipliers = fc.oneof(fc.constant(one), fc.bigInt({ min: 0n, max: 5_000_000n }))

const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }
const contents = fc.array(
  fc.oneof(
    fc.string().map((text) => ({ type: "text", text })),
    fc.constant(image)
  ),
  { maxLength: 5 }
)
const requests = fc.record({
  model: fc.constant("m"),
  messages: contents.map((content) => [{ role: "user", content }]),
  tools: fc.array(fc.string(), { maxLength: 3 }),
  n: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined })
})

describe("an estimate", () => {
  it("of embeddings has the context window of the model for each input, not for all of them", () => {
    const price = withModel(embeddings.price, { ...plain, contextWindow: 100 })
    const most = (input: unknown) => toMicros(estimated(price, { model: "m", input }).most)
    const [text, tokens] = ["x".repeat(500), Array.from({ length: 500 }, () => 1)]
    assert.deepStrictEqual([most(text), most(tokens)], [100, 100])
    assert.deepStrictEqual([most([text, text]), most([tokens, tokens, tokens])], [200, 300])
  })

  it("is made for any JSON, and is a whole number that fits into an answer and into a store", () => {
    const extremes = fc.constantFrom(0, -1, 1, 2 ** 53 - 1, 2 ** 53, 1e308, "5", null, 0.5)
    const limited = fc.record({
      max_tokens: extremes,
      max_completion_tokens: extremes,
      n: extremes,
      model: fc.constant("m")
    })
    const gemini = fc.record({
      generationConfig: fc.record({ maxOutputTokens: extremes, candidateCount: extremes }),
      contents: fc.jsonValue()
    })
    const any = fc.oneof(fc.jsonValue(), limited, gemini, fc.record({ messages: fc.jsonValue() }))
    const prices = models.map((model) =>
      [chatCompletions, messages, generateContent, rerank].map(({ price }) => withModel(price, model))
    )
    fc.assert(
      fc.property(prices, any, multipliers, (all, request, multiplier) => {
        for (const price of all) {
          const { likely, most } = estimated(price, request, multiplier)
          assert.isTrue(0n <= likely && likely <= most)
          assert.isTrue(Number.isSafeInteger(Number(toMicros(most))) && most < 2n ** 63n)
          assert.isTrue(Number.isSafeInteger(estimateTokens(price, request, "m")))
        }
      }),
      { numRuns: 1_000 }
    )
  })

  it("does not fall if the request grows", () => {
    const more = fc.oneof(
      fc.string().map((text) => ({ hidden: text })),
      fc.string().map((text) => ({ tools: [text] })),
      fc.constant({ parts: [image] })
    )
    fc.assert(
      fc.property(models, requests, more, (model, request, added) => {
        const before = estimated(chat(model), request)
        const grown = { ...request, ...added, messages: [...request.messages, { role: "user", content: [image] }] }
        const larger = "tools" in added ? { ...grown, tools: [...request.tools, ...added.tools] } : grown
        const after = estimated(chat(model), larger)
        assert.isTrue(before.likely <= after.likely && before.most <= after.most)
      })
    )
  })

  it("is bounded by the model's largest output and by its context window", () => {
    const model = { ...plain, maxOutput: 100, contextWindow: 1_000 }
    const asked = { model: "m", messages: [{ content: "x".repeat(50_000) }] }
    assert.strictEqual(estimated(chat(model), asked).most, nano((1_000n + 100n * 10n) * 1_000n))
    assert.strictEqual(
      estimated(chat(model), { ...asked, max_tokens: 7, n: 3 }).most,
      nano((1_000n + 21n * 10n) * 1_000n)
    )
    assert.strictEqual(estimated(chat(model), { ...asked, max_tokens: 7_000 }).most, nano(2_000_000n))
    assert.strictEqual(estimateTokens(chat(model), asked, "m"), 1_100)
  })

  it("without a limit expects 4,096 tokens of output, and at most as many as the model makes", () => {
    const free = { ...plain, input: nano(0n), cacheRead: nano(0n), cacheWrite: nano(0n) }
    const output = (model: ModelPrice, limit?: number) => {
      const { likely, most } = estimated(chat(model), limit === undefined ? {} : { max_tokens: limit })
      return [likely, most].map((amount) => Number(amount / 10_000n))
    }
    assert.deepStrictEqual(output(free), [4_096, 4_096])
    assert.deepStrictEqual(output({ ...free, maxOutput: 16_000 }), [4_096, 16_000])
    assert.deepStrictEqual(output({ ...free, maxOutput: 500 }), [500, 500])
    assert.deepStrictEqual(output({ ...free, maxOutput: 16_000 }, 9_000), [9_000, 9_000])
    assert.deepStrictEqual(output(free, 0), [4_096, 4_096])
  })
})

describe("the media of a request", () => {
  const data = "A".repeat(300_000)
  const parts: ReadonlyArray<readonly [what: string, part: object, images: number]> = [
    ["OpenAI: a photo", { image_url: { url: `data:image/png;base64,${data}` } }, 1],
    ["OpenAI: a photo, as text", { image_url: `data:IMAGE/PNG;base64,${data}` }, 1],
    ["OpenAI: a photo by address", { image_url: { url: "https://a.example/b.png", detail: "high" } }, 1],
    ["OpenAI: a PDF", { file: { file_data: `data:application/pdf;base64,${data}`, filename: "a.pdf" } }, 4],
    ["OpenAI: an uploaded file", { file: { file_id: "file-1" } }, 1],
    ["OpenAI: sound", { input_audio: { data, format: "wav" } }, 4],
    ["Anthropic: a photo", { source: { type: "base64", media_type: "image/png", data } }, 1],
    ["Anthropic: a PDF", { source: { type: "base64", media_type: "application/pdf", data } }, 4],
    ["Anthropic: a photo by address", { source: { type: "url", url: "https://a.example/b.png" } }, 1],
    ["Anthropic: an uploaded file", { source: { type: "file", file_id: "file_1" } }, 1],
    [
      "Anthropic: a photo in a tool's result",
      { content: [{ source: { type: "base64", media_type: "image/png", data } }] },
      1
    ],
    [
      "Anthropic: two in a document",
      { source: { type: "content", content: [{ source: { type: "url" } }, { image_url: "x" }] } },
      2
    ],
    ["Gemini: a photo", { inlineData: { mimeType: "image/png", data } }, 1],
    ["Gemini: a photo in snake case", { inline_data: { mime_type: "image/png", data } }, 1],
    ["Gemini: a film", { inlineData: { mimeType: "video/mp4", data } }, 4],
    ["Gemini: a file", { fileData: { fileUri: "https://a.example/b" } }, 1]
  ]
  it.each(parts)("%s is not text", (_, part, images) => {
    for (const request of [
      { messages: [{ content: [part] }] },
      { contents: [{ parts: [part] }] },
      { contents: { parts: [part] } }
    ]) {
      const content = contentOf(request)
      assert.strictEqual(content.images, images)
      assert.isBelow(content.bytes, 200)
    }
    assert.deepStrictEqual(contentOf({ other: [part] }).images, 0)
  })

  it.each([
    ["text in base64", { inlineData: { mimeType: "text/plain", data } }],
    ["of two types, one is no image", { inlineData: { mimeType: "image/png", mime_type: "text/plain", data } }],
    ["an address without end", { image_url: { url: data } }],
    ["text beside a photo", { image_url: { url: "data:image/png;base64,AA", hidden: data } }],
    ["a document of text", { source: { type: "text", media_type: "text/plain", data } }],
    ["the input of a tool", { input: { source: { type: "base64", media_type: "image/png", data } } }],
    ["a deep one", { source: { type: "base64", media_type: "image/png", data: [{ data }] } }]
  ])("%s is text", (_, part) => {
    assert.isAtLeast(contentOf({ messages: [{ content: [part] }] }).bytes, 300_000)
  })

  it("nested a hundred thousand levels deep is counted", () => {
    const depth = 100_000
    const nested: unknown = JSON.parse(`{"messages":[${`{"content":[`.repeat(depth)}"x"${"]}".repeat(depth)}]}`)
    assert.strictEqual(contentOf(nested).bytes, 8 + 7 * depth + 1)
  })
})

describe("the output bound of a cap", () => {
  const caps = fc.oneof(amounts, fc.bigInt({ min: 0n, max: 10n ** 9n }).map(nano))

  it("keeps the charge of an honest upstream within the cap, and is as large as that allows", () => {
    fc.assert(
      fc.property(models, requests, caps, multipliers, fc.nat(1_000), (model, request, cap, multiplier, share) => {
        const price = chat(model)
        const bound = outputBound(price, request, cap, multiplier, "m")
        assert.isDefined(bound)
        if (bound === undefined || bound < 1) {
          assert.isTrue(estimated(price, request, multiplier, 1).most > cap)
          return
        }
        assert.isAtMost(bound, model.maxOutput ?? 4_096)
        const { most } = estimated(price, request, multiplier, bound)
        assert.isTrue(most <= cap, "reserved")
        const bytes = contentOf(request)
        const read = Math.min(
          bytes.bytes + bytes.images * (model.imageTokens ?? 2_000),
          model.contextWindow ?? Infinity
        )
        const cacheRead = Math.floor((read * share) / 1_000)
        const usage = { input: read - cacheRead, cacheRead, cacheWrite: 0, output: bound * (request.n ?? 1) }
        const charge = Option.getOrThrow(settle(price, { kind: "model", model: "m", usage }, multiplier))
        assert.isTrue(charge.chargedNano <= cap, "charged")
        const longest = Math.min(model.maxOutput ?? 4_096, model.contextWindow ?? Infinity)
        if (bound < longest && model.contextWindow === undefined) {
          assert.isTrue(estimated(price, request, multiplier, bound + 1).most > cap, "one token more")
        }
      }),
      { numRuns: 2_000 }
    )
  })

  it("is none where the request has its own, or where nothing can be bounded", () => {
    const cap: NanoUsd = usd("1")
    assert.isUndefined(outputBound(chat(plain), { max_tokens: 5 }, cap, one, "m"))
    assert.isUndefined(outputBound(chat(plain), {}, cap, one, "other"))
    assert.isUndefined(outputBound(rerank.price, {}, cap))
    assert.strictEqual(outputBound(chat(plain), { max_tokens: null }, cap, one, "m"), 4_096)
    const gemini = withModel(generateContent.price, plain)
    for (const own of [{ generationConfig: { maxOutputTokens: 5 } }, { generation_config: { max_output_tokens: 5 } }]) {
      assert.isUndefined(outputBound(gemini, own, cap, one, "m"))
    }
  })

  it("leaves room for the input in the context window", () => {
    const asked = { messages: [{ content: "x".repeat(4_000) }] }
    const model = { ...plain, maxOutput: 100_000, contextWindow: 8_000 }
    const bound = outputBound(chat(model), asked, usd("1"), one, "m") ?? 0
    assert.isBelow(bound, 7_000)
    assert.isAbove(bound, 6_900)
  })

  it("goes into the protocol's first field, or into the object that is there", () => {
    assert.deepStrictEqual(boundField(chat(plain), { generation_config: {} }), ["max_completion_tokens"])
    assert.deepStrictEqual(boundField(messages.price, {}), ["max_tokens"])
    assert.deepStrictEqual(boundField(generateContent.price, {}), ["generationConfig", "maxOutputTokens"])
    const snake = { generation_config: { temperature: 1 } }
    assert.deepStrictEqual(boundField(generateContent.price, snake), ["generation_config", "max_output_tokens"])
    assert.isUndefined(boundField(rerank.price, {}))
  })
})

describe("a fixed price that depends on the request", () => {
  const price: Price = {
    contract: "per_task",
    amount: usd("0.10"),
    times: { field: ["parameters", "duration"], unit: "second", otherwise: 5 },
    variants: [
      { amount: usd("0.05"), where: [{ field: ["parameters", "resolution"], values: ["480P", null] }] },
      { amount: usd("0.30"), where: [{ field: ["parameters", "resolution"], values: ["4K"] }] }
    ]
  }
  const amountOf = (parameters: unknown) => {
    const resolved = resolve(price, { parameters })
    return resolved.contract === "per_task" ? resolved.amount : undefined
  }

  it("is resolved by the first variant that fits, or else costs the most", () => {
    assert.strictEqual(amountOf({ resolution: "480P" }), usd("0.25"))
    assert.strictEqual(amountOf({}), usd("0.25"))
    assert.strictEqual(amountOf({ resolution: null, duration: 2 }), usd("0.10"))
    assert.strictEqual(amountOf({ resolution: "4K", duration: 1 }), usd("0.30"))
    for (const resolution of ["480p", "", 480, ["480P"], {}, true])
      assert.strictEqual(amountOf({ resolution }), usd("1.50"))
  })

  it("stays the same if it is resolved again, and settles with what was estimated", () => {
    fc.assert(
      fc.property(fc.jsonValue(), multipliers, (parameters, multiplier) => {
        const once = resolve(price, { parameters })
        assert.deepStrictEqual(resolve(once, {}), once)
        const { most } = Option.getOrThrow(estimate(price, { parameters }, multiplier))
        const charge = Option.getOrThrow(settle(once, { kind: "task", status: "SUCCEEDED" }, multiplier))
        assert.isTrue(charge.chargedNano <= most && most - charge.chargedNano <= 1n)
      })
    )
  })

  it("is described in words", () => {
    assert.strictEqual(basis(price), "$0.05 – $0.30 / second, by what is asked for, if the task succeeds")
    assert.strictEqual(
      basis(resolve(price, { parameters: { duration: 3 } }), { multiplier: 1_450_000n }),
      "$0.05 / second, for 3 seconds, if the task succeeds, times 1.45 for this account"
    )
    assert.strictEqual(basis({ contract: "per_task", amount: usd("1") }), "$1 / task that succeeds")
    assert.match(
      basis(chat({ ...plain, cacheRead: usd("0.1") }), { multiplier: one, model: "m" }),
      /^\$1 in, \$10 out \/ 1M tokens, with \$0\.10 \/ 1M tokens read from a cache, times 1 for this account; /
    )
  })
})
