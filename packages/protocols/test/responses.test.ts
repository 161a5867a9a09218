import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { chat } from "../src/chat/index.ts"
import type { Codec, WriterOptions } from "../src/Codec.ts"
import type { Answer, AnswerEvent, Conversation } from "../src/Conversation.ts"
import { parse, stringify } from "../src/exact.ts"
import { generateContent } from "../src/generateContent/index.ts"
import { isObject, type Json, Malformed } from "../src/json.ts"
import { Lost } from "../src/losses.ts"
import { messages } from "../src/messages/index.ts"
import { responses } from "../src/responses/index.ts"

const options: WriterOptions = { created: 1_800_000_000, wantsUsage: true, isArray: false }

/** The request in the words of `to`, and what it could not say. */
const told = (to: Codec, conversation: Conversation) => {
  const lost = new Lost()
  const body = to.writeRequest(conversation, lost, { limit: 4_096 })
  return { body, lost: [...lost.names].sort(), fields: [...lost.fields] }
}

/** The request in the words of responses, and back in the first ones. */
const there = (codec: Codec, body: Json) => {
  const { body: asked, ...first } = told(responses, codec.readRequest(body))
  const { body: back, ...second } = told(codec, responses.readRequest(asked))
  return { asked, back, losses: [first, second] }
}

const none = { lost: [], fields: [] }
const weather = { type: "object", properties: { town: { type: "string" } }, required: ["town"] }
const png = "iVBORw0KGgo="

/** The events in a text, each of whose names is that of its data. */
const eventsIn = (text: string): ReadonlyArray<Json> =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => {
      const [name, data] = event.split("\n")
      const json = JSON.parse(data?.replace("data: ", "") ?? "") as Json
      expect(name).toBe(`event: ${String(json["type"])}`)
      return json
    })

const write = (codec: Codec, events: ReadonlyArray<AnswerEvent>): string => {
  const writer = codec.writer(options)
  return events.map(writer.next).join("")
}

const read = (codec: Codec, events: ReadonlyArray<Json>): ReadonlyArray<AnswerEvent> => {
  const reader = codec.reader()
  return events.flatMap((event) => [...reader.next(event)])
}

const usage = { input: 20, output: 12, cacheRead: 8, cacheWrite: 3, reasoning: 5 }

const answer: Answer = {
  id: "a1",
  model: "m",
  parts: [
    { type: "reasoning", text: "Think.", sealed: { by: "anthropic", data: "c2ln" } },
    { type: "text", text: "Let me look." },
    { type: "call", id: "c1", name: "weather", arguments: '{"town":"Bergen"}', sealed: { by: "google", data: "Z29v" } },
    { type: "call", id: "c2", name: "time", arguments: "{}" }
  ],
  finish: "calls",
  reason: "tool_use",
  usage
}

/** The same answer while it arrives. */
const arriving: ReadonlyArray<AnswerEvent> = [
  { type: "start", id: "a1", model: "m" },
  { type: "open", part: "reasoning" },
  { type: "more", text: "Thi" },
  { type: "more", text: "nk." },
  { type: "sealed", sealed: { by: "anthropic", data: "c2ln" } },
  { type: "close" },
  { type: "open", part: "text" },
  { type: "more", text: "Let me" },
  { type: "more", text: " look." },
  { type: "close" },
  { type: "open", part: "call", id: "c1", name: "weather", sealed: { by: "google", data: "Z29v" } },
  { type: "more", text: '{"town":' },
  { type: "more", text: '"Bergen"}' },
  { type: "close" },
  { type: "open", part: "call", id: "c2", name: "time" },
  { type: "close" },
  { type: "usage", usage },
  { type: "finish", finish: "calls", reason: "tool_use" },
  { type: "end" }
]

