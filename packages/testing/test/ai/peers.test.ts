import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { createTollgate } from "@tollgate/ai"
import { describe, expect, it } from "vitest"

// `ai` has no conformance suite. The providers of its own authors are the measure: the same call must become the same request, and
// the same answer the same parts.

interface Sent {
  body: Record<string, unknown>
}

/** A server in a function, which remembers the last request. */
const answering = (answer: string, type: string) => {
  const sent: Sent = { body: {} }
  const fetch = async (_: unknown, init?: { readonly body?: unknown }) => {
    const { body } = init ?? {}
    sent.body = JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array))
    return new Response(answer, { headers: { "content-type": type } })
  }
  return { sent, fetch: fetch as typeof globalThis.fetch }
}

const events = (...data: ReadonlyArray<unknown>) =>
  data.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("")

const schema = {
  type: "object" as const,
  properties: { river: { type: "string" as const } },
  required: ["river"],
  additionalProperties: false
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const call = {
  prompt: [
    { role: "system", content: "Be short." },
    {
      role: "user",
      content: [
        { type: "text", text: "How deep?" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: png } },
        { type: "file", mediaType: "image/*", data: { type: "url", url: new URL("https://example.com/river.png") } },
        { type: "file", mediaType: "application/pdf", filename: "a.pdf", data: { type: "data", data: "JVBERi0=" } }
      ]
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool-call", toolCallId: "a", toolName: "depth", input: { river: "Elbe" } },
        { type: "tool-call", toolCallId: "b", toolName: "depth", input: { river: "Oder" } }
      ]
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "a", toolName: "depth", output: { type: "json", value: { metres: 3 } } },
        { type: "tool-result", toolCallId: "b", toolName: "depth", output: { type: "text", value: "unknown" } }
      ]
    }
  ],
  temperature: 0.5,
  topP: 0.9,
  stopSequences: ["END"],
  maxOutputTokens: 100,
  tools: [{ type: "function", name: "depth", description: "The depth", inputSchema: schema }],
  toolChoice: { type: "auto" }
} satisfies LanguageModelV4CallOptions

const partsOf = async (model: LanguageModelV4): Promise<ReadonlyArray<LanguageModelV4StreamPart>> => {
  const { stream } = await model.doStream(call)
  const parts: Array<LanguageModelV4StreamPart> = []
  for await (const part of stream) parts.push(part)
  return parts
}

const notCompared = new Set([
  "citations",
  "dynamic",
  "inputEncoding",
  "providerExecuted",
  "providerMetadata",
  "title",
  "usage"
])

/** Without what each provider has in its own way: heads, notes, empty deltas, ids of blocks and metadata. */
const meaning = (parts: ReadonlyArray<object>) =>
  parts
    .map((part): Record<string, unknown> => ({ ...part }))
    .filter(({ delta, type }) => type !== "response-metadata" && type !== "custom" && delta !== "")
    .map((part) =>
      Object.fromEntries(
        Object.entries(part).filter(
          ([name]) => !notCompared.has(name) && !(name === "id" && /^(text|reasoning)-/.test(String(part["type"])))
        )
      )
    )

const usage = {
  prompt_tokens: 30,
  completion_tokens: 9,
  total_tokens: 39,
  prompt_tokens_details: { cached_tokens: 10 },
  completion_tokens_details: { reasoning_tokens: 4 }
}

