import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { generateContent } from "@tollgate/contract/operations/generateContent"
import { messages } from "@tollgate/contract/operations/messages"
import { responses } from "@tollgate/contract/operations/responses"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"
import type { Operation } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import { Models } from "@tollgate/contract/price/contracts/modelSection"
import { type ModelPrice, isByModel } from "@tollgate/contract/price/Price"
import { priceAt } from "@tollgate/contract/price/contracts/modelRates"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { meter, meterStream } from "../../../src/call/steps/13-meter.ts"
import type { Priced } from "../../../src/exchange/Exchange.ts"
import type { PriceBook } from "../../../src/exchange/Prices.ts"
import type { Protocol } from "../../../src/upstream/Protocol.ts"
import { anthropic } from "../../../src/upstream/protocols/anthropic.ts"
import { gemini } from "../../../src/upstream/protocols/gemini.ts"
import { protocolFor } from "../../../src/upstream/Endpoint.ts"
import { openai } from "../../../src/upstream/protocols/openai.ts"
import { exchangeOf } from "../protocols/exchange.ts"

// Each row is a usage report as its provider documents it, and the charge that its price list makes of it, worked out by hand.

const listed: Readonly<Record<string, ModelPrice>> = Schema.decodeUnknownSync(Models)({
  "gpt-6-astra": {
    input: "10",
    output: "50",
    cacheRead: "1",
    cacheWrite: "12.50",
    tiers: { flex: "0.5", priority: "2", ultrafast: "6" },
    longPrompt: { above: 272_000, input: "20", output: "75", cacheRead: "2", cacheWrite: "25" }
  },
  "gpt-6.1-terra": { input: "1", output: "5", cacheRead: "0.05", cacheWrite: "1.25", cacheWriteLong: "2.50" },
  "gpt-6.1-sol": {
    input: "2",
    output: "10",
    cacheRead: "0.10",
    tiers: { fast: "2" },
    tools: { web_search: "0.01", file_search: "0.0025" }
  },
  "gpt-5.5": { input: "5", output: "30", cacheRead: "0.5", tiers: { fast: { input: "12.50", output: "75" } } },
  "gpt-5.6-terra": { input: "2", output: "12", tiers: { flex: "0.5" } },
  "gpt-audio": { input: "2.50", output: "10", audioInput: "32", audioOutput: "64" },
  "gpt-search": { input: "1", output: "1", tools: { web_search: "0.025" } },
  "grok-4.7": { input: "2", output: "6", longPrompt: { above: 199_999, input: "4", output: "12" } },
  "claude-opus-5-5": {
    input: "4",
    output: "20",
    cacheRead: "0.20",
    cacheWrite: "5",
    cacheWriteLong: "8",
    tiers: { batch: "0.5" },
    speeds: { fast: "2" },
    regions: { us: "1.1" },
    tools: { web_search: "0.01" }
  },
  "claude-sonnet-5-5": { input: "2", output: "10", cacheRead: "0.10", cacheWrite: "2.50", cacheWriteLong: "4" },
  "claude-fable-5-1": { input: "10", output: "50", cacheRead: "0.25", cacheWrite: "12.50", cacheWriteLong: "20" },
  "claude-haiku-5-5": {
    input: "0.10",
    output: "0.50",
    cacheRead: "0.01",
    cacheWrite: "0.125",
    longPrompt: { above: 100_000, input: "0.50", output: "2.50", cacheRead: "0.05", cacheWrite: "0.625" }
  },
  "gemini-3.8-flash": {
    input: "0.75",
    output: "3.75",
    cacheRead: "0.075",
    tiers: { flex: "0.5", priority: "1.8" },
    tools: { googleSearch: "0.014" }
  },
  "gemini-3.1-pro-preview": {
    input: "2",
    output: "12",
    cacheRead: "0.20",
    longPrompt: { above: 200_000, input: "4", output: "18", cacheRead: "0.40" }
  },
  "gemini-2.5-flash": { input: "0.30", output: "2.50", audioInput: "1", tools: { googleSearch: { perCall: "0.035" } } },
  "deepseek-flash": { input: "0.30", output: "1.20", cacheRead: "0.006" }
})

