import { describe, expect, it } from "vitest"
import type { Json } from "@tollgate/protocols/json"
import { Unsupported } from "../src/conversation/parts.ts"
import { chat, gemini, messages, type Protocol, responses } from "../src/conversation/protocols.ts"
import { type Part, read, readWhole, type StreamPart } from "../src/conversation/read.ts"
import { askedOf } from "../src/sdk/languageModel.ts"
import { type Asked, formatOf, write } from "../src/conversation/write.ts"

const readAll = (protocol: Protocol, events: ReadonlyArray<Json>) => {
  const reading = read(protocol)
  return { deltas: [...events.flatMap(reading.next), ...reading.close()], ending: reading.ending() }
}

const asked = (more: Partial<Asked>): Asked => ({
  model: "m",
  messages: [],
  tools: [],
  toolChoice: undefined,
  format: undefined,
  ...more
})

/** The parts of an answer as `ai` sends them in the next turn. */
const sentBack = (content: ReadonlyArray<Part>) =>
  content.map(({ providerMetadata, ...part }) => ({
    ...part,
    ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata })
  }))

const says = (text: string) => ({ type: "text", text }) as const

/** Every block begins once, ends once, and gets its parts in between. */
const expectBalanced = (deltas: ReadonlyArray<StreamPart>) => {
  const open = new Set<string>()
  for (const delta of deltas) {
    const [, kind, what] = /^(.+)-(start|delta|end)$/.exec(delta.type) ?? []
    if (what === undefined || !("id" in delta)) continue
    const block = `${kind} ${delta.id}`
    expect(open.has(block)).toBe(what !== "start")
    if (what === "start") open.add(block)
    if (what === "end") open.delete(block)
  }
  expect([...open]).toEqual([])
}

const choice = (delta: Json, finish_reason: string | null = null): Json => ({
  id: "chat-1",
  model: "m",
  created: 12,
  choices: [{ index: 0, delta, finish_reason }]
})

describe("chat", () => {
  const events = [
    choice({ role: "assistant", content: "" }),
    choice({ reasoning_content: "Let me " }),
    choice({ reasoning_content: "see." }),
    choice({ content: "One" }),
    { choices: [{ index: 1, delta: { content: "another candidate" } }] },
    choice({ tool_calls: [{ index: 0, id: "a", function: { name: "depth", arguments: "" } }] }),
    choice({ tool_calls: [{ index: 1, id: "b", function: { name: "width", arguments: '{"x":' } }] }),
    choice({ tool_calls: [{ index: 0, function: { arguments: '{"y":1}' } }] }),
    choice({ tool_calls: [{ index: 1, function: { arguments: "2}" } }] }),
    choice({}, "tool_calls"),
    {
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 3 }
      }
    }
  ]

  it("reads thoughts, text and tools whose arguments arrive in turns", () => {
    const { deltas, ending } = readAll(chat, events)
    expectBalanced(deltas)
    expect(deltas.filter(({ type }) => type === "tool-call")).toEqual([
      { type: "tool-call", toolCallId: "a", toolName: "depth", input: '{"y":1}' },
      { type: "tool-call", toolCallId: "b", toolName: "width", input: '{"x":2}' }
    ])
    expect(deltas.flatMap((delta) => (delta.type === "text-delta" ? [delta.delta] : []))).toEqual(["One"])
    expect(ending).toMatchObject({
      finishReason: { unified: "tool-calls", raw: "tool_calls" },
      usage: {
        inputTokens: { total: 10, noCache: 6, cacheRead: 4 },
        outputTokens: { total: 7, text: 4, reasoning: 3 },
        raw: { prompt_tokens: 10, completion_tokens: 7 }
      }
    })
  })

  it("reads the whole answer alike", () => {
    const message = {
      content: "One",
      reasoning_content: "Let me see.",
      tool_calls: [
        { id: "a", type: "function", function: { name: "depth", arguments: '{"y":1}' } },
        { id: "b", type: "function", function: { name: "width", arguments: '{"x":2}' } }
      ]
    }
    const answer = { id: "chat-1", model: "m", created: 12, choices: [{ index: 0, message, finish_reason: "stop" }] }
    expect(readWhole(chat, answer)).toMatchObject({
      head: { id: "chat-1", modelId: "m", timestamp: new Date(12_000) },
      // Some upstreams say `stop` although they ask for tools.
      finishReason: { unified: "tool-calls", raw: "stop" },
      content: [
        { type: "reasoning", text: "Let me see." },
        { type: "text", text: "One" },
        { type: "tool-call", toolCallId: "a" },
        { type: "tool-call", toolCallId: "b" }
      ]
    })
  })

  it("takes a schema as strict only if OpenAI would", () => {
    const strictOf = (schema: Json) => write(chat, asked({ format: formatOf({ schema }) })).input["response_format"]
    const closed = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false }
    expect(strictOf({ ...closed, required: ["a"] })).toMatchObject({ json_schema: { strict: true } })
    expect(strictOf(closed)).toMatchObject({ json_schema: { strict: false } })
    expect(strictOf({ type: "array", items: { type: "object", properties: {} } })).toMatchObject({
      json_schema: { strict: false }
    })
  })
})