describe("a request of responses", () => {
  it("is read with all that it says", () => {
    const conversation = responses.readRequest({
      model: "m",
      instructions: "Be brief.",
      input: [
        { role: "developer", content: "In English." },
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is this?" },
            { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "low" },
            { type: "input_image", image_url: "https://example.com/a.png", detail: "auto", file_id: null },
            { type: "input_file", file_data: "data:application/pdf;base64,JVBER", filename: "a.pdf" },
            { type: "input_file", file_url: "https://example.com/a.pdf" },
            { type: "input_file", file_id: "file-1" }
          ]
        },
        {
          type: "reasoning",
          id: "rs_1",
          summary: [
            { type: "summary_text", text: "First." },
            { type: "summary_text", text: "Then." }
          ],
          encrypted_content: "gAAAA"
        },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [
            { type: "output_text", text: "A cat.", annotations: [] },
            { type: "refusal", refusal: "No more." }
          ]
        },
        { type: "function_call", id: "fc_1", call_id: "c1", name: "weather", arguments: '{"town":"Bergen"}' },
        { type: "function_call", id: "fc_2", call_id: "c2", name: "time", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: "Rain" },
        {
          type: "function_call_output",
          call_id: "c2",
          output: [
            { type: "input_text", text: "Noon" },
            { type: "input_image", image_url: "https://example.com/clock.png" }
          ]
        },
        { role: "system", content: "Now in Norwegian." }
      ],
      tools: [
        { type: "function", name: "weather", description: "The weather", parameters: weather, strict: false },
        { type: "function", name: "time", parameters: null, strict: true }
      ],
      tool_choice: { type: "function", name: "weather" },
      parallel_tool_calls: false,
      text: { format: { type: "json_schema", name: "place", schema: weather, strict: true }, verbosity: "low" },
      reasoning: { effort: "high", summary: "auto" },
      max_output_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      service_tier: "flex",
      user: "u",
      metadata: { a: "b" },
      prompt_cache_key: "k",
      safety_identifier: "s",
      include: ["reasoning.encrypted_content"],
      truncation: "disabled",
      background: false,
      store: true,
      stream: true,
      stream_options: { include_obfuscation: false },
      previous_response_id: null
    })
    expect(conversation).toEqual({
      model: "m",
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "In English." }
      ],
      messages: [
        {
          role: "user",
          parts: [
            { type: "text", text: "What is this?" },
            { type: "file", mediaType: "image/png", source: { base64: png }, detail: "low" },
            { type: "file", mediaType: "image", source: { url: "https://example.com/a.png" }, detail: "auto" },
            { type: "file", mediaType: "application/pdf", source: { base64: "JVBER" }, name: "a.pdf" },
            { type: "file", mediaType: "application/pdf", source: { url: "https://example.com/a.pdf" } },
            { type: "file", mediaType: "application", source: { id: "file-1", by: "openai" } }
          ]
        },
        {
          role: "assistant",
          parts: [
            { type: "reasoning", text: "First.\n\nThen.", sealed: { by: "openai", data: "gAAAA" }, id: "rs_1" },
            { type: "text", text: "A cat." },
            { type: "refusal", text: "No more." },
            { type: "call", id: "c1", name: "weather", arguments: '{"town":"Bergen"}' },
            { type: "call", id: "c2", name: "time", arguments: "{}" }
          ]
        },
        {
          role: "user",
          parts: [
            { type: "result", id: "c1", parts: [{ type: "text", text: "Rain" }] },
            {
              type: "result",
              id: "c2",
              parts: [
                { type: "text", text: "Noon" },
                { type: "file", mediaType: "image", source: { url: "https://example.com/clock.png" } }
              ]
            }
          ]
        },
        { role: "system", parts: [{ type: "text", text: "Now in Norwegian." }] }
      ],
      tools: [
        { name: "weather", description: "The weather", parameters: weather },
        { name: "time", strict: true }
      ],
      toolChoice: { name: "weather" },
      isParallel: false,
      format: { type: "schema", name: "place", schema: weather, strict: true },
      reasoning: { effort: "high", isShown: true },
      limit: 100,
      temperature: 0.5,
      topP: 0.9,
      verbosity: "low",
      tier: "flex",
      user: "u",
      metadata: { a: "b" },
      cacheKey: "k",
      safetyIdentifier: "s",
      isStream: true,
      own: []
    })
    // Written again it says the same, and asks for nothing to be stored.
    const { body, ...losses } = told(responses, conversation)
    expect(losses).toEqual(none)
    expect(body).toMatchObject({
      store: false,
      stream: true,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "high", summary: "auto" },
      text: { verbosity: "low", format: { type: "json_schema", name: "place", schema: weather, strict: true } },
      tools: [
        { name: "weather", strict: false },
        { name: "time", parameters: null, strict: true }
      ]
    })
    expect(responses.readRequest(body)).toEqual(conversation)
  })

  it("may be a text", () => {
    const conversation = responses.readRequest({ model: "m", input: "Why?" })
    expect(conversation.messages).toEqual([{ role: "user", parts: [{ type: "text", text: "Why?" }] }])
    expect(told(responses, conversation).body).toEqual({
      model: "m",
      input: [{ role: "user", content: "Why?" }],
      store: false
    })
  })

  it("may be an empty text, which is no missing one", () => {
    const { body } = told(responses, responses.readRequest({ model: "m", input: "" }))
    expect(body["input"]).toEqual([{ role: "user", content: "" }])
    expect(responses.readRequest({ model: "m" }).messages).toEqual([])
  })

  it("has no turn of items that say nothing", () => {
    const { messages: turns } = responses.readRequest({
      model: "m",
      input: [
        { role: "user", content: "Hi" },
        { type: "reasoning", id: "rs_1", summary: [] },
        { role: "assistant", content: "" },
        { role: "developer", content: [] },
        { role: "user", content: "So?" }
      ]
    })
    expect(turns.map(({ role }) => role)).toEqual(["user", "user"])
  })

  it("names what only this protocol has", () => {
    const { own } = responses.readRequest({
      model: "m",
      input: [
        { type: "item_reference", id: "rs_1" },
        { id: "rs_1" },
        { type: "web_search_call", id: "ws_1" },
        { role: "tool", content: "x" }
      ],
      tools: [{ type: "web_search" }, { type: "custom", name: "x" }],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [] },
      include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
      truncation: "auto",
      background: true,
      previous_response_id: "resp_1",
      conversation: "conv_1",
      prompt: { id: "p" },
      max_tool_calls: 2,
      text: { format: { type: "grammar" } },
      reasoning: { mode: "pro" }
    })
    expect([...own].sort()).toEqual(
      [
        "background",
        "conversation",
        "include",
        "input[0]",
        "input[1]",
        "input[2]",
        "input[3]",
        "max_tool_calls",
        "previous_response_id",
        "prompt",
        "reasoning.mode",
        "text.format",
        "tool_choice",
        "tools[0]",
        "tools[1]",
        "truncation"
      ].sort()
    )
  })

  it("gets no reasoning but OpenAI's own, and no summary that nobody asked for", () => {
    const assistant = (by: "openai" | "anthropic"): Conversation => ({
      model: "m",
      system: [],
      messages: [
        { role: "assistant", parts: [{ type: "reasoning", text: "Hm.", sealed: { by, data: "d" }, id: "rs_1" }] },
        { role: "user", parts: [{ type: "text", text: "Go on" }] }
      ],
      isStream: false,
      own: []
    })
    const own = told(responses, assistant("openai"))
    expect(own.lost).toEqual([])
    expect(own.body["input"]).toEqual([
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "d" },
      { role: "user", content: "Go on" }
    ])
    const other = told(responses, assistant("anthropic"))
    expect(other.lost).toEqual(["sealed"])
    expect(other.body["input"]).toEqual([{ role: "user", content: "Go on" }])
    const off = told(responses, { ...assistant("openai"), messages: [], reasoning: { isOff: true, isShown: true } })
    expect(off.body).toEqual({ model: "m", input: [], reasoning: { effort: "none" }, store: false })
  })

  it("has a document of text as text", () => {
    const parts = [{ type: "file", mediaType: "text/plain", source: { text: "A document." } }] as const
    const { body, lost } = told(responses, {
      model: "m",
      system: [],
      messages: [{ role: "user", parts }],
      isStream: false,
      own: []
    })
    expect(body["input"]).toEqual([{ role: "user", content: "A document." }])
    expect(lost).toEqual([])
  })

  it("says what it has no words for, and nothing else", () => {
    const lost = told(responses, {
      model: "m",
      system: [{ type: "text", text: "a", cache: {} }],
      messages: [
        {
          role: "user",
          parts: [
            { type: "file", mediaType: "audio/wav", source: { base64: "" } },
            { type: "file", mediaType: "video/mp4", source: { base64: "" } },
            { type: "file", mediaType: "image", source: { id: "f", by: "anthropic" } },
            {
              type: "result",
              id: "c",
              parts: [{ type: "own", shape: "messages", value: { type: "x" } }],
              isError: true
            }
          ]
        },
        {
          role: "assistant",
          parts: [{ type: "call", id: "c", name: "n", arguments: "{}", sealed: { by: "google", data: "d" } }]
        }
      ],
      topK: 1,
      seed: 1,
      frequencyPenalty: 1,
      presencePenalty: 1,
      stop: ["x"],
      isStream: false,
      own: []
    })
    expect(lost.lost).toEqual([...responses.cannot].sort())
    expect(lost.fields).toEqual(["x"])
  })

  it("of hostile JSON is read, or is malformed", () => {
    const places = fc.constantFrom("input", "instructions", "tools", "tool_choice", "text", "reasoning", "include")
    const types = fc.constantFrom("message", "reasoning", "function_call", "function_call_output", "item_reference")
    const roles = fc.constantFrom("user", "assistant", "system", "__proto__")
    const parts = fc.array(fc.record({ type: fc.constantFrom("input_text", "input_image", "input_file", "refusal") }))
    const item = fc.oneof(
      fc.record({ type: types, content: fc.jsonValue(), output: fc.jsonValue(), summary: fc.jsonValue() }),
      fc.record({ role: roles, content: fc.oneof(fc.jsonValue(), parts) })
    )
    const body = fc.dictionary(places, fc.oneof(fc.jsonValue(), fc.array(item)))
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), body), (value) => {
        if (!isObject(value)) return
        try {
          const { body: asked } = told(responses, responses.readRequest(value))
          expect(responses.readRequest(asked).own).toEqual([])
        } catch (error) {
          expect(error).toBeInstanceOf(Malformed)
        }
      }),
      { numRuns: 2_000 }
    )
  })

  it("may have very many items", () => {
    const many = 200_000
    const input = Array.from({ length: many }, (_, i) => ({ role: i % 2 === 0 ? "system" : "assistant", content: "x" }))
    const parts = Array.from({ length: many }, () => ({ type: "output_text", text: "x" }))
    const { messages: read } = responses.readRequest({
      model: "m",
      input: [...input, { role: "assistant", content: parts }]
    })
    expect(read).toHaveLength(many - 1)
    expect(read.at(-1)?.parts).toHaveLength(many + 1)
  })

  it("keeps the digits of its numbers", () => {
    const conversation = responses.readRequest(
      parse('{"model":"m","input":[],"temperature":0.10000000000000000001}') as Json
    )
    expect(stringify(told(responses, conversation).body)).toContain('"temperature":0.10000000000000000001')
  })
})

