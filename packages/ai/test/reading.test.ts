import { describe, expect, it } from "vitest"
import { chat } from "../src/conversation/chat.ts"
import type { Conversation, Delta, Json, Protocol } from "../src/conversation/Conversation.ts"
import { messages } from "../src/conversation/messages.ts"
import { readWhole } from "../src/conversation/whole.ts"

const read = ({ reader }: Protocol, events: ReadonlyArray<Json>) => {
  const reading = reader()
  return { deltas: [...events.flatMap(reading.next), ...reading.close()], ending: reading.ending() }
}

/** Every block begins once, ends once, and gets its parts in between. */
const expectBalanced = (deltas: ReadonlyArray<Delta>) => {
  const open = new Set<string>()
  for (const delta of deltas) {
    const [kind, what] = delta.type.split("-")
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
    const { deltas, ending } = read(chat, events)
    expectBalanced(deltas)
    expect(deltas.filter(({ type }) => type === "call")).toEqual([
      { type: "call", id: "a", name: "depth", arguments: '{"y":1}' },
      { type: "call", id: "b", name: "width", arguments: '{"x":2}' }
    ])
    expect(deltas.flatMap((delta) => (delta.type === "text-delta" ? [delta.delta] : []))).toEqual(["One"])
    expect(ending).toMatchObject({
      finish: "tool-calls",
      tokens: { input: 6, cacheRead: 4, output: 7, reasoning: 3 }
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
      id: "chat-1",
      model: "m",
      seconds: 12,
      // Some upstreams say `stop` although they ask for tools.
      finish: "tool-calls",
      reason: "stop",
      parts: [
        { type: "reasoning", text: "Let me see." },
        { type: "text", text: "One" },
        { type: "call", id: "a" },
        { type: "call", id: "b" }
      ]
    })
  })

  it("takes a schema as strict only if OpenAI would", () => {
    const strictOf = (schema: Json) =>
      chat.write({ model: "m", messages: [], format: { schema } }).input["response_format"]
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
    const { deltas, ending } = read(messages, events)
    expectBalanced(deltas)
    const { id, model, parts, seconds: _, ...ended } = readWhole(messages, whole)
    expect([id, model]).toEqual(["msg-1", "m"])
    expect(ended).toEqual(ending)
    expect(ending).toMatchObject({ finish: "tool-calls", tokens: { input: 10, cacheRead: 4, output: 7 } })
    expect(parts).toEqual([
      { type: "reasoning", text: "Let me see.", proof: { signature: "proof" } },
      { type: "reasoning", text: "", proof: { redacted: "hidden" } },
      { type: "text", text: "One" },
      { type: "call", id: "a", name: "depth", arguments: '{"y":1}' }
    ])
    expect(deltas.filter(({ type }) => type === "call")).toEqual(parts.slice(3))
  })

  it("sends back what it read, with the proofs of thoughts", () => {
    const { parts } = readWhole(messages, whole)
    const conversation: Conversation = {
      model: "m",
      messages: [
        { role: "system", text: "Be short." },
        { role: "user", parts: [{ type: "text", text: "How deep?" }] },
        { role: "assistant", parts: [...parts, { type: "reasoning", text: "of another model" }] },
        { role: "tool", results: [{ id: "a", content: [{ type: "text", text: "no" }], isError: true }] },
        { role: "user", parts: [{ type: "text", text: "Go on." }] }
      ],
      effort: "low",
      temperature: 1,
      maxOutputTokens: 100
    }
    const { ignored, input } = messages.write(conversation)
    expect(ignored).toEqual([{ setting: "temperature", why: "The model thinks" }])
    expect(input).toEqual({
      model: "m",
      max_tokens: 2148,
      thinking: { type: "enabled", budget_tokens: 2048 },
      system: [{ type: "text", text: "Be short." }],
      messages: [
        { role: "user", content: [{ type: "text", text: "How deep?" }] },
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
    const reading = protocol.reader()
    expect(reading.next(event).some(({ type }) => type === "call")).toBe(false)
    expect(reading.close().at(-1)).toEqual({ type: "call", id: "a", name: "pay", arguments: "{}" })
  })
})