describe("messages", () => {
  const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 4 }
  const events = [
    { type: "message_start", message: { id: "msg-1", model: "m", usage } },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Let me see." } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "proof" } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "hidden" } },
    { type: "content_block_stop", index: 1 },
    { type: "ping" },
    { type: "content_block_start", index: 2, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "One" } },
    { type: "content_block_stop", index: 2 },
    { type: "content_block_start", index: 3, content_block: { type: "tool_use", id: "a", name: "depth", input: {} } },
    { type: "content_block_delta", index: 3, delta: { type: "input_json_delta", partial_json: '{"y":' } },
    { type: "content_block_delta", index: 3, delta: { type: "input_json_delta", partial_json: "1}" } },
    { type: "content_block_stop", index: 3 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 7 } },
    { type: "message_stop" }
  ]
  const whole = {
    id: "msg-1",
    model: "m",
    content: [
      { type: "thinking", thinking: "Let me see.", signature: "proof" },
      { type: "redacted_thinking", data: "hidden" },
      { type: "text", text: "One" },
      { type: "tool_use", id: "a", name: "depth", input: { y: 1 } }
    ],
    stop_reason: "tool_use",
    usage: { ...usage, output_tokens: 7 }
  }

  it("reads a stream and a whole answer alike", () => {
    const { deltas, ending } = readAll(messages, events)
    expectBalanced(deltas)
    const { content, head, ...ended } = readWhole(messages, whole)
    expect(head).toEqual({ id: "msg-1", modelId: "m" })
    expect(ended).toEqual(ending)
    expect(ending).toMatchObject({
      finishReason: { unified: "tool-calls", raw: "tool_use" },
      usage: { inputTokens: { total: 14, noCache: 10 }, outputTokens: { total: 7 }, raw: { output_tokens: 7 } }
    })
    expect(content).toEqual([
      { type: "reasoning", text: "Let me see.", providerMetadata: { tollgate: { signature: "proof" } } },
      { type: "reasoning", text: "", providerMetadata: { tollgate: { redacted: "hidden" } } },
      { type: "text", text: "One" },
      { type: "tool-call", toolCallId: "a", toolName: "depth", input: '{"y":1}' }
    ])
    expect(deltas.filter(({ type }) => type === "tool-call")).toEqual(content.slice(3))
  })

  it("sends back what it read, with the proofs of thoughts", () => {
    const { content } = readWhole(messages, whole)
    const { input, warnings } = write(
      messages,
      askedOf("m", {
        prompt: [
          { role: "system", content: "Be short." },
          { role: "user", content: [says("How deep?")] },
          { role: "assistant", content: [...sentBack(content), { type: "reasoning", text: "of another model" }] },
          {
            role: "tool",
            content: [
              { type: "tool-result", toolCallId: "a", toolName: "depth", output: { type: "error-text", value: "no" } }
            ]
          },
          { role: "user", content: [says("Go on.")] }
        ],
        reasoning: "low",
        temperature: 0.5,
        topK: 3,
        maxOutputTokens: 100
      })
    )
    expect(warnings).toEqual([
      { type: "unsupported", feature: "temperature", details: "a temperature beside reasoning" },
      { type: "unsupported", feature: "topK" }
    ])
    expect(input).toEqual({
      model: "m",
      // Thoughts are in it: the caller's limit stays the limit.
      max_tokens: 100,
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "low" },
      system: [{ type: "text", text: "Be short." }],
      messages: [
        { role: "user", content: "How deep?" },
        { role: "assistant", content: whole.content },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a", content: "no", is_error: true },
            { type: "text", text: "Go on." }
          ]
        }
      ]
    })
  })

  it("keeps a thought whose text is not shown apart from a redacted one", () => {
    const content = [
      { type: "thinking", thinking: "", signature: "proof" },
      { type: "redacted_thinking", data: "hidden" }
    ]
    const parts = sentBack(readWhole(messages, { content }).content)
    const { input } = write(messages, askedOf("m", { prompt: [{ role: "assistant", content: parts }] }))
    expect(input["messages"]).toEqual([{ role: "assistant", content }])
  })
})

