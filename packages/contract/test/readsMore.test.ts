import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { formatUsd, nano, usd } from "../src/Money.ts"
import { chatCompletions } from "../src/operations/chatCompletions.ts"
import { generateContent } from "../src/operations/generateContent.ts"
import { messages } from "../src/operations/messages.ts"
import { responses } from "../src/operations/responses.ts"
import { applyCap, inFull } from "../src/price/cap.ts"
import { estimate } from "../src/price/estimate.ts"
import { type ModelPrice, one, type Price } from "../src/price/Price.ts"

/** A token of input costs a micro-USD, one of output ten. */
const model: ModelPrice = {
  input: usd("1"),
  output: usd("10"),
  cacheRead: usd("1"),
  cacheWrite: usd("1"),
  maxOutput: 1_000,
  contextWindow: 200_000,
  tools: {
    web_search: { amount: usd("0.01") },
    web_fetch: { amount: nano(0n) },
    file_search: { amount: nano(0n) },
    mcp: { amount: nano(0n) },
    image_generation: { amount: nano(0n) },
    urlContext: { amount: nano(0n) }
  }
}

const priced = (price: Price, entry: ModelPrice = model): Price =>
  price.contract === "model_tokens" ? { ...price, models: { m: entry } } : price

const { contextWindow: _, ...withoutWindow } = model

const capped = (price: Price, request: object, cap: string) => {
  const estimated = Option.getOrThrow(estimate(price, request, one, "m"))
  return applyCap(usd(cap), estimated, price, request, one, "m")
}

const most = (price: Price, request: object) => Option.getOrThrow(estimate(price, request, one, "m")).most

const message = [{ role: "user", content: "Hi" }]

const requests = [
  ["chat, web search", chatCompletions.price, { messages: message, web_search_options: {}, max_tokens: 100 }, "0.01"],
  [
    "responses, web search",
    responses.price,
    { input: "Hi", tools: [{ type: "web_search" }], max_output_tokens: 100 },
    "0.1"
  ],
  [
    "responses, file search",
    responses.price,
    { input: "Hi", tools: [{ type: "file_search" }], max_output_tokens: 100 },
    "0"
  ],
  ["responses, MCP", responses.price, { input: "Hi", tools: [{ type: "mcp" }], max_output_tokens: 100 }, "0"],
  [
    "messages, web fetch",
    messages.price,
    { messages: message, tools: [{ type: "web_fetch_20250910" }], max_tokens: 100 },
    "0"
  ],
  [
    "Gemini, an address",
    generateContent.price,
    { contents: [], tools: [{ urlContext: {} }], generationConfig: { maxOutputTokens: 100 } },
    "0"
  ],
  ["Gemini, a cache", generateContent.price, { cachedContent: "c/1", generationConfig: { maxOutputTokens: 100 } }, "0"],
  [
    "Gemini, a cache in snake case",
    generateContent.price,
    { cached_content: "c/1", generationConfig: { maxOutputTokens: 100 } },
    "0"
  ]
] as const

describe("a request by which the upstream reads more than it holds", () => {
  it.each(requests)("%s: a cap has to pay for all that the model can read", (_name, price, request, tools) => {
    const full = nano(usd("0.201") + usd(tools))
    assert.isTrue(Result.isSuccess(capped(priced(price), request, formatUsd(full))))
    const refused = capped(priced(price), request, formatUsd(nano(full - 1_000n)))
    assert.isTrue(Result.isFailure(refused) && refused.failure.includes(`up to ${formatUsd(full)} USD`))
    // Without a cap nothing changes, and a quote tells the cap.
    assert.isBelow(Number(most(priced(price), request)), Number(usd("0.002") + usd(tools)))
    const estimated = Option.getOrThrow(estimate(priced(price), request, one, "m"))
    assert.strictEqual(inFull(estimated, priced(price), request, one, "m").most, full)
  })

  it.each(requests)("%s: no cap is accepted if nobody knows how much that is", (_name, price, request) => {
    const refused = capped(priced(price, withoutWindow), request, "1000")
    assert.isTrue(Result.isFailure(refused) && /contextWindow/.test(refused.failure))
  })

  it("gets no output bound that the cap does not pay for", () => {
    const request = { messages: message, web_search_options: {} }
    const bounded = Result.getOrThrow(capped(priced(chatCompletions.price), request, "0.215"))
    assert.strictEqual(bounded.outputBound, 500)
    assert.isTrue(Result.isFailure(capped(priced(chatCompletions.price), request, "0.21")))
  })

  it("is none with a tool that only makes something, or that the caller runs", () => {
    for (const tool of [{ type: "image_generation" }, { type: "function", name: "f" }]) {
      const request = { input: "Hi", tools: [tool], max_output_tokens: 100 }
      assert.isTrue(Result.isSuccess(capped(priced(responses.price, withoutWindow), request, "0.01")))
    }
  })
})

describe("a conversation that OpenAI may shorten first", () => {
  it("may cost twice as much", () => {
    const request = { input: "Hi", max_output_tokens: 100 }
    const compacts = { ...request, context_management: [{ type: "compaction", compact_threshold: 1_000 }] }
    const written = { ...request, context_management: [{ type: "?????????", compact_threshold: 1_000 }] }
    const bytes = 1_000n
    const more = most(priced(responses.price), compacts) - 2n * most(priced(responses.price), written)
    assert.isBelow(Number(more < 0n ? -more : more), Number(10n * bytes))
  })
})