const bookOf = (models: Readonly<Record<string, ModelPrice>>): PriceBook => ({
  of: (operation, model) => {
    if (!isByModel(operation.price)) return operation.price
    const found = model === undefined ? undefined : models[model]
    return { ...operation.price, models: model === undefined || found === undefined ? {} : { [model]: found } }
  }
})

const byHand = bookOf(listed)

interface Way {
  readonly operation: Operation
  readonly protocol: Protocol
  readonly whole: (report: Report) => unknown
  readonly events: (report: Report) => ReadonlyArray<unknown>
  readonly end?: string
}

interface Report {
  readonly model: string
  readonly served?: string
  readonly tier?: string
  readonly usage: Readonly<Record<string, unknown>>
  readonly more?: Readonly<Record<string, unknown>>
  readonly first?: Readonly<Record<string, unknown>>
  readonly last?: Readonly<Record<string, unknown>>
}

const head = ({ model, served = model, tier }: Report) => ({
  model: served,
  ...(tier === undefined ? {} : { service_tier: tier })
})

const chat: Way = {
  operation: chatCompletions,
  protocol: openai,
  whole: (report) => ({
    ...head(report),
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage: report.usage,
    ...report.more
  }),
  events: (report) => [
    { ...head(report), choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: null }] },
    { ...head(report), choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { ...head(report), choices: [], usage: report.usage }
  ],
  end: "data: [DONE]\n\n"
}

const response: Way = {
  operation: responses,
  protocol: protocolFor(openai, responses.id),
  whole: (report) => ({
    ...head(report),
    output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }],
    usage: report.usage,
    ...report.more
  }),
  events: (report) => [
    { type: "response.created", response: { model: report.model, output: [] } },
    { type: "response.output_text.delta", delta: "Hi" },
    { type: "response.completed", response: { ...head(report), output: [], usage: report.usage, ...report.more } }
  ]
}

const message: Way = {
  operation: messages,
  protocol: anthropic,
  whole: (report) => ({
    model: report.served ?? report.model,
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    usage: report.usage,
    ...report.more
  }),
  events: (report) => [
    {
      type: "message_start",
      message: {
        model: report.served ?? report.model,
        content: [],
        usage: report.first ?? { ...report.usage, output_tokens: 1 }
      }
    },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: report.last ?? report.usage },
    { type: "message_stop" }
  ]
}

const content: Way = {
  operation: generateContent,
  protocol: gemini,
  whole: (report) => ({
    modelVersion: report.served ?? report.model,
    candidates: [{ index: 0, content: { parts: [{ text: "Hi" }] }, finishReason: "STOP", ...report.more }],
    usageMetadata: report.usage
  }),
  events: (report) => [
    {
      modelVersion: report.served ?? report.model,
      candidates: [{ index: 0, content: { parts: [{ text: "H" }] }, ...report.more }],
      usageMetadata: { ...report.usage, candidatesTokenCount: 1 }
    },
    {
      modelVersion: report.served ?? report.model,
      candidates: [{ index: 0, content: { parts: [{ text: "i" }] }, finishReason: "STOP" }],
      usageMetadata: report.usage
    }
  ]
}

const exchangeFor = (prices: PriceBook, way: Way, { model }: Report, body: object, streamed: boolean): Priced => {
  const operation = streamed && way === content ? streamGenerateContent : way.operation
  const path = (operation.path ?? "").replace("{model}", model)
  const exchange = exchangeOf(
    operation,
    path,
    JSON.stringify({ model, ...body, ...(streamed ? { stream: true } : {}) })
  )
  return { ...exchange, model, price: prices.of(exchange.operation, model) }
}

const type = "application/json"

const wholeCharge = (way: Way, report: Report, body: object, sentModel?: string, prices = byHand) => {
  const exchange = exchangeFor(prices, way, report, body, false)
  const bytes = Utf8.encode(JSON.stringify(way.whole(report)))
  const answer = { status: 200, contentType: type, headers: {}, bytes }
  return meter(prices, exchange, { kind: "whole", answer, protocol: way.protocol, provider: "test", sentModel })
}

const streamedCharge = (way: Way, report: Report, body: object, prices = byHand) => {
  const exchange = exchangeFor(prices, way, report, body, true)
  const streamMeter = way.protocol.streamMeter(exchange)
  const text =
    way
      .events(report)
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join("") + (way.end ?? "")
  // In pieces, so that events are cut anywhere.
  const bytes = Utf8.encode(text)
  for (let i = 0; i < bytes.length; i += 37) streamMeter.push(bytes.subarray(i, i + 37))
  streamMeter.finish()
  const head = { status: 200, contentType: "text/event-stream" }
  const settled = meterStream(prices, exchange, {}, head, streamMeter.report(), "finished")
  return settled === "unknown" ? undefined : settled
}