describe("the provider of openai", () => {
  const head = { id: "chat-1", object: "chat.completion", created: 12, model: "m" }
  const message = {
    role: "assistant",
    content: "So.",
    tool_calls: [{ id: "c", type: "function", function: { name: "depth", arguments: '{"river":"Spree"}' } }]
  }
  const whole = { ...head, choices: [{ index: 0, message, finish_reason: "tool_calls" }], usage }
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }]
  })
  const streamed = events(
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "So" }),
    chunk({ content: "." }),
    chunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "depth", arguments: "" } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"river":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"Spree"}' } }] }),
    chunk({}, "tool_calls"),
    { ...head, choices: [], usage },
    "[DONE]"
  )
  const both = (answer: string, type: string) => {
    const peer = answering(answer, type)
    const own = answering(answer, type)
    return {
      peer: { ...peer, model: createOpenAI({ apiKey: "k", fetch: peer.fetch }).chat("m") },
      own: {
        ...own,
        model: createTollgate({ credential: "k", baseUrl: "http://gateway.invalid", fetch: own.fetch })("m")
      }
    }
  }

  it("sends the same request and reads the same answer", async () => {
    const { own, peer } = both(JSON.stringify(whole), "application/json")
    const [a, b] = [await own.model.doGenerate(call), await peer.model.doGenerate(call)]
    const { max_completion_tokens, ...body } = own.sent.body
    // Models that think know only the newer name.
    expect({ ...body, max_tokens: max_completion_tokens }).toEqual(peer.sent.body)
    expect(meaning(a.content)).toEqual(meaning(b.content))
    expect(a.finishReason).toEqual(b.finishReason)
    expect(a.usage.inputTokens).toMatchObject({ total: 30, noCache: 20, cacheRead: 10 })
    expect([a.usage.inputTokens.total, a.usage.outputTokens]).toEqual([b.usage.inputTokens.total, b.usage.outputTokens])
    expect([a.response?.id, a.response?.modelId, a.response?.timestamp]).toEqual([
      b.response?.id,
      b.response?.modelId,
      b.response?.timestamp
    ])
  })

  it("reads the same stream", async () => {
    const { own, peer } = both(streamed, "text/event-stream")
    const [a, b] = [meaning(await partsOf(own.model)), meaning(await partsOf(peer.model))]
    // Only the order of the text's end differs: here a block ends before the next begins.
    const sorted = (parts: ReadonlyArray<object>) => parts.map((part) => JSON.stringify(part)).toSorted()
    expect(sorted(a)).toEqual(sorted(b))
    expect([a[0], a.at(-1)]).toMatchObject([{ type: "stream-start" }, { type: "finish" }])
  })
})

describe("the provider of anthropic", () => {
  const tokens = { input_tokens: 20, output_tokens: 9, cache_read_input_tokens: 10, cache_creation_input_tokens: 0 }
  const message = { id: "msg-1", type: "message", role: "assistant", model: "m", stop_sequence: null }
  const content = [
    { type: "text", text: "So." },
    { type: "tool_use", id: "c", name: "depth", input: { river: "Spree" } }
  ]
  const whole = { ...message, content, stop_reason: "tool_use", usage: tokens }
  const streamed = events(
    {
      type: "message_start",
      message: { ...message, content: [], stop_reason: null, usage: { ...tokens, output_tokens: 1 } }
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "So." } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "c", name: "depth", input: {} } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"river":"Spree"}' } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: "message_stop" }
  )
  const both = (answer: string, type: string) => {
    const peer = answering(answer, type)
    const own = answering(answer, type)
    const tollgate = createTollgate({ credential: "k", baseUrl: "http://gateway.invalid", fetch: own.fetch })
    return {
      peer: { ...peer, model: createAnthropic({ apiKey: "k", fetch: peer.fetch })("m") },
      own: { ...own, model: tollgate.messages("m") }
    }
  }
  const { topP: _, ...asked } = call

  it("sends the same request and reads the same answer", async () => {
    const { own, peer } = both(JSON.stringify(whole), "application/json")
    const [a, b] = [await own.model.doGenerate(asked), await peer.model.doGenerate(asked)]
    const plain = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(/"eager_input_streaming":\w+,?/g, ""))
    expect(plain(own.sent.body)).toEqual(plain(peer.sent.body))
    expect(meaning(a.content)).toEqual(meaning(b.content))
    expect(a.finishReason).toEqual(b.finishReason)
    expect(a.usage.inputTokens).toEqual(b.usage.inputTokens)
    expect(a.usage.outputTokens.total).toBe(b.usage.outputTokens.total)
  })

  it("reads the same stream", async () => {
    const { own, peer } = both(streamed, "text/event-stream")
    const [a, b] = [meaning(await partsOf(own.model)), meaning(await partsOf(peer.model))]
    expect(a).toEqual(b)
  })
})
