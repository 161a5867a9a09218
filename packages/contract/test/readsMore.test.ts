import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { formatUsd, nano, usd } from "../src/Money.ts"
import { chatCompletions } from "../src/operations/chatCompletions.ts"
import { generateContent } from "../src/operations/generateContent.ts"
import { messages } from "../src/operations/messages.ts"
import { responses } from "../src/operations/responses.ts"
import { applyCap } from "../src/price/cap.ts"
import { estimate } from "../src/price/contracts.ts"
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

const document = (source: object) => ({ type: "document", source })
const file = (part: object) => ({ type: "input_file", ...part })

const inMessages = (part: object) => ({ messages: [{ role: "user", content: [part] }], max_tokens: 100 })
const inContents = (part: object) => ({ contents: [{ parts: [part] }], generationConfig: { maxOutputTokens: 100 } })
const inInput = (item: object) => ({ input: [item], max_output_tokens: 100 })
const asInput = (part: object) => inInput({ role: "user", content: [part] })

/** What a model reads by address or by id, and the field that is named. */
const references: ReadonlyArray<readonly [what: string, price: Price, request: object, field: string]> = [
  ["an address", messages.price, inMessages(document({ type: "url", url: "https://a.example/b.pdf" })), "source"],
  ["a file", messages.price, inMessages(document({ type: "file", file_id: "file_1" })), "source"],
  ["a source of tomorrow", messages.price, inMessages(document({ type: "drive", id: "1" })), "source"],
  [
    "a document in a tool's result",
    messages.price,
    inMessages({ type: "tool_result", content: [document({ type: "file", file_id: "file_1" })] }),
    "source"
  ],
  ["an upload", messages.price, inMessages({ type: "container_upload", file_id: "file_1" }), "file_id"],
  ["a compaction", messages.price, inMessages({ type: "compaction", encrypted_content: "x" }), "encrypted_content"],
  ["a container", messages.price, { messages: message, max_tokens: 100, container: "container_1" }, "container"],
  ["a thread", messages.price, { messages: message, max_tokens: 100, thread: { previous_message_id: "1" } }, "thread"],
  ["fileData", generateContent.price, inContents({ fileData: { fileUri: "https://a.example/b" } }), "fileData"],
  ["file_data", generateContent.price, inContents({ file_data: { file_uri: "gs://a/b" } }), "file_data"],
  ["in another case", generateContent.price, inContents({ FileData: { fileUri: "gs://a/b" } }), "FileData"],
  [
    "a claimed image",
    generateContent.price,
    inContents({ fileData: { mimeType: "image/png", fileUri: "gs://a/b" } }),
    "fileData"
  ],
  [
    "in a function's response",
    generateContent.price,
    inContents({ functionResponse: { id: "1", name: "f", parts: [{ fileData: { fileUri: "gs://a/b" } }] } }),
    "fileData"
  ],
  [
    "in the system's instruction",
    generateContent.price,
    { ...inContents({ text: "x" }), systemInstruction: { parts: [{ fileData: { fileUri: "gs://a/b" } }] } },
    "fileData"
  ],
  [
    "a continuation",
    generateContent.price,
    { ...inContents({ text: "x" }), continuationToken: "x" },
    "continuationToken"
  ],
  ["a file by id", responses.price, asInput(file({ file_id: "file-1" })), "file_id"],
  ["a file by address", responses.price, asInput(file({ file_url: "https://a.example/b" })), "file_url"],
  ["an item", responses.price, inInput({ type: "item_reference", id: "msg_1" }), "item_reference"],
  [
    "a compacted conversation",
    responses.price,
    inInput({ type: "compaction", encrypted_content: "x" }),
    "encrypted_content"
  ],
  [
    "a tool's result",
    responses.price,
    inInput({ type: "function_call_output", output: [file({ file_id: "file-1" })] }),
    "file_id"
  ],
  [
    "a kept response",
    responses.price,
    { ...inInput({ role: "user", content: "Hi" }), previous_response_id: "1" },
    "previous_response_id"
  ],
  ["a file of chat", chatCompletions.price, inMessages({ type: "file", file: { file_id: "file-1" } }), "file"],
  [
    "a file beside its data",
    chatCompletions.price,
    inMessages({ type: "file", file: { file_data: "data:text/plain;base64,AA", file_id: "file-1" } }),
    "file_id"
  ],
  [
    "an address as data",
    chatCompletions.price,
    inMessages({ type: "file", file: { file_data: "https://a.example/b.pdf" } }),
    "file"
  ],
  [
    "a film",
    chatCompletions.price,
    inMessages({ type: "video_url", video_url: { url: "https://a.example" } }),
    "video_url"
  ],
  ["frames", chatCompletions.price, inMessages({ type: "video", video: ["https://a.example/1"] }), "video"],
  [
    "a page",
    chatCompletions.price,
    inMessages({ type: "document_url", document_url: "https://a.example" }),
    "document_url"
  ],
  [
    "sound",
    chatCompletions.price,
    inMessages({ type: "input_audio", input_audio: { data: "https://a.example" } }),
    "input_audio"
  ],
  [
    "an earlier answer in sound",
    chatCompletions.price,
    { messages: [{ role: "assistant", audio: { id: "audio_1" } }], max_tokens: 100 },
    "audio"
  ]
]