const nano = (settled: ReturnType<typeof wholeCharge>) => settled && Number(settled.settlement.chargedNano) / 1000

interface Row {
  readonly name: string
  readonly way: Way
  readonly report: Report
  readonly body?: object
  readonly charge: number
  readonly gaps?: ReadonlyArray<string>
  readonly wholeOnly?: true
}

const openaiUsage = (prompt: number, completion: number, inDetails: object = {}, outDetails: object = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: inDetails,
  completion_tokens_details: outDetails
})

const responsesUsage = (input: number, output: number, details: object = {}) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
  input_tokens_details: details,
  output_tokens_details: { reasoning_tokens: 0 }
})

const opus = {
  input_tokens: 100,
  cache_creation_input_tokens: 3_000,
  cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
  cache_read_input_tokens: 10_000,
  output_tokens: 50,
  server_tool_use: null,
  service_tier: "standard"
}

const rows: ReadonlyArray<Row> = [
  {
    name: "chat with reads and writes of a cache, and reasoning",
    way: chat,
    report: {
      model: "gpt-6-astra",
      usage: openaiUsage(10_000, 500, { cached_tokens: 6_000, cache_write_tokens: 3_000 }, { reasoning_tokens: 300 })
    },
    charge: 78_500
  },
  {
    name: "responses with writes that stay for twelve hours",
    way: response,
    report: {
      model: "gpt-6.1-terra",
      usage: responsesUsage(4_000, 100, {
        cached_tokens: 0,
        cache_write_tokens: 3_000,
        cache_write_tokens_details: { ttl_30m_tokens: 0, ttl_12h_tokens: 3_000 }
      })
    },
    charge: 9_000
  },
  {
    name: "fast asked for, priority reported",
    way: chat,
    report: { model: "gpt-6.1-sol", tier: "priority", usage: openaiUsage(1_000, 100) },
    body: { service_tier: "fast" },
    charge: 6_000
  },
  {
    name: "fast asked for and reported",
    way: response,
    report: { model: "gpt-6.1-sol", tier: "fast", usage: responsesUsage(1_000, 100) },
    body: { service_tier: "fast" },
    charge: 6_000
  },
  {
    name: "fast asked for, default served",
    way: chat,
    report: { model: "gpt-6.1-sol", tier: "default", usage: openaiUsage(1_000, 100) },
    body: { service_tier: "fast" },
    charge: 3_000
  },
  {
    name: "nothing asked for, priority served by the project's default",
    way: chat,
    report: { model: "gpt-6.1-sol", tier: "priority", usage: openaiUsage(1_000, 100) },
    charge: 6_000
  },
  {
    name: "ultrafast",
    way: response,
    report: { model: "gpt-6-astra", tier: "ultrafast", usage: responsesUsage(1_000, 100) },
    charge: 90_000
  },
  {
    name: "a tier with rates of its own",
    way: chat,
    report: { model: "gpt-5.5", tier: "priority", usage: openaiUsage(1_000, 100) },
    charge: 20_000
  },
  {
    name: "flex",
    way: chat,
    report: { model: "gpt-5.6-terra", tier: "flex", usage: openaiUsage(1_000, 100) },
    charge: 1_600
  },
  {
    name: "a long prompt with reads of a cache",
    way: chat,
    report: { model: "gpt-6-astra", usage: openaiUsage(300_000, 1_000, { cached_tokens: 200_000 }) },
    charge: 2_475_000
  },
  {
    name: "the edge of a long prompt, included",
    way: chat,
    report: { model: "grok-4.7", usage: openaiUsage(200_000, 100) },
    charge: 801_200
  },
  {
    name: "searches that are reported",
    way: response,
    report: {
      model: "gpt-6.1-sol",
      usage: responsesUsage(5_000, 200),
      more: { tool_usage: { web_search: { num_requests: 2 } } }
    },
    charge: 32_000
  },
  {
    name: "a search model of chat",
    way: chat,
    report: { model: "gpt-search", usage: openaiUsage(1_000, 100) },
    body: { web_search_options: {} },
    charge: 26_100
  },
  {
    name: "audio in and out",
    way: chat,
    report: {
      model: "gpt-audio",
      usage: openaiUsage(1_100, 300, { audio_tokens: 1_000, text_tokens: 100 }, { audio_tokens: 200, text_tokens: 100 })
    },
    charge: 250 + 32_000 + 12_800 + 1_000
  },
  {
    name: "DeepSeek's names for cached tokens",
    way: chat,
    report: {
      model: "deepseek-flash",
      usage: {
        prompt_tokens: 2_000,
        completion_tokens: 100,
        total_tokens: 2_100,
        prompt_cache_hit_tokens: 1_000,
        prompt_cache_miss_tokens: 1_000
      }
    },
    charge: 426
  },
  {
    name: "writes of five minutes and of an hour",
    way: message,
    report: {
      model: "claude-opus-5-5",
      usage: opus,
      first: { ...opus, output_tokens: 1 },
      // What Anthropic sends at the end has no split.
      last: {
        input_tokens: 100,
        cache_creation_input_tokens: 3_000,
        cache_read_input_tokens: 10_000,
        output_tokens: 50
      }
    },
    charge: 24_400
  },
  {
    name: "fast, in the US",
    way: message,
    report: {
      model: "claude-opus-5-5",
      usage: { input_tokens: 1_000, output_tokens: 100, speed: "fast", inference_geo: "us" },
      last: { output_tokens: 100 }
    },
    charge: 13_200
  },
  {
    name: "a batch",
    way: message,
    report: {
      model: "claude-opus-5-5",
      usage: {
        input_tokens: 0,
        cache_creation_input_tokens: 1_000,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1_000 },
        output_tokens: 100,
        service_tier: "batch"
      }
    },
    charge: 5_000
  },
  {
    name: "a compaction",
    way: message,
    report: {
      model: "claude-sonnet-5-5",
      usage: {
        input_tokens: 23_000,
        output_tokens: 1_000,
        iterations: [
          { type: "compaction", input_tokens: 180_000, output_tokens: 3_500 },
          { type: "message", model: "claude-sonnet-5-5", input_tokens: 23_000, output_tokens: 1_000 }
        ]
      }
    },
    charge: 451_000
  },
  {
    name: "an adviser, at its own model's price",
    way: message,
    report: {
      model: "claude-sonnet-5-5",
      usage: {
        input_tokens: 1_000,
        output_tokens: 100,
        iterations: [
          { type: "message", model: "claude-sonnet-5-5", input_tokens: 1_000, output_tokens: 100 },
          { type: "advisor_message", model: "claude-opus-5-5-20260901", input_tokens: 2_000, output_tokens: 300 }
        ]
      }
    },
    charge: 3_000 + 14_000
  },
  {
    name: "an attempt that was declined, and the fallback that answered",
    way: message,
    report: {
      model: "claude-fable-5-1",
      served: "claude-opus-5-5",
      usage: {
        input_tokens: 1_000,
        output_tokens: 200,
        iterations: [
          { type: "message", model: "claude-fable-5-1", input_tokens: 1_000, output_tokens: 1 },
          { type: "fallback_message", model: "claude-opus-5-5", input_tokens: 1_000, output_tokens: 200 }
        ]
      }
    },
    charge: 8_000
  },
  {
    name: "a search",
    way: message,
    report: {
      model: "claude-opus-5-5",
      usage: {
        input_tokens: 1_000,
        output_tokens: 100,
        server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 }
      }
    },
    charge: 36_000
  },
  {
    name: "a long prompt made of reads",
    way: message,
    report: {
      model: "claude-haiku-5-5",
      usage: { input_tokens: 1_000, cache_read_input_tokens: 100_000, output_tokens: 100 }
    },
    charge: 5_750
  },
  {
    name: "thoughts, cached tokens and searches",
    way: content,
    report: {
      model: "gemini-3.8-flash",
      usage: {
        promptTokenCount: 2_000,
        cachedContentTokenCount: 500,
        candidatesTokenCount: 100,
        thoughtsTokenCount: 400,
        totalTokenCount: 2_500
      },
      more: { groundingMetadata: { webSearchQueries: ["a", "", "b", "a"] } }
    },
    charge: 31_037.5
  },
  {
    name: "priority, by the kind of traffic",
    way: content,
    report: {
      model: "gemini-3.8-flash",
      usage: { promptTokenCount: 1_000, candidatesTokenCount: 100, trafficType: "ON_DEMAND_PRIORITY" }
    },
    charge: 2_025
  },
  {
    name: "audio by modality",
    way: content,
    report: {
      model: "gemini-2.5-flash",
      usage: {
        promptTokenCount: 1_100,
        promptTokensDetails: [
          { modality: "TEXT", tokenCount: 100 },
          { modality: "AUDIO", tokenCount: 1_000 }
        ],
        candidatesTokenCount: 50
      }
    },
    charge: 1_155
  },
  {
    name: "searches that are due once for the call",
    way: content,
    report: {
      model: "gemini-2.5-flash",
      usage: { promptTokenCount: 1_000, candidatesTokenCount: 100 },
      more: { groundingMetadata: { webSearchQueries: ["a", "b"] } }
    },
    charge: 300 + 250 + 35_000
  },
  {
    name: "the edge of a long prompt, not included",
    way: content,
    report: { model: "gemini-3.1-pro-preview", usage: { promptTokenCount: 200_000, candidatesTokenCount: 100 } },
    charge: 401_200
  },
  {
    name: "a dated name of the model that was asked for",
    way: chat,
    report: { model: "gpt-5.6-terra", served: "gpt-5.6-terra-2026-09-01", usage: openaiUsage(1_000, 100) },
    charge: 3_200
  },
  {
    name: "another model that the list has",
    way: chat,
    report: { model: "gpt-5.6-terra", served: "gpt-6-astra-2026-09-01", usage: openaiUsage(1_000, 100) },
    charge: 15_000
  },
  {
    name: "another model that the list does not have",
    way: chat,
    report: { model: "gpt-5.6-terra", served: "gpt-7", usage: openaiUsage(1_000, 100) },
    charge: 3_200,
    gaps: ["models.gpt-7"]
  },
  {
    name: "reasoning beside the completion, as the total tells",
    way: chat,
    report: {
      model: "gpt-5.6-terra",
      usage: { ...openaiUsage(1_000, 10, {}, { reasoning_tokens: 90 }), total_tokens: 1_100 }
    },
    charge: 3_200
  },
  {
    name: "a total above its parts",
    way: chat,
    report: { model: "gpt-5.6-terra", usage: { ...openaiUsage(1_000, 100), total_tokens: 5_000 } },
    charge: 3_200,
    gaps: ["usage.total_tokens above its parts"]
  },
  {
    name: "a tier that nobody knows",
    way: chat,
    report: { model: "gpt-5.6-terra", tier: "turbo", usage: openaiUsage(1_000, 100) },
    charge: 3_200,
    gaps: ["tiers.turbo"]
  },
  {
    name: "a field that nobody knows",
    way: response,
    report: { model: "gpt-5.6-terra", usage: { ...responsesUsage(1_000, 100), dream_tokens: 7 } },
    charge: 3_200,
    gaps: ["usage.dream_tokens"]
  },
  {
    name: "a tool that has no price",
    way: message,
    report: {
      model: "claude-sonnet-5-5",
      usage: { input_tokens: 1_000, output_tokens: 100, server_tool_use: { web_search_requests: 3 } }
    },
    charge: 3_000,
    gaps: ["tools.web_search"]
  },
  {
    name: "details above their total",
    way: chat,
    report: { model: "gpt-audio", usage: openaiUsage(100, 10, { audio_tokens: 1_000 }) },
    charge: 3_200 + 100,
    gaps: ["audioInput above input"]
  },
  {
    name: "details that are no counts",
    way: chat,
    report: {
      model: "gpt-audio",
      usage: openaiUsage(100, 10, { audio_tokens: -5, image_tokens: 1.5 }, { audio_tokens: 1e18 })
    },
    charge: 250 + 100,
    gaps: [
      "usage.prompt_tokens_details.audio_tokens",
      "usage.prompt_tokens_details.image_tokens",
      "usage.completion_tokens_details.audio_tokens"
    ]
  }
]