describe("thoughts and calls go back with their proofs", () => {
  const back = (protocol: Protocol, content: ReadonlyArray<Part>) =>
    write(protocol, askedOf("m", { prompt: [{ role: "assistant", content: sentBack(content) }, ...answered] }))
  const output = { type: "text", value: "3" } as const
  const answered = [
    { role: "tool" as const, content: [{ type: "tool-result" as const, toolCallId: "c", toolName: "depth", output }] }
  ]

  it("over responses", () => {
    const thought = {
      type: "reasoning",
      id: "r",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content: "s"
    }
    const called = { type: "function_call", id: "f", call_id: "c", name: "depth", arguments: '{"y":1}' }
    const whole = { id: "a", model: "m", created_at: 12, status: "completed", output: [thought, called] }
    const added = ({ arguments: _, ...item }: typeof called) => ({ ...item, arguments: "" })
    const { deltas } = readAll(responses, [
      { type: "response.created", response: { ...whole, output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...thought, summary: [] } },
      { type: "response.reasoning_summary_text.delta", item_id: "r", output_index: 0, delta: "Hm." },
      { type: "response.output_item.done", output_index: 0, item: thought },
      { type: "response.output_item.added", output_index: 1, item: added(called) },
      { type: "response.function_call_arguments.delta", item_id: "f", output_index: 1, delta: '{"y":1}' },
      { type: "response.output_item.done", output_index: 1, item: called },
      { type: "response.completed", response: whole }
    ])
    const { content, head } = readWhole(responses, whole)
    expect(head).toEqual({ id: "a", modelId: "m", timestamp: new Date(12_000) })
    const proof = { providerMetadata: { tollgate: { signature: "openai:s" } } }
    expect(content).toMatchObject([
      { type: "reasoning", text: "Hm.", ...proof },
      { toolCallId: "c", input: '{"y":1}' }
    ])
    expect(deltas).toContainEqual({ type: "reasoning-end", id: "reasoning-0", ...proof })
    expect(deltas.at(-1)).toEqual(content.at(-1))
    const { input, warnings } = back(responses, content)
    expect(warnings).toEqual([])
    expect(input).toMatchObject({
      store: false,
      include: ["reasoning.encrypted_content"],
      input: [
        { type: "reasoning", encrypted_content: "s", summary: thought.summary },
        { type: "function_call", call_id: "c", arguments: '{"y":1}' },
        { type: "function_call_output", call_id: "c", output: "3" }
      ]
    })
  })

  it("over gemini", () => {
    const parts = [
      { text: "Hm.", thought: true },
      { functionCall: { id: "c", name: "depth", args: { y: 1 } }, thoughtSignature: "s" }
    ]
    const whole = { responseId: "a", modelVersion: "m", candidates: [{ content: { parts }, finishReason: "STOP" }] }
    const { content } = readWhole(gemini, whole)
    const call = content.at(-1)
    expect(call).toMatchObject({ type: "tool-call", providerMetadata: { tollgate: { signature: "google:s" } } })
    expect(readAll(gemini, [whole]).deltas.at(-1)).toEqual(call)
    const { input, warnings } = back(gemini, content)
    expect(warnings).toEqual([])
    expect(input).toMatchObject({
      path: { model: "m" },
      body: {
        contents: [
          {
            role: "model",
            parts: [parts[0], { functionCall: { name: "depth", args: { y: 1 } }, thoughtSignature: "s" }]
          },
          { role: "user", parts: [{ functionResponse: { name: "depth", response: { output: "3" } } }] }
        ]
      }
    })
    // Another maker's model gets the conversation without them.
    const { input: other, warnings: lost } = back(messages, content)
    expect(JSON.stringify(other)).not.toContain("google")
    expect(lost).toEqual([
      { type: "unsupported", feature: "reasoning", details: "signatures of another provider's reasoning" }
    ])
  })
})

