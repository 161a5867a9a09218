import { describe, expect, it } from "vitest"
import { usd } from "../src/Money.ts"
import { chatCompletions } from "../src/operations/chatCompletions.ts"
import { generateContent } from "../src/operations/generateContent.ts"
import { messages } from "../src/operations/messages.ts"
import { responses } from "../src/operations/responses.ts"
import type { Operation } from "../src/Operation.ts"
import { contractOf, estimate } from "../src/price/contracts.ts"
import { isByModel, type ModelPrice, type Price } from "../src/price/Price.ts"
import * as Option from "effect/Option"

const plain: ModelPrice = {
  input: usd("1"),
  output: usd("10"),
  cacheRead: usd("1"),
  cacheWrite: usd("1"),
  maxOutput: 100
}

const rich: ModelPrice = {
  ...plain,
  tiers: { flex: 500_000n, fast: 2_000_000n },
  speeds: { fast: 6_000_000n },
  regions: { us: 1_100_000n },
  tools: { web_search: { amount: usd("0.01") } },
  audioOutput: usd("64"),
  cacheWriteLong: usd("2")
}

const priceOf = ({ price }: Operation, models: Readonly<Record<string, ModelPrice>>): Price => {
  if (!isByModel(price)) throw new Error("not by model")
  return { ...price, models }
}

const missing = (operation: Operation, body: object, model: ModelPrice = plain) => {
  const price = priceOf(operation, { m: model })
  const contract = contractOf(price)
  const asked = contract.asked?.(price, { model: "m", ...body }) ?? {}
  return contract.unpriced?.(price, asked, "m").map(({ add, at }) => `${at.join(".")}: ${add}`)
}

const most = (operation: Operation, body: object, model: ModelPrice = rich) =>
  Option.getOrThrow(estimate(priceOf(operation, { m: model, other: plain }), { model: "m", ...body }, undefined, "m"))
    .most

describe("what a request asks for without a price", () => {
  it.each<[string, Operation, object, string]>([
    ["a tier", chatCompletions, { service_tier: "flex" }, "service_tier: tiers.flex"],
    ["a tier of tomorrow", responses, { service_tier: "warp" }, "service_tier: tiers.warp"],
    ["a speed", messages, { speed: "fast" }, "speed: speeds.fast"],
    ["a region", messages, { inference_geo: "us" }, "inference_geo: regions.us"],
    ["a search of chat", chatCompletions, { web_search_options: {} }, "web_search_options: tools.web_search"],
    ["audio", chatCompletions, { modalities: ["text", "audio"] }, "modalities: audioOutput"],
    [
      "images",
      generateContent,
      { generationConfig: { responseModalities: ["IMAGE"] } },
      "generationConfig.responseModalities: imageOutput"
    ],
    [
      "a tool after the caller's own",
      responses,
      { tools: [{ type: "function", name: "f" }, { type: "web_search_2025_08_26" }] },
      "tools.1: tools.web_search"
    ],
    ["an MCP server", responses, { tools: [{ type: "mcp", server_url: "https://example.com" }] }, "tools.0: tools.mcp"],
    ["a tool without a type", responses, { tools: [{}] }, "tools.0: tools.unknown"],
    ["no object", responses, { tools: ["web_search"] }, "tools.0: tools.unknown"],
    [
      "one in a namespace",
      responses,
      { tools: [{ type: "namespace", tools: [{ type: "mcp" }] }] },
      "tools.0.tools.0: tools.mcp"
    ],
    [
      "one in the input",
      responses,
      { input: ["x", { type: "additional_tools", tools: [{ type: "mcp" }] }] },
      "input.1.tools.0: tools.mcp"
    ],
    [
      "a search of messages",
      messages,
      { tools: [{ name: "f" }, { type: "web_search_20260318", name: "web_search" }] },
      "tools.1: tools.web_search"
    ],
    [
      "code that the upstream runs",
      messages,
      { tools: [{ type: "code_execution_20260521" }] },
      "tools.0: tools.code_execution"
    ],
    [
      "a search of Gemini",
      generateContent,
      { tools: [{ googleSearch: {} }] },
      "tools.0.googleSearch: tools.googleSearch"
    ],
    [
      "a search in snake case",
      generateContent,
      { tools: [{ google_search: {} }] },
      "tools.0.google_search: tools.googleSearch"
    ],
    [
      "an hour in a cache",
      messages,
      { system: [{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } }] },
      "cache_control.ttl: cacheWriteLong"
    ],
    [
      "an hour in a message",
      messages,
      { messages: [{ role: "user", content: [{ type: "text", text: "x", cache_control: { ttl: "1h" } }] }] },
      "cache_control.ttl: cacheWriteLong"
    ],
    [
      "twelve hours in a cache",
      responses,
      { prompt_cache_options: { ttl: "12h" } },
      "prompt_cache_options.ttl: cacheWriteLong"
    ],
    ["another model", messages, { fallbacks: [{ model: "unlisted" }] }, "fallbacks.0.model: unlisted"],
    [
      "servers of tools",
      messages,
      { mcp_servers: [{ type: "url", url: "https://a.example" }] },
      "mcp_servers: tools.mcp"
    ],
    ["tools of a server", messages, { tools: [{ type: "mcp_toolset", mcp_server_name: "a" }] }, "tools.0: tools.mcp"],
    [
      "skills",
      messages,
      { container: { skills: [{ type: "custom", skill_id: "1" }] } },
      "container.skills: tools.skills"
    ],
    [
      "a tool that the conversation adds",
      messages,
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "tool_addition", tool: { type: "tool_definition", definition: { type: "web_search_20260318" } } }
            ]
          }
        ]
      },
      "messages.0.content.0: tools.web_search"
    ],
    ["plugins", chatCompletions, { plugins: [{ id: "web" }] }, "plugins: tools.plugins"],
    ["plugins of responses", responses, { plugins: [{ id: "web" }] }, "plugins: tools.plugins"],
    [
      "a live search",
      chatCompletions,
      { search_parameters: { mode: "on" } },
      "search_parameters: tools.search_parameters"
    ],
    ["models to fall back on", chatCompletions, { models: ["m", "unlisted"] }, "models.1: unlisted"],
    ["models of messages", messages, { models: ["unlisted"] }, "models.0: unlisted"],
    ["an adviser", messages, { tools: [{ type: "advisor_20260301", model: "unlisted" }] }, "tools.0.model: unlisted"]
  ])("is named: %s", (_, operation, body, expected) => {
    expect(missing(operation, body)).toEqual([expected])
  })

  it.each<[string, Operation, object]>([
    ["nothing", chatCompletions, {}],
    ["the usual tiers", chatCompletions, { service_tier: "auto" }],
    ["the default tier", responses, { service_tier: "default" }],
    ["the usual tier of messages", messages, { service_tier: "standard_only", speed: "standard" }],
    [
      "functions",
      responses,
      {
        tools: [
          { type: "function", name: "f" },
          { type: "custom", name: "c" }
        ]
      }
    ],
    [
      "functions in a namespace",
      responses,
      { tools: [{ type: "namespace", tools: [{ type: "function", name: "f" }] }] }
    ],
    [
      "the caller's own tools",
      messages,
      { tools: [{ name: "f", input_schema: {} }, { type: "bash_20250124" }, { type: "custom" }] }
    ],
    ["functions of Gemini", generateContent, { tools: [{ functionDeclarations: [] }, { function_declarations: [] }] }],
    ["five minutes in a cache", messages, { system: [{ type: "text", cache_control: { ttl: "5m" } }] }],
    ["empty lists", messages, { mcp_servers: [], plugins: [], models: [], container: { id: "1" } }],
    ["no list", responses, { tools: "web_search" }],
    ["null", responses, { tools: null, service_tier: null }]
  ])("is nothing: %s", (_, operation, body) => {
    expect(missing(operation, body)).toEqual([])
  })

  it("is nothing if the price covers it", () => {
    const body = { speed: "fast", inference_geo: "us", tools: [{ type: "web_search_20260318" }] }
    expect(missing(messages, body, rich)).toEqual([])
    expect(missing(chatCompletions, { service_tier: "priority", modalities: ["audio"] }, rich)).toEqual([])
  })

  it("is found in namespaces without end, before they are followed to it", () => {
    const levels = 50_000
    const tools: unknown = JSON.parse(`${'[{"type":"namespace","tools":'.repeat(levels)}[]${"}]".repeat(levels)}`)
    expect(missing(responses, { tools })).toHaveLength(1)
  })
})

