import { describe, expect, it } from "vitest"
import type { Event } from "../src/events/Event.ts"
import { textOf } from "@tollgate/client"
import { type Usage, usageOf } from "../src/events/usage.ts"
import { choice } from "./streamScripted.ts"

describe("the text of an event", () => {
  it.each<readonly [string, Event, string]>([
    ["OpenAI", choice("a"), "a"],
    ["OpenAI, another choice", choice("a", 1), ""],
    ["OpenAI, no text", { choices: [{ index: 0, delta: { content: null } }] }, ""],
    ["OpenAI, the usage", { choices: [], usage: {} }, ""],
    ["Responses", { type: "response.output_text.delta", delta: "a" }, "a"],
    ["Responses, a tool", { type: "response.function_call_arguments.delta", delta: "{" }, ""],
    ["Responses, the whole text", { type: "response.output_text.done", text: "a" }, ""],
    ["Anthropic", { type: "content_block_delta", delta: { type: "text_delta", text: "a" } }, "a"],
    ["Anthropic, a tool", { type: "content_block_delta", delta: { partial_json: "{" } }, ""],
    ["Anthropic, an opening", { type: "content_block_start", content_block: { text: "a" } }, ""],
    ["Gemini", { candidates: [{ content: { parts: [{ text: "a" }, { text: "b" }] } }] }, "ab"],
    ["Gemini, a thought", { candidates: [{ content: { parts: [{ text: "a", thought: true }] } }] }, ""],
    ["Gemini, another candidate", { candidates: [{ index: 1, content: { parts: [{ text: "a" }] } }] }, ""],
    ["Responses, the end", { type: "response.completed", response: { object: "response", output: [] } }, ""],
    ["nothing of the kind", { choices: "a", candidates: 1 }, ""]
  ])("%s", (_, event, text) => expect(textOf(event)).toBe(text))
})

describe("the text of an answer", () => {
  const blocks = [
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "a" },
    { type: "tool_use" },
    { type: "text", text: "b" }
  ]
  const message = {
    type: "message",
    content: [
      { type: "output_text", text: "a" },
      { type: "refusal", refusal: "no" }
    ]
  }

  it.each<readonly [string, Event, string]>([
    [
      "OpenAI",
      {
        choices: [
          { index: 0, message: { content: "a" } },
          { index: 1, message: { content: "b" } }
        ]
      },
      "a"
    ],
    ["OpenAI, a tool", { choices: [{ index: 0, message: { content: null, tool_calls: [] } }] }, ""],
    [
      "Responses",
      {
        object: "response",
        output: [{ type: "reasoning", content: [{ type: "reasoning_text", text: "hm" }] }, message]
      },
      "a"
    ],
    ["Anthropic", { type: "message", content: blocks }, "ab"],
    ["Gemini", { candidates: [{ content: { parts: [{ text: "a" }, { text: "b" }] } }] }, "ab"],
    ["nothing of the kind", { object: "response", output: "a" }, ""]
  ])("%s", (_, answer, text) => expect(textOf(answer)).toBe(text))
})

const fold = (...events: ReadonlyArray<Event>): Usage =>
  events.reduce((usage, event) => ({ ...usage, ...usageOf(event) }), {})

describe("token usage", () => {
  it("OpenAI reports it at the end", () =>
    expect(
      fold(choice("a"), {
        choices: [],
        usage: { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } }
      })
    ).toEqual({ input: 6, output: 5, cacheRead: 4 }))

  it("Responses report it at the end", () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
      output_tokens_details: { reasoning_tokens: 3 }
    }
    const expected = { input: 5, output: 5, cacheRead: 4, cacheWrite: 1 }
    expect(fold({ type: "response.created", response: { usage: null } }, { response: { usage } })).toEqual(expected)
    expect(fold({ object: "response", usage })).toEqual(expected)
  })

  it("Anthropic reports it at the start and at the end", () =>
    expect(
      fold(
        {
          type: "message_start",
          message: {
            usage: { input_tokens: 6, output_tokens: 1, cache_read_input_tokens: 4, cache_creation_input_tokens: 2 }
          }
        },
        { type: "message_delta", usage: { output_tokens: 5 } }
      )
    ).toEqual({ input: 6, output: 5, cacheRead: 4, cacheWrite: 2 }))

  it("Gemini reports it with each event", () =>
    expect(
      fold(
        { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1 } },
        {
          usageMetadata: {
            promptTokenCount: 10,
            candidatesTokenCount: 3,
            thoughtsTokenCount: 2,
            cachedContentTokenCount: 4,
            toolUsePromptTokenCount: 1
          }
        }
      )
    ).toEqual({ input: 7, output: 5, cacheRead: 4 }))

  it("is empty if not reported", () =>
    expect(fold(choice("a"), { usage: null }, { usage: { prompt_tokens: -1 } })).toEqual({}))
})