describe("what a protocol cannot express", () => {
  const turn = (...parts: Asked["messages"][number]["parts"]) =>
    asked({ messages: [{ role: "user", parts } as Asked["messages"][number]] })
  const file = (mediaType: string, source: { readonly url: string } | { readonly base64: string }) =>
    turn({ type: "file", mediaType, source })

  it.each([
    ["a video", chat, file("video/mp4", { base64: "AAAA" })],
    ["a video", messages, file("video/mp4", { base64: "AAAA" })],
    ["a sound that OpenAI does not know", chat, file("audio/ogg", { base64: "AAAA" })],
    ["a sound", messages, file("audio/wav", { base64: "AAAA" })],
    ["a document by its address", chat, file("application/pdf", { url: "https://example.com/a.pdf" })],
    ["an archive", chat, file("application/zip", { base64: "AAAA" })],
    ["an archive", messages, file("application/zip", { base64: "AAAA" })],
    [
      "a picture as the result of a tool",
      chat,
      turn({
        type: "result",
        id: "a",
        parts: [{ type: "file", mediaType: "image/png", source: { base64: "AAAA" } }],
        isError: true
      })
    ]
  ] as const)("%s over %o is refused", (_, protocol, given) => {
    expect(() => write(protocol, given)).toThrow(Unsupported)
  })

  it("settings are left out, with a warning for each", () => {
    const given = asked({
      topK: 3,
      seed: 7,
      presencePenalty: 1,
      frequencyPenalty: 1,
      temperature: 1.5,
      format: formatOf({})
    })
    expect(write(chat, given).warnings).toEqual([{ type: "unsupported", feature: "topK" }])
    const { input, warnings } = write(messages, given)
    expect(warnings.map(({ feature }) => feature).toSorted()).toEqual([
      "frequencyPenalty",
      "presencePenalty",
      "responseFormat",
      "seed",
      "temperature"
    ])
    expect(input).toMatchObject({ temperature: 1, top_k: 3, max_tokens: 4096 })
  })

  it("is said in other words where they mean the same", () => {
    const given = asked({
      messages: [
        { role: "user", parts: [{ type: "file", mediaType: "text/csv", source: { text: "a,b" } }] },
        {
          role: "assistant",
          parts: [
            { type: "reasoning", text: "I look." },
            { type: "call", id: "a", name: "depth", arguments: "not JSON" }
          ]
        },
        { role: "user", parts: [{ type: "result", id: "a", parts: [says("no"), says("way")], isError: true }] },
        { role: "system", parts: [says("Hurry.")] }
      ]
    })
    expect(write(chat, given)).toEqual({
      warnings: [],
      input: {
        model: "m",
        messages: [
          { role: "user", content: "a,b" },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "a", type: "function", function: { name: "depth", arguments: "not JSON" } }]
          },
          { role: "tool", tool_call_id: "a", content: '{"error":"no\\nway"}' },
          { role: "system", content: "Hurry." }
        ]
      }
    })
    expect(write(messages, given)).toMatchObject({
      warnings: [{ feature: "system" }],
      input: {
        system: [{ type: "text", text: "Hurry." }],
        messages: [
          { content: [{ type: "document", source: { type: "text", data: "a,b" } }] },
          { content: [{ type: "tool_use", input: { invalid_json: "not JSON" } }] },
          { content: [{ type: "tool_result", is_error: true }] }
        ]
      }
    })
  })

  it("numbers of earlier calls stay numbers", () => {
    const call = { type: "call", id: "a", name: "depth", arguments: '{"at":12345678901234567890,"by":1.0}' } as const
    const { input } = write(messages, asked({ messages: [{ role: "assistant", parts: [call] }] }))
    expect(input["messages"]).toMatchObject([{ content: [{ input: { at: 12345678901234567000, by: 1 } }] }])
  })
})

describe("a broken stream", () => {
  it.each([
    [
      "chat",
      chat,
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "a", function: { name: "pay" } }] } }] }
    ],
    [
      "messages",
      messages,
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a", name: "pay", input: {} } }
    ]
  ] as const)("over %s has no whole tool until it is closed", (_, protocol, event) => {
    const reading = read(protocol)
    expect(reading.next(event).some(({ type }) => type === "tool-call")).toBe(false)
    expect(reading.close().at(-1)).toEqual({ type: "tool-call", toolCallId: "a", toolName: "pay", input: "{}" })
  })
})
