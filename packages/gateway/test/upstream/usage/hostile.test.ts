import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { generateContent } from "@tollgate/contract/operations/generateContent"
import { messages } from "@tollgate/contract/operations/messages"
import { responses } from "@tollgate/contract/operations/responses"
import { usd } from "@tollgate/contract/Money"
import { isByModel, type ModelPrice } from "@tollgate/contract/price/Price"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { meter } from "../../../src/call/steps/13-meter.ts"
import type { PriceBook } from "../../../src/exchange/Prices.ts"
import { anthropic } from "../../../src/upstream/protocols/anthropic.ts"
import { gemini } from "../../../src/upstream/protocols/gemini.ts"
import { protocolFor } from "../../../src/upstream/Endpoint.ts"
import { openai } from "../../../src/upstream/protocols/openai.ts"
import { exchangeOf } from "../protocols/exchange.ts"

const model: ModelPrice = {
  input: usd("2"),
  output: usd("10"),
  cacheRead: usd("0.2"),
  cacheWrite: usd("2.5"),
  cacheWriteLong: usd("4"),
  audioInput: usd("1"),
  audioOutput: usd("64"),
  tiers: { flex: 500_000n, fast: 2_000_000n },
  tools: { web_search: { amount: usd("0.01") }, googleSearch: { amount: usd("0.014"), perCall: true } },
  longPrompt: { above: 1_000, input: usd("4"), output: usd("15"), cacheRead: usd("0.4"), cacheWrite: usd("5") }
}

const prices: PriceBook = {
  of: (operation, name) =>
    isByModel(operation.price)
      ? { ...operation.price, models: name === undefined ? {} : { [name]: model } }
      : operation.price
}

const ways = [
  {
    operation: chatCompletions,
    protocol: openai,
    path: "/v1/chat/completions",
    answer: (usage: unknown) => ({ model: "m", choices: [{ message: { content: "Hi" } }], usage })
  },
  {
    operation: responses,
    protocol: protocolFor(openai, responses.id),
    path: "/v1/responses",
    answer: (usage: unknown, more: object = {}) => ({
      model: "m",
      output: [{ type: "message", content: [] }],
      usage,
      ...more
    })
  },
  {
    operation: messages,
    protocol: anthropic,
    path: "/v1/messages",
    answer: (usage: unknown) => ({ model: "m", content: [{ type: "text", text: "Hi" }], usage })
  },
  {
    operation: generateContent,
    protocol: gemini,
    path: (generateContent.path ?? "").replace("{model}", "m"),
    answer: (usage: unknown) => ({
      modelVersion: "m",
      candidates: [{ content: { parts: [{ text: "Hi" }] } }],
      usageMetadata: usage
    })
  }
] as const

type Way = (typeof ways)[number]

const settled = (way: Way, usage: unknown) => {
  const exchange = exchangeOf(way.operation, way.path, JSON.stringify({ model: "m" }))
  const bytes = Utf8.encode(JSON.stringify(way.answer(usage)))
  const answer = { status: 200, contentType: "application/json", headers: {}, bytes }
  return meter(
    prices,
    { ...exchange, price: prices.of(exchange.operation, "m") },
    { kind: "whole", answer, protocol: way.protocol, provider: "test" }
  )
}

/** Names that providers use, with whatever an upstream may put there. */
const fields = [
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "input_tokens",
  "output_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "audio_tokens",
  "image_tokens",
  "prompt_tokens_details",
  "completion_tokens_details",
  "input_tokens_details",
  "cache_creation",
  "ephemeral_1h_input_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "iterations",
  "type",
  "model",
  "service_tier",
  "speed",
  "inference_geo",
  "server_tool_use",
  "web_search_requests",
  "promptTokenCount",
  "candidatesTokenCount",
  "thoughtsTokenCount",
  "promptTokensDetails",
  "modality",
  "tokenCount",
  "trafficType",
  "new_tokens",
  "__proto__"
]

