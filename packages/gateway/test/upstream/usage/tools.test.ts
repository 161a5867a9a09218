import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { generateContent } from "@tollgate/contract/operations/generateContent"
import { messages } from "@tollgate/contract/operations/messages"
import { responses } from "@tollgate/contract/operations/responses"
import type { Operation } from "@tollgate/contract/Operation"
import { usd } from "@tollgate/contract/Money"
import { isByModel, type ModelPrice } from "@tollgate/contract/price/Price"
import * as Utf8 from "@tollgate/contract/Utf8"
import { describe, expect, it } from "vitest"
import { meter, meterStream } from "../../../src/call/steps/13-meter.ts"
import type { PriceBook } from "../../../src/exchange/Prices.ts"
import { protocolFor } from "../../../src/upstream/Endpoint.ts"
import type { Protocol } from "../../../src/upstream/Protocol.ts"
import { anthropic } from "../../../src/upstream/protocols/anthropic.ts"
import { gemini } from "../../../src/upstream/protocols/gemini.ts"
import { openai } from "../../../src/upstream/protocols/openai.ts"
import { exchangeOf } from "../protocols/exchange.ts"

/** Tokens cost a micro-USD, so that the rest of a charge is that of tools. */
const model: ModelPrice = {
  input: usd("1"),
  output: usd("1"),
  cacheRead: usd("1"),
  cacheWrite: usd("1"),
  tools: {
    web_search: { amount: usd("0.01") },
    web_search_preview: { amount: usd("0.025") },
    code_execution: { amount: usd("0.05") },
    googleSearch: { amount: usd("0.014") },
    googleMaps: { amount: usd("0.02") }
  },
  regions: { us: 2_000_000n },
  speeds: { fast: 3_000_000n }
}

const prices: PriceBook = {
  of: (operation) => (isByModel(operation.price) ? { ...operation.price, models: { m: model } } : operation.price)
}

const exchangeFor = (operation: Operation, body: object) => {
  const exchange = exchangeOf(operation, (operation.path ?? "").replace("{model}", "m"), JSON.stringify(body))
  return { ...exchange, model: "m", price: prices.of(exchange.operation, "m") }
}

const whole = (operation: Operation, protocol: Protocol, answer: unknown, body: object = {}) => {
  const bytes = Utf8.encode(JSON.stringify(answer))
  const settled = meter(prices, exchangeFor(operation, { model: "m", ...body }), {
    kind: "whole",
    answer: { status: 200, contentType: "application/json", headers: {}, bytes },
    protocol: protocolFor(protocol, operation.id),
    provider: "test"
  })
  return { charged: Number(settled?.settlement.charged), gaps: settled?.gaps, state: settled?.costState }
}