describe("what a model reads by address or by id", () => {
  it.each(references)("may fill its context window: %s", (_what, price, request, field) => {
    assert.strictEqual(most(priced(price), request), usd("0.201"))
    assert.isTrue(Result.isSuccess(capped(priced(price), request, "0.201")))
    const refused = capped(priced(price), request, "0.2")
    assert.isTrue(Result.isFailure(refused) && refused.failure.includes(`(with ${field} the model may read`))
  })

  it.each([
    [
      "an image of chat",
      chatCompletions.price,
      inMessages({ type: "image_url", image_url: { url: "https://a.example" } })
    ],
    [
      "an image of messages",
      messages.price,
      inMessages({ type: "image", source: { type: "file", file_id: "file_1" } })
    ],
    ["an image of responses", responses.price, asInput({ type: "input_image", file_id: "file-1" })],
    [
      "a screenshot",
      responses.price,
      inInput({ type: "computer_call_output", output: { type: "computer_screenshot", file_id: "file-1" } })
    ]
  ])("is as large as the largest image: %s", (_what, price, request) => {
    const tokens = Number(most(priced(price), request) - usd("0.001")) / 1_000
    assert.isAtLeast(tokens, 2_000)
    assert.isAtMost(tokens, 2_200)
  })

  it.each([
    ["the id of a call", messages.price, inMessages({ type: "tool_result", tool_use_id: "1", content: "x" })],
    ["a cited page", messages.price, inMessages({ type: "web_search_result", url: "https://a.example", title: "t" })],
    ["a summary", messages.price, inMessages({ type: "compaction", content: "x" })],
    [
      "a cited file",
      responses.price,
      asInput({ type: "output_text", text: "x", annotations: [{ file_id: "file-1" }] })
    ],
    ["null", responses.price, { ...asInput(file({ file_data: "AA", file_id: null })), previous_response_id: null }],
    [
      "the voice of an answer",
      chatCompletions.price,
      { ...inMessages({ type: "text", text: "x" }), audio: { voice: "v" } }
    ]
  ])("is not: %s", (_what, price, request) => {
    assert.isBelow(Number(most(priced(price), request)), Number(usd("0.002")))
  })

  it("counts a PDF by its size, since its text is compressed", () => {
    const pdf = document({ type: "base64", media_type: "application/pdf", data: "A".repeat(87_384) })
    const found = Option.getOrThrow(estimate(priced(messages.price), inMessages(pdf), one, "m"))
    assert.isAbove(Number(found.most), Number(usd("0.087")))
    assert.isBelow(Number(found.likely), Number(usd("0.004")))
  })
})

describe("a request by which the upstream reads more than it holds", () => {
  it.each(requests)("%s: a cap has to pay for all that the model can read", (_name, price, request, tools) => {
    const full = nano(usd("0.201") + usd(tools))
    assert.isTrue(Result.isSuccess(capped(priced(price), request, formatUsd(full))))
    const refused = capped(priced(price), request, formatUsd(nano(full - 1_000n)))
    assert.isTrue(Result.isFailure(refused) && refused.failure.includes(`up to ${formatUsd(full)} USD`))
    // A quote and a reservation say the same.
    assert.strictEqual(most(priced(price), request), full)
  })

  it("counts as much as the largest model reads if its window is not known", () => {
    const request = { messages: message, web_search_options: {}, max_tokens: 100 }
    assert.strictEqual(most(priced(chatCompletions.price, withoutWindow), request), usd("1.061"))
  })

  it("counts for each model that may answer, up to its own window", () => {
    const other = { ...model, contextWindow: 1_000_000 }
    const price: Price =
      messages.price.contract === "model_tokens" ? { ...messages.price, models: { m: model, other } } : messages.price
    const request = {
      messages: [{ role: "user", content: [document({ type: "url", url: "https://a.example/b.pdf" })] }],
      fallbacks: [{ model: "other", max_tokens: 100 }],
      max_tokens: 100
    }
    assert.strictEqual(most(price, request), usd("1.202"))
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