const value = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -5, max: 5_000 }) },
  fc.double(),
  fc.constantFrom(
    1e18,
    -1,
    0.5,
    "7",
    "fast",
    "message",
    "compaction",
    "fallback_message",
    "advisor_message",
    "AUDIO",
    null,
    true,
    []
  ),
  fc.string()
)

const { report } = fc.letrec<{ report: unknown; node: unknown }>((tie) => ({
  report: fc.dictionary(fc.constantFrom(...fields), tie("node"), { maxKeys: 12 }),
  node: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { weight: 6, arbitrary: value },
    tie("report"),
    fc.array(tie("report"), { maxLength: 4 })
  )
}))

const any = (names: ReadonlyArray<string>) => fc.record(Object.fromEntries(names.map((name) => [name, value])))

const run = any(["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"])

/** Reports of the right form, with any values in it. */
const formed: ReadonlyArray<fc.Arbitrary<unknown>> = [
  fc.record({
    prompt_tokens: value,
    completion_tokens: value,
    prompt_tokens_details: any(["cached_tokens", "cache_write_tokens", "audio_tokens", "image_tokens"]),
    completion_tokens_details: any(["reasoning_tokens", "audio_tokens", "image_tokens"])
  }),
  fc.record({
    input_tokens: value,
    output_tokens: value,
    input_tokens_details: any(["cached_tokens", "cache_write_tokens", "audio_tokens"]),
    output_tokens_details: any(["reasoning_tokens", "audio_tokens"])
  }),
  fc
    .tuple(
      run,
      any(["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"]),
      any(["web_search_requests", "new_requests"]),
      fc.array(fc.tuple(run, any(["type", "model"])), { maxLength: 4 })
    )
    .map(([usage, cache_creation, server_tool_use, iterations]) => ({
      ...usage,
      cache_creation,
      server_tool_use,
      iterations: iterations.map(([used, named]) => ({ ...used, ...named }))
    })),
  fc
    .tuple(
      any(["promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount", "thoughtsTokenCount"]),
      fc.array(fc.record({ modality: fc.constantFrom("TEXT", "AUDIO", "SMELL"), tokenCount: value }), { maxLength: 3 })
    )
    .map(([usage, promptTokensDetails]) => ({ ...usage, promptTokensDetails }))
]

describe("whatever an upstream reports", () => {
  it.each(ways)("$path: is no crash, and no negative or endless charge", (way) => {
    fc.assert(
      fc.property(fc.oneof(report, formed[ways.indexOf(way)] ?? report), (usage) => {
        const found = settled(way, usage)
        if (found === undefined) return
        expect(found.settlement.charged >= 0n).toBe(true)
        expect(found.settlement.chargedNano >= 0n).toBe(true)
        expect((found.gaps ?? []).length).toBeLessThanOrEqual(16)
        for (const gap of found.gaps ?? []) expect(gap.length).toBeLessThanOrEqual(120)
        for (const count of Object.values(found.usage)) expect(Number.isSafeInteger(count) && count >= 0).toBe(true)
      }),
      { numRuns: 1_000 }
    )
  })
})

const counts = fc.record({
  input: fc.nat({ max: 3_000 }),
  output: fc.nat({ max: 3_000 }),
  cacheRead: fc.nat({ max: 2_000 })
})

describe("the same usage", () => {
  it("costs the same in every format", () => {
    fc.assert(
      fc.property(counts, ({ cacheRead, input, output }) => {
        const usages = [
          {
            prompt_tokens: input + cacheRead,
            completion_tokens: output,
            prompt_tokens_details: { cached_tokens: cacheRead }
          },
          {
            input_tokens: input + cacheRead,
            output_tokens: output,
            input_tokens_details: { cached_tokens: cacheRead }
          },
          { input_tokens: input, output_tokens: output, cache_read_input_tokens: cacheRead },
          {
            promptTokenCount: input + cacheRead,
            candidatesTokenCount: output,
            cachedContentTokenCount: cacheRead
          }
        ]
        const charges = ways.map((way, i) => settled(way, usages[i])?.settlement.chargedNano)
        expect(new Set(charges).size).toBe(1)
      })
    )
  })
})