/** A message that the model declined before any output. */
const declined: Way = {
  ...message,
  whole: (each) => ({ ...(message.whole(each) as object), content: [], stop_reason: "refusal" }),
  events: (each) => [
    message.events(each)[0],
    { type: "message_delta", delta: { stop_reason: "refusal" }, usage: each.usage },
    { type: "message_stop" }
  ]
}

describe("a charge equals the provider's", () => {
  it.each(rows)("$name, whole", ({ body = {}, charge, gaps, report, way }) => {
    const settled = wholeCharge(way, report, body)
    expect([nano(settled), settled?.gaps]).toEqual([charge, gaps])
    expect(settled?.costState).toBe("settled")
  })

  it.each(rows.filter(({ wholeOnly }) => wholeOnly !== true))(
    "$name, streamed",
    ({ body = {}, charge, gaps, report, way }) => {
      const settled = streamedCharge(way, report, body)
      expect([nano(settled), settled?.gaps]).toEqual([charge, gaps])
      expect(settled?.costState).toBe("settled")
    }
  )

  it("keeps tier and searches of a stream that is left before its report", () => {
    const left = (way: Way, report: Report, body: object, events: ReadonlyArray<unknown>) => {
      const exchange = exchangeFor(byHand, way, report, body, true)
      const streamMeter = way.protocol.streamMeter(exchange)
      for (const event of events) streamMeter.push(Utf8.encode(`data: ${JSON.stringify(event)}\n\n`))
      const head = { status: 200, contentType: "text/event-stream" }
      const settled = meterStream(byHand, exchange, {}, head, streamMeter.report(), "left")
      return settled === "unknown" ? undefined : settled
    }
    const text = "word ".repeat(800)
    const chatEvents = (tier: string) => [
      {
        model: "gpt-6-astra",
        service_tier: tier,
        choices: [{ index: 0, delta: { content: text }, finish_reason: null }]
      }
    ]
    const astra: Report = { model: "gpt-6-astra", usage: {} }
    const usual = nano(left(chat, astra, {}, chatEvents("default"))) ?? 0
    expect(nano(left(chat, astra, {}, chatEvents("ultrafast")))).toBe(usual * 6)
    const search: Report = { model: "gpt-search", usage: {} }
    const searched = [{ choices: [{ index: 0, delta: { content: "x" }, finish_reason: null }] }]
    expect(nano(left(chat, search, { web_search_options: {} }, searched))).toBeGreaterThan(25_000)
    const sol: Report = { model: "gpt-6.1-sol", usage: {} }
    const responseEvents = [
      { type: "response.created", response: { model: "gpt-6.1-sol", service_tier: "fast", output: [] } },
      { type: "response.output_item.done", item: { type: "web_search_call", action: { type: "search" } } },
      { type: "response.output_text.delta", delta: text }
    ]
    const tools = { tools: [{ type: "web_search" }] }
    expect(nano(left(response, sol, tools, responseEvents))).toBeGreaterThan(10_000 + 1_000 * 20)
  })

  it("is nothing for a request that was refused before any output", () => {
    const report: Report = { model: "claude-fable-5-1", usage: { input_tokens: 1_000, output_tokens: 1 } }
    expect([nano(wholeCharge(declined, report, {})), nano(streamedCharge(declined, report, {}))]).toEqual([0, 0])
  })

  it("is that of the name that the operator sells a model under", () => {
    const report: Report = { model: "gpt-5.6-terra", served: "gpt-6-astra", usage: openaiUsage(1_000, 100) }
    expect(nano(wholeCharge(chat, report, {}, "gpt-6-astra"))).toBe(3_200)
  })
})