const streamed = (operation: Operation, protocol: Protocol, events: ReadonlyArray<unknown>, body: object = {}) => {
  const exchange = exchangeFor(operation, { model: "m", stream: true, ...body })
  const streamMeter = protocolFor(protocol, operation.id).streamMeter(exchange)
  for (const event of events) {
    streamMeter.push(Utf8.encode(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`))
  }
  streamMeter.finish()
  const head = { status: 200, contentType: "text/event-stream" }
  const settled = meterStream(prices, exchange, {}, head, streamMeter.report(), "finished")
  if (settled === "unknown") throw new Error("unknown")
  return { charged: Number(settled?.settlement.charged), gaps: settled?.gaps, state: settled?.costState }
}

describe("maps of Gemini", () => {
  const candidate = {
    content: { parts: [{ text: "Hi" }] },
    finishReason: "STOP",
    groundingMetadata: {
      webSearchQueries: ["a"],
      groundingChunks: [{ web: { uri: "u" } }, { maps: { placeId: "p" } }, { maps: { placeId: "q" } }]
    }
  }
  const answer = { candidates: [candidate], usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 } }

  it("count once for a prompt, whole and streamed", () => {
    expect(whole(generateContent, gemini, answer).charged).toBe(15 + 14_000 + 20_000)
    expect(streamed(generateContent, gemini, [answer]).charged).toBe(15 + 14_000 + 20_000)
  })

  it("are not used if no place was found", () => {
    for (const groundingChunks of [[], [{ web: {} }], [{ maps: null }], "maps", [{ maps: "x" }]]) {
      const without = { ...answer, candidates: [{ ...candidate, groundingMetadata: { groundingChunks } }] }
      expect(whole(generateContent, gemini, without).charged).toBe(15)
      expect(streamed(generateContent, gemini, [without]).charged).toBe(15)
    }
  })
})

describe("tools of Anthropic that the usage does not count", () => {
  const usage = { input_tokens: 10, output_tokens: 5, server_tool_use: { web_search_requests: 1 } }
  const uses = ["web_search", "bash_code_execution", "text_editor_code_execution"].map((name) => ({
    type: "server_tool_use",
    name
  }))
  const events = (blocks: ReadonlyArray<object>, stop: string, text: string) => [
    { type: "message_start", message: { model: "m", usage: { input_tokens: 10, output_tokens: 1 } } },
    ...blocks.map((content_block, index) => ({ type: "content_block_start", index, content_block })),
    ...(text === "" ? [] : [{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }]),
    { type: "message_delta", delta: { stop_reason: stop }, usage },
    { type: "message_stop" }
  ]

  it("are counted by their blocks, whole and streamed", () => {
    const answer = { model: "m", content: [...uses, { type: "text", text: "Hi" }], stop_reason: "end_turn", usage }
    expect(whole(messages, anthropic, answer).charged).toBe(15 + 10_000 + 100_000)
    expect(streamed(messages, anthropic, events(uses, "end_turn", "Hi")).charged).toBe(15 + 10_000 + 100_000)
  })

  it("a refusal after thinking that is not shown is billed, and one before any output is not", () => {
    const redacted = [{ type: "redacted_thinking", data: "…" }]
    const answer = { model: "m", content: redacted, stop_reason: "refusal", usage }
    expect(whole(messages, anthropic, answer).charged).toBe(15 + 10_000)
    expect(streamed(messages, anthropic, events(redacted, "refusal", "")).charged).toBe(15 + 10_000)
    expect(streamed(messages, anthropic, events([], "refusal", "")).charged).toBe(0)
    expect(streamed(messages, anthropic, events([{ type: "text", text: "" }], "refusal", "")).charged).toBe(0)
  })

  it("speed and region are known in any case", () => {
    const served = { ...usage, server_tool_use: null, speed: "Fast", inference_geo: "US" }
    const answer = { model: "m", content: [{ type: "text", text: "Hi" }], usage: served }
    expect(whole(messages, anthropic, answer)).toEqual({ charged: 15 * 6, gaps: undefined, state: "settled" })
  })
})

describe("a preview of OpenAI's search", () => {
  const item = { type: "web_search_call", action: { type: "search" } }
  const response = { model: "m", output: [item], usage: { input_tokens: 10, output_tokens: 5 } }
  const events = [
    { type: "response.created", response: { id: "r" } },
    { type: "response.output_item.done", item },
    { type: "response.completed", response }
  ]

  it.each([
    [["web_search_preview"], 25_000],
    [["web_search_preview_2025_03_11"], 25_000],
    [["web_search"], 10_000],
    [["web_search", "web_search_preview"], 10_000]
  ])("%j has its own rate", (types, search) => {
    const body = { input: "Hi", tools: types.map((type) => ({ type })) }
    expect(whole(responses, openai, response, body).charged).toBe(15 + search)
    expect(streamed(responses, openai, events, body).charged).toBe(15 + search)
    const reported = { ...response, tool_usage: { web_search: { num_requests: 2 } } }
    expect(whole(responses, openai, reported, body).charged).toBe(15 + search * 2)
  })
})

describe("a count that is impossible", () => {
  it.each([
    [
      chatCompletions,
      openai,
      (bad: unknown) => ({ choices: [{ message: { content: "Hi" } }], usage: { prompt_tokens: bad } }),
      (bad: unknown) => [
        { choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] },
        { choices: [], usage: { prompt_tokens: bad, completion_tokens: 1 } },
        "[DONE]"
      ],
      "usage.prompt_tokens"
    ],
    [
      responses,
      openai,
      (bad: unknown) => ({ output: [{ type: "message", content: [] }], usage: { output_tokens: bad } }),
      (bad: unknown) => [
        { type: "response.output_text.delta", delta: "Hi" },
        { type: "response.completed", response: { output: [], usage: { output_tokens: bad } } }
      ],
      "usage.output_tokens"
    ],
    [
      messages,
      anthropic,
      (bad: unknown) => ({ content: [{ type: "text", text: "Hi" }], usage: { input_tokens: bad } }),
      (bad: unknown) => [
        { type: "message_start", message: { usage: { input_tokens: bad } } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
        { type: "message_stop" }
      ],
      "usage.input_tokens"
    ],
    [
      generateContent,
      gemini,
      (bad: unknown) => ({
        candidates: [{ content: { parts: [{ text: "Hi" }] } }],
        usageMetadata: { promptTokenCount: bad }
      }),
      (bad: unknown) => [
        {
          candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
          usageMetadata: { promptTokenCount: bad }
        }
      ],
      "usageMetadata.promptTokenCount"
    ]
  ] as const)("$id is a gap, and its call is estimated", (operation, protocol, answer, events, gap) => {
    for (const bad of [-1, 1.5, "7", 1e300, {}, true]) {
      const by = JSON.stringify(bad)
      expect(whole(operation, protocol, answer(bad)), by).toMatchObject({ gaps: [gap], state: "estimated" })
      expect(streamed(operation, protocol, events(bad)), by).toMatchObject({ gaps: [gap], state: "estimated" })
    }
    for (const missing of [null, undefined]) {
      expect(whole(operation, protocol, answer(missing))).toMatchObject({ gaps: undefined, state: "estimated" })
    }
  })
})