describe("the most that a request can cost", () => {
  const usual = most(chatCompletions, {})

  it.each<[string, bigint, bigint]>([
    [
      "a faster tier",
      most(chatCompletions, { service_tier: "fast" }),
      most(chatCompletions, { service_tier: "xxxx" }) * 2n
    ],
    [
      "a slower tier, from which it may fall back",
      most(chatCompletions, { service_tier: "flex" }),
      most(chatCompletions, { service_tier: "xxxx" })
    ],
    ["the project's default tier", most(chatCompletions, {}, { ...rich, defaultTier: "fast" }), usual * 2n],
    [
      "a search",
      most(chatCompletions, { web_search_options: {} }) - most(chatCompletions, { cachedContent: "a cache" }),
      usd("0.01")
    ],
    [
      "searches with a bound",
      most(responses, { tools: [{ type: "web_search" }], max_tool_calls: 3 }) -
        most(responses, { tools: [{ type: "function__" }], max_tool_calls: 3 }),
      usd("0.03") - usd("0.00")
    ],
    [
      "speed and region",
      most(messages, { speed: "fast", inference_geo: "us" }) * 10n,
      most(messages, { speed: "xxxx", inference_geo: "xx" }) * 66n
    ],
    ["a compaction", most(messages, { compaction: {} }), most(messages, { comxxxtion: {} }) * 2n]
  ])("includes %s", (_, found, expected) => {
    expect(found).toBe(expected)
  })
})

describe("a field that decides the price", () => {
  it.each<[Operation, object]>([
    [chatCompletions, { service_tier: ["fast"] }],
    [chatCompletions, { service_tier: 3 }],
    [chatCompletions, { web_search_options: true }],
    [chatCompletions, { modalities: "audio" }],
    [generateContent, { tools: { googleSearch: {} } }],
    [generateContent, { serviceTier: 3 }],
    [messages, { fallbacks: { model: "x" } }]
  ])("is refused if an upstream may read it otherwise: %#", (operation, body) => {
    const price = priceOf(operation, { m: plain })
    const [[name, value] = ["", undefined]] = Object.entries(body)
    const check = contractOf(price)
      .decidingFields?.(price)
      .find(([path]) => path.join(".") === name)?.[1]
    expect(check?.(value)).toMatch(/^must be/)
  })
})