// The list that comes with the program, on its way to the meter: what is written of a model is its entry of the configuration.

interface Listed {
  readonly models: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly model: string }>
}

const list = JSON.parse(
  readFileSync(new URL("../../../../../apps/gateway/prices.json", import.meta.url), "utf8")
) as Listed

const aboutEntry = new Set(["provider", "model", "makes", "day", "source", "also", "note"])

const inList = Schema.decodeUnknownSync(Models)(
  Object.fromEntries(
    list.models.map((entry) => [
      entry.model,
      Object.fromEntries(Object.entries(entry).filter(([name]) => !aboutEntry.has(name)))
    ])
  )
)

const listAt = (time: string): PriceBook =>
  bookOf(
    Object.fromEntries(Object.entries(inList).map(([name, price]) => [name, priceAt(price, Date.parse(time))] as const))
  )

/** A Tuesday. */
const noon = "2026-11-17T12:00:00Z"

interface Vector extends Row {
  readonly time?: string
}

const deepseek: Report = {
  model: "deepseek-flash",
  usage: {
    prompt_tokens: 2_000,
    completion_tokens: 100,
    total_tokens: 2_100,
    prompt_cache_hit_tokens: 1_000,
    prompt_cache_miss_tokens: 1_000
  }
}

const plainGemini = (model: string): Report => ({
  model,
  usage: { promptTokenCount: 1_000, candidatesTokenCount: 100, totalTokenCount: 1_100 }
})