describe("a request of chat completions", () => {
  const body = {
    model: "m",
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}`, detail: "low" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBER" } }
        ]
      },
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "weather", arguments: '{"n":12345678901234567890}' } },
          { id: "c2", type: "function", function: { name: "time", arguments: "{}" } }
        ]
      },
      { role: "tool", tool_call_id: "c1", content: "Rain" },
      { role: "tool", tool_call_id: "c2", content: "Noon" },
      { role: "system", content: "In Norwegian." },
      { role: "user", content: "So?" }
    ],
    max_completion_tokens: 100,
    temperature: 0.5,
    verbosity: "low",
    reasoning_effort: "high",
    tools: [
      { type: "function", function: { name: "weather", description: "The weather", parameters: weather } },
      { type: "function", function: { name: "time", strict: true } }
    ],
    tool_choice: { type: "function", function: { name: "weather" } },
    parallel_tool_calls: false,
    response_format: { type: "json_schema", json_schema: { name: "place", schema: weather, strict: true } },
    stream: true,
    stream_options: { include_usage: true }
  }

  it("comes back as it was", () => {
    const { asked, back, losses } = there(chat, body)
    expect(losses).toEqual([none, none])
    expect(back).toEqual({ ...body, tools: [body.tools[0], { ...body.tools[1] }] })
    expect(asked).toMatchObject({ instructions: "Be brief.", max_output_tokens: 100, store: false })
    expect(asked["tools"]).toMatchObject([{ strict: false }, { strict: true, parameters: null }])
  })

  it("brings OpenAI's reasoning back", () => {
    const detail = { type: "reasoning.text", text: "Hm.", signature: "gAAAA", format: "openai-responses-v1", index: 0 }
    const { asked } = there(chat, {
      model: "m",
      messages: [{ role: "assistant", content: "Yes.", reasoning_details: [detail] }]
    })
    expect(asked["input"]).toEqual([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "gAAAA" },
      { role: "assistant", content: [{ type: "output_text", text: "Yes." }] }
    ])
    expect(asked["include"]).toEqual(["reasoning.encrypted_content"])
  })

  it("with fields of a function or format that is none is malformed", () => {
    for (const wrong of [
      { tools: [{ type: "function", function: 1 }] },
      { tool_choice: { type: "function", function: 1 } },
      { response_format: { type: "json_schema", json_schema: 1 } }
    ]) {
      expect(() => chat.readRequest({ model: "m", messages: [], ...wrong })).toThrow(Malformed)
    }
  })
})

describe("a request of messages", () => {
  const sealed = "openai:gAAAA"
  const body = {
    model: "m",
    max_tokens: 2_000,
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
          { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } }
        ]
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: sealed },
          { type: "text", text: "Let me look." },
          { type: "tool_use", id: "t1", name: "weather", input: { town: "Bergen" } }
        ]
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "t1",
            content: [
              { type: "text", text: "Rain" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: png } }
            ]
          },
          { type: "text", text: "So?" }
        ]
      }
    ],
    tools: [{ name: "weather", input_schema: weather }],
    tool_choice: { type: "any", disable_parallel_tool_use: true },
    thinking: { type: "adaptive", display: "summarized" },
    output_config: { effort: "high" },
    temperature: 1,
    stream: true
  }

  it("comes back as it was, but for OpenAI's reasoning, which Anthropic does not take", () => {
    const { asked, back, losses } = there(messages, body)
    expect(losses).toEqual([none, { lost: ["sealed"], fields: [] }])
    const [user, turn, result] = body.messages
    expect(back).toEqual({ ...body, messages: [user, { ...turn, content: turn?.content.slice(1) }, result] })
    expect(asked).toMatchObject({
      reasoning: { effort: "high", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      tool_choice: "required",
      parallel_tool_calls: false
    })
    expect(asked["input"]).toContainEqual({
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content: "gAAAA"
    })
  })
})

describe("an answer", () => {
  it("of another maker brings its signatures back with the next request", () => {
    const written = responses.writeAnswer(answer, options)
    const output = written["output"] as ReadonlyArray<Json>
    expect(output.map(({ id, type }) => [type, id])).toEqual([
      ["reasoning", "rs_a1_0"],
      ["message", "msg_a1_1"],
      ["reasoning", "rs_a1_2"],
      ["function_call", "fc_a1_3"],
      ["function_call", "fc_a1_4"]
    ])
    expect(output[0]?.["encrypted_content"]).toBe("anthropic:c2ln")
    const { messages: turns } = responses.readRequest({ model: "m", input: output })
    expect(turns).toEqual([
      { role: "assistant", parts: [{ ...answer.parts[0], id: "rs_a1_0" }, ...answer.parts.slice(1)] }
    ])
    expect(responses.readAnswer(written)).toEqual({
      ...answer,
      parts: turns[0]?.parts,
      reason: "completed"
    })
  })

  it.each([
    ["stop", "completed", null],
    ["length", "incomplete", { reason: "max_output_tokens" }],
    ["filter", "incomplete", { reason: "content_filter" }],
    ["other", "incomplete", { reason: "pause_turn" }]
  ] as const)("that ended by %s is %s", (finish, status, details) => {
    const written = responses.writeAnswer({ ...answer, parts: [], finish, reason: "pause_turn" }, options)
    expect(written).toMatchObject({ status, incomplete_details: details, error: null })
    expect(responses.readAnswer(written).finish).toBe(finish)
  })

  it("that failed is never one that stopped", () => {
    const failed = responses.readAnswer({ id: "r", status: "failed", error: { code: "server_error" }, output: [] })
    expect(failed).toMatchObject({ finish: "other", reason: "failed" })
    expect(responses.writeAnswer(failed, options)).toMatchObject({ status: "failed", error: { code: "server_error" } })
    for (const status of [undefined, null, "in_progress", "cancelled", "incomplete"]) {
      expect(responses.readAnswer({ status }).finish).toBe("other")
    }
  })

  it("counts cached tokens in the input, and reasoning in the output", () => {
    const { usage: counted } = responses.writeAnswer(answer, options)
    expect(counted).toEqual({
      input_tokens: 31,
      input_tokens_details: { cached_tokens: 8, cache_write_tokens: 3 },
      output_tokens: 12,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 43
    })
    expect(responses.readAnswer({ usage: counted }).usage).toEqual(usage)
  })

  it.each([chat, messages, generateContent])("of $shape comes back as it was", (codec) => {
    const first = codec.readAnswer(codec.writeAnswer(answer, options))
    expect(first.parts).toEqual(answer.parts)
    const second = responses.readAnswer(responses.writeAnswer(first, options))
    const ids = second.parts.map((part) => (part.type === "reasoning" ? { ...part, id: undefined } : part))
    const body = (of: Answer) => codec.writeAnswer({ ...of, reason: "" }, options)
    expect(body({ ...second, parts: ids })).toEqual(body(first))
  })

  it("of an upstream may be anything", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("id", "output", "usage", "status", "model"), fc.jsonValue()),
        (value) => {
          try {
            responses.readAnswer(value as Json)
          } catch (error) {
            expect(error).toBeInstanceOf(Malformed)
          }
        }
      ),
      { numRuns: 1_000 }
    )
  })
})

describe("a stream", () => {
  it("has the whole answer in its last event, and in its own pieces", () => {
    const events = eventsIn(write(responses, arriving))
    expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_, i) => i))
    const last = events.at(-1)
    expect(last?.["type"]).toBe("response.completed")
    expect(last?.["response"]).toEqual(responses.writeAnswer(answer, options))
    const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item)
    expect(last?.["response"]).toMatchObject({ output: done })
    expect(events.map(({ type }) => type).slice(0, 12)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta"
    ])
  })

  it("is read as it was written", () => {
    const events = read(responses, eventsIn(write(responses, arriving)))
    const again = arriving.flatMap((event): ReadonlyArray<AnswerEvent> => {
      // A call without arguments has an empty object.
      if (event.type === "open" && event.part === "call" && event.id === "c2")
        return [event, { type: "more", text: "{}" }]
      return [event.type === "finish" ? { ...event, reason: "completed" } : event]
    })
    expect(events).toEqual(again)
  })

  it.each([chat, messages, generateContent])("of $shape comes back as it was", (codec) => {
    const data = (text: string): ReadonlyArray<Json> =>
      text
        .split("\n")
        .filter((line) => line.startsWith("data: {"))
        .map((line) => JSON.parse(line.slice(6)) as Json)
    const once = read(codec, data(write(codec, arriving)))
    const ended: ReadonlyArray<AnswerEvent> = once.at(-1)?.type === "end" ? once : [...once, { type: "end" }]
    const twice = read(responses, eventsIn(write(responses, ended)))
    const text = (all: ReadonlyArray<AnswerEvent>) =>
      all.map((event) => (event.type === "more" ? event.text : event.type === "open" ? `<${event.part}>` : "")).join("")
    const bare = (all: string) => all.replace("<call>{}", "<call>")
    expect(bare(text(twice))).toBe(bare(text(ended)))
    const seals = (all: ReadonlyArray<AnswerEvent>) =>
      all.flatMap((event) => ("sealed" in event ? [[event.type, event.sealed]] : []))
    expect(seals(twice)).toEqual(seals(ended))
    expect(seals(twice)).toEqual(seals(arriving))
    expect(twice.at(-2)).toMatchObject({ type: "finish", finish: "calls" })
    expect(twice.at(-1)).toEqual({ type: "end" })
  })

  it("that did not end has no last event, and one that was cut off is incomplete", () => {
    const cut = eventsIn(write(responses, arriving.slice(0, 8)))
    expect(cut.at(-1)?.["type"]).toBe("response.output_text.delta")
    const start = arriving[0] as AnswerEvent
    const length = [start, { type: "finish", finish: "length", reason: "max_tokens" }, { type: "end" }] as const
    expect(eventsIn(write(responses, length)).at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
    })
  })

  const created = { type: "response.created", response: { id: "r", model: "m" } }

  it("may show the reasoning itself, refuse, and have summaries of several parts", () => {
    const item = (type: string) => ({ type: "response.output_item.added", item: { type } })
    const events = read(responses, [
      created,
      item("reasoning"),
      { type: "response.reasoning_summary_part.added", summary_index: 0 },
      { type: "response.reasoning_summary_text.delta", delta: "First." },
      { type: "response.reasoning_summary_part.added", summary_index: 1 },
      { type: "response.reasoning_summary_text.delta", delta: "Then." },
      { type: "response.output_item.done", item: { type: "reasoning", summary: [], encrypted_content: "gAAAA" } },
      item("reasoning"),
      { type: "response.reasoning_text.delta", delta: "Raw." },
      { type: "response.output_item.done", item: { type: "reasoning", summary: [] } },
      item("message"),
      { type: "response.refusal.delta", delta: "No." },
      {
        type: "response.incomplete",
        response: { status: "incomplete", incomplete_details: { reason: "content_filter" } }
      }
    ])
    expect(events.map((event) => (event.type === "more" ? event.text : event.type))).toEqual(
      ["start", "open", "First.", "\n\n", "Then.", "sealed", "close", "open", "Raw.", "close"].concat([
        "open",
        "No.",
        "close",
        "finish",
        "end"
      ])
    )
    expect(events.at(-2)).toMatchObject({ finish: "filter" })
  })

  it("may have only whole items", () => {
    const call = { type: "function_call", call_id: "c1", name: "weather", arguments: '{"a":1}' }
    const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] }
    const events = read(responses, [
      created,
      { type: "response.output_item.done", output_index: 0, item: said },
      { type: "response.output_item.added", output_index: 1, item: { ...call, arguments: "" } },
      { type: "response.function_call_arguments.delta", output_index: 1, delta: '{"a":1}' },
      { type: "response.output_item.done", output_index: 1, item: call },
      { type: "response.output_item.done", output_index: 2, item: { ...call, call_id: "c2" } }
    ])
    expect(events).toEqual([
      { type: "start", id: "r", model: "m" },
      { type: "open", part: "text" },
      { type: "more", text: "Hi" },
      { type: "close" },
      { type: "open", part: "call", id: "c1", name: "weather" },
      { type: "more", text: '{"a":1}' },
      { type: "close" },
      { type: "open", part: "call", id: "c2", name: "weather" },
      { type: "more", text: '{"a":1}' },
      { type: "close" }
    ])
  })

  it("may have what was not sent before only in its last event", () => {
    const thought = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Think." }] }
    const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "weather", arguments: '{"a":1}' }
    const said = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hi" }] }
    const delta = { type: "response.output_text.delta", output_index: 1, item_id: "msg_1", delta: "Hi" }
    const last = (...output: ReadonlyArray<Json>) => ({
      type: "response.completed",
      response: { status: "completed", output }
    })
    const text = (...events: ReadonlyArray<Json>) =>
      read(responses, [created, ...events])
        .map((event) => (event.type === "more" ? event.text : event.type === "open" ? `<${event.part}>` : ""))
        .join("")
    const all = [thought, said, call]
    expect(text(last(...all))).toBe('<reasoning>Think.<text>Hi<call>{"a":1}')
    expect(read(responses, [created, last(...all)]).at(-2)).toMatchObject({ type: "finish", finish: "calls" })
    // Nothing is said twice, wherever the upstream says that it stands.
    expect(text(delta, last(...all))).toBe('<text>Hi<reasoning>Think.<call>{"a":1}')
    expect(text(delta, last(said))).toBe("<text>Hi")
    expect(text({ ...delta, output_index: 5 }, last(said))).toBe("<text>Hi")
    expect(text({ ...delta, output_index: undefined, item_id: undefined }, last(said, call))).toBe(
      '<text>Hi<call>{"a":1}'
    )
    const done = (item: Json) => ({ type: "response.output_item.done", item })
    expect(text(done(said), last(said, call))).toBe('<text>Hi<call>{"a":1}')
    expect(text(...all.map(done), last(...all))).toBe(text(last(...all)))
    // A call that has begun gets its arguments.
    const added = { type: "response.output_item.added", output_index: 0, item: { ...call, arguments: "" } }
    expect(text(added, last(call))).toBe('<call>{"a":1}')
  })

  it.each([
    [{ type: "error", code: "server_error", message: "Broken" }],
    [{ type: "error", error: { code: "server_error", message: "Broken" } }],
    [{ type: "response.failed", response: { status: "failed", error: { code: "server_error", message: "Broken" } } }]
  ])("that fails is an error: %j", (event) => {
    expect(read(responses, [event])).toEqual([{ type: "error", message: "Broken", code: "server_error" }])
  })

  it("of an upstream may be anything", () => {
    const types = eventsIn(write(responses, arriving)).map(({ type }) => type as string)
    const event = fc.record({
      type: fc.constantFrom(...types, "response.failed", "error", "__proto__", "constructor"),
      item: fc.oneof(fc.jsonValue(), fc.record({ type: fc.constantFrom("message", "reasoning", "function_call") })),
      output_index: fc.oneof(fc.nat(3), fc.jsonValue()),
      delta: fc.oneof(fc.string(), fc.jsonValue()),
      response: fc.jsonValue()
    })
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const writer = responses.writer(options)
        let open = 0
        try {
          for (const each of read(responses, events)) {
            if (each.type === "open") open++
            if (each.type === "close") open--
            expect(open === 0 || open === 1).toBe(true)
            if (each.type === "more") expect(open).toBe(1)
            eventsIn(writer.next(each))
          }
        } catch (error) {
          expect(error).toBeInstanceOf(Malformed)
        }
      }),
      { numRuns: 1_000 }
    )
  })
})