/** The rows above that are vectors, by their names: the list must not be worth less than what was written by hand. */
const shared = [
  "chat with reads and writes of a cache, and reasoning",
  "responses with writes that stay for twelve hours",
  "fast asked for, priority reported",
  "fast asked for and reported",
  "fast asked for, default served",
  "ultrafast",
  "a tier with rates of its own",
  "flex",
  "a long prompt with reads of a cache",
  "the edge of a long prompt, included",
  "the edge of a long prompt, not included",
  "searches that are reported",
  "writes of five minutes and of an hour",
  "fast, in the US",
  "a batch",
  "a compaction",
  "a long prompt made of reads",
  "an attempt that was declined, and the fallback that answered",
  "thoughts, cached tokens and searches",
  "audio in and out",
  "audio by modality",
  "priority, by the kind of traffic"
]

const vectors: ReadonlyArray<Vector> = [
  ...shared.map((name) => {
    const row = rows.find((each) => each.name === name)
    if (row === undefined) throw new Error(`no row: ${name}`)
    return row
  }),
  {
    name: "a request that was declined",
    way: declined,
    report: { model: "claude-fable-5-1", usage: { input_tokens: 1_000, output_tokens: 1 } },
    charge: 0
  },
  {
    name: "an image, whose usage has the shape of a response's",
    way: response,
    report: {
      model: "gpt-image-2.6",
      usage: {
        input_tokens: 1_050,
        output_tokens: 4_000,
        total_tokens: 5_050,
        input_tokens_details: { text_tokens: 50, image_tokens: 1_000 },
        output_tokens_details: { image_tokens: 4_000, text_tokens: 0 }
      }
    },
    charge: 128_250
  },
  { name: "DeepSeek at peak", way: chat, report: deepseek, charge: 426, time: "2026-11-17T01:00:00Z" },
  { name: "DeepSeek between its peaks", way: chat, report: deepseek, charge: 213, time: "2026-11-17T04:00:00Z" },
  { name: "DeepSeek at its second peak", way: chat, report: deepseek, charge: 426, time: "2026-11-17T09:59:59Z" },
  { name: "DeepSeek after it", way: chat, report: deepseek, charge: 213, time: "2026-11-17T10:00:00Z" },
  { name: "DeepSeek on a Saturday", way: chat, report: deepseek, charge: 213, time: "2026-11-21T02:00:00Z" },
  {
    name: "Argon before its price doubles",
    way: content,
    report: plainGemini("gemini-4-argon"),
    charge: 3_000,
    time: "2026-11-30T23:59:59Z"
  },
  {
    name: "Argon after that",
    way: content,
    report: plainGemini("gemini-4-argon"),
    charge: 6_000,
    time: "2026-12-01T00:00:00Z"
  },
  {
    name: "Flash after its price doubled",
    way: content,
    report: plainGemini("gemini-3.8-flash"),
    charge: 2_250,
    time: "2027-01-01T00:00:00Z"
  },
  {
    name: "audio that costs what text does",
    way: content,
    report: {
      model: "gemini-3.8-flash",
      usage: {
        promptTokenCount: 1_000,
        promptTokensDetails: [{ modality: "AUDIO", tokenCount: 1_000 }],
        candidatesTokenCount: 100
      }
    },
    charge: 1_125
  }
]

describe("a charge by the list that comes with the program equals the provider's", () => {
  it.each(vectors)("$name", ({ body = {}, charge, report, time = noon, way }) => {
    const prices = listAt(time)
    const whole = wholeCharge(way, report, body, undefined, prices)
    const streamed = streamedCharge(way, report, body, prices)
    expect([nano(whole), nano(streamed)]).toEqual([charge, charge])
    expect([whole?.gaps, streamed?.gaps]).toEqual([undefined, undefined])
  })
})
