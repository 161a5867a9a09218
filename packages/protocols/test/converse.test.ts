import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { chat } from "../src/chat/index.ts"
import { codecs as byShape, upstreamCodecs } from "../src/codecs.ts"
import { converse } from "../src/converse/index.ts"
import type { AnswerEvent, Conversation, Message } from "../src/Conversation.ts"
import { parse, stringify } from "../src/exact.ts"
import { isObject, type Json, Malformed } from "../src/json.ts"
import { Lost } from "../src/losses.ts"
import { messages } from "../src/messages/index.ts"
import { conversation, jsonObject } from "./arbitrary.ts"

const nova = "eu.amazon.nova-2-lite-v1:0"
const claude = "global.anthropic.claude-sonnet-5-v1:0"
const llama = "us.meta.llama4-scout-17b-instruct-v1:0"

const written = (more: Partial<Conversation>, model = nova) => {
  const lost = new Lost()
  const asked: Conversation = { model: "m", system: [], messages: [], isStream: false, own: [], ...more }
  const body = converse.writeRequest(asked, lost, { limit: 100, model })
  return { body, lost: [...lost.names], fields: [...lost.fields] }
}

const user = (...parts: (Message & { role: "user" })["parts"]): Message => ({ role: "user", parts })
const said = (...parts: (Message & { role: "assistant" })["parts"]): Message => ({ role: "assistant", parts })
const text = (text: string) => ({ type: "text", text }) as const

const tool = { name: "look", description: "Looks.", parameters: { properties: { at: { type: "string" } } } }

describe("a request of Converse", () => {
  it("has everything in its place", () => {
    const { body, lost } = written({
      system: [text("Be short.")],
      messages: [user(text("Why?"))],
      limit: 300,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      tier: "priority",
      stop: ["END"],
      tools: [{ ...tool, strict: true }],
      toolChoice: "required",
      reasoning: { effort: "minimal" },
      format: { type: "schema", name: "answer", schema: { type: "object", maximum: 5 } }
    })
    expect(lost).toEqual([])
    expect(body).toEqual({
      system: [{ text: "Be short." }],
      messages: [{ role: "user", content: [{ text: "Why?" }] }],
      inferenceConfig: { maxTokens: 300, temperature: 0.5, topP: 0.9, stopSequences: ["END"] },
      additionalModelRequestFields: { top_k: 40 },
      serviceTier: { type: "priority" },
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: "look",
              description: "Looks.",
              inputSchema: { json: { type: "object", properties: { at: { type: "string" } } } },
              strict: true
            }
          }
        ],
        toolChoice: { any: {} }
      },
      outputConfig: {
        effort: "low",
        textFormat: {
          type: "json_schema",
          structure: { jsonSchema: { name: "answer", schema: '{"type":"object","maximum":5}' } }
        }
      }
    })
  })

  it("names no limit where the caller has none", () => {
    expect(written({ messages: [user(text("Why?"))] }).body).toEqual({
      messages: [{ role: "user", content: [{ text: "Why?" }] }]
    })
  })

  it("has the parallel calls of a turn, and all of their results in the next one", () => {
    const { body, lost } = written({
      tools: [tool],
      messages: [
        user(text("Where?")),
        said(
          text("Let me see."),
          { type: "call", id: "a", name: "look", arguments: '{"n":12345678901234567890}' },
          { type: "call", id: "b", name: "look", arguments: "" }
        ),
        user({ type: "result", id: "a", parts: [text("here")] }),
        user({ type: "result", id: "b", parts: [text("lost")], isError: true }),
        user(text("And?"))
      ]
    })
    expect(lost).toEqual([])
    const sent = stringify(body["messages"])
    expect(sent).toContain('{"toolUseId":"a","name":"look","input":{"n":12345678901234567890}}')
    expect((JSON.parse(sent) as ReadonlyArray<Json>).slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { text: "Let me see." },
          { toolUse: { toolUseId: "a", name: "look", input: { n: 12345678901234567000 } } },
          { toolUse: { toolUseId: "b", name: "look", input: {} } }
        ]
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "a", content: [{ text: "here" }] } },
          { toolResult: { toolUseId: "b", content: [{ text: "lost" }], status: "error" } },
          { text: "And?" }
        ]
      }
    ])
  })

  it("refuses arguments of an earlier call that are no object", () => {
    const messages = [user(text("Hi")), said({ type: "call", id: "a", name: "look", arguments: '{"a":' })]
    expect(() => written({ messages })).toThrow(Malformed)
  })

  it("has pictures and documents in it, under names that Bedrock takes and that differ", () => {
    const pdf = { type: "file", mediaType: "application/pdf", source: { base64: "JVBERg==" } } as const
    const { body, lost } = written({
      messages: [
        user(
          { type: "file", mediaType: "image/jpg", source: { base64: "/9j/" } },
          { ...pdf, name: "Bericht_2026 §3.pdf" },
          pdf,
          { type: "file", mediaType: "text/plain; charset=utf-8", source: { text: "Words." }, name: "a  b " },
          { type: "result", id: "a", parts: [{ type: "file", mediaType: "image/png", source: { base64: "iVBO" } }] }
        )
      ]
    })
    expect(lost).toEqual([])
    expect(body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { image: { format: "jpeg", source: { bytes: "/9j/" } } },
          { document: { name: "Bericht-2026 -3-pdf 1", format: "pdf", source: { bytes: "JVBERg==" } } },
          { document: { name: "document 2", format: "pdf", source: { bytes: "JVBERg==" } } },
          { document: { name: "a b 3", format: "txt", source: { text: "Words." } } },
          { toolResult: { toolUseId: "a", content: [{ image: { format: "png", source: { bytes: "iVBO" } } }] } }
        ]
      }
    ])
  })

  it.each(["https://example.com/a.png", "s3://bucket/secret.png"])("does not read %s for a caller", (url) => {
    const { body, lost } = written({
      messages: [user(text("Hi"), { type: "file", mediaType: "image", source: { url } })]
    })
    expect(lost).toEqual(["fileByUrl"])
    expect(JSON.stringify(body)).not.toContain("secret")
  })

  describe("with cache marks", () => {
    const cache = { type: "ephemeral" }
    const marked: Partial<Conversation> = {
      system: [{ ...text("Long."), cache: { ...cache, ttl: "1h" } }],
      tools: [{ ...tool, cache }],
      messages: [
        user({ ...text("Hi"), cache }),
        said({ type: "call", id: "a", name: "look", arguments: "{}", cache }),
        user({ type: "result", id: "a", parts: [{ ...text("here"), cache }] })
      ]
    }
    const point = { cachePoint: { type: "default" } }

    it("has points for Claude, behind what they mark", () => {
      const { body, lost } = written(marked, claude)
      expect(lost).toEqual([])
      expect(body["system"]).toEqual([{ text: "Long." }, { cachePoint: { type: "default", ttl: "1h" } }])
      expect((body["toolConfig"] as { tools: unknown }).tools).toMatchObject([{ toolSpec: {} }, point])
      expect((body["messages"] as ReadonlyArray<Json>).map(({ content }) => content)).toMatchObject([
        [{ text: "Hi" }, point],
        [{ toolUse: {} }, point],
        [{ toolResult: { content: [{ text: "here" }] } }, point]
      ])
    })

    it("has none behind the tools of Nova", () => {
      const { body, lost } = written(marked)
      expect(lost).toEqual(["cache"])
      expect(JSON.stringify(body["toolConfig"])).not.toContain("cachePoint")
      expect(JSON.stringify(body["messages"]).match(/cachePoint/g)).toHaveLength(3)
    })

    it("has none for models for which Bedrock refuses the call, and says so", () => {
      const { body, lost } = written(marked, llama)
      expect(lost).toEqual(["cache"])
      expect(JSON.stringify(body)).not.toContain("cachePoint")
    })
  })

  it("offers no tools where none may be called, unless the turns used some", () => {
    const none = { tools: [tool], toolChoice: "none" } as const
    expect(written({ ...none, messages: [user(text("Hi"))] })).toEqual({
      body: { messages: [{ role: "user", content: [{ text: "Hi" }] }] },
      lost: [],
      fields: []
    })
    const used = [user(text("Hi")), said({ type: "call", id: "a", name: "look", arguments: "{}" })]
    expect(written({ ...none, messages: used })).toMatchObject({ lost: ["own"], fields: ["tool_choice"] })
  })

  it("says that a named tool must be called, and not that only one may be", () => {
    const { body, lost } = written({ tools: [tool], toolChoice: { name: "look" }, isParallel: false })
    expect([(body["toolConfig"] as Json)["toolChoice"], lost]).toEqual([{ tool: { name: "look" } }, ["oneTool"]])
  })

  it("counts a budget of reasoning in words, and says that it cannot do without", () => {
    expect(written({ reasoning: { budget: 5_000 } }).body["outputConfig"]).toEqual({ effort: "medium" })
    expect(written({ reasoning: { isAdaptive: true } }).body).not.toHaveProperty("outputConfig")
    const off = written({ reasoning: { isOff: true } })
    expect([off.body["outputConfig"], off.lost]).toEqual([undefined, ["noReasoning"]])
  })

  it("says what callers of every protocol say", () => {
    fc.assert(
      fc.property(conversation, fc.constantFrom(...Object.values(byShape)), (given, codec) => {
        const body = parse(stringify(codec.writeRequest(given, new Lost(), { limit: 100 })))
        if (!isObject(body)) throw new Error("no object")
        const asked = codec.readRequest({ ...body, model: "m", stream: given.isStream })
        const lost = new Lost()
        const sent = converse.writeRequest(asked, lost, { limit: 100, model: nova })
        const fields = [...lost.fields].filter((field) => field !== "tool_choice")
        expect([[...lost.names].filter((name) => name !== "own"), fields]).toEqual([[], []])
        expect(stringify(sent)).not.toContain("undefined")
      })
    )
  })
})

describe("reasoning", () => {
  const options = { created: 0, wantsUsage: false, isArray: false }
  const content = [
    { reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } },
    { reasoningContent: { redactedContent: "cmVk" } },
    { toolUse: { toolUseId: "a", name: "look", input: {} } }
  ]
  const answer = converse.readAnswer({ output: { message: { role: "assistant", content } }, stopReason: "tool_use" })
  const back = (of: ReadonlyArray<Message>) => written({ messages: of }).body["messages"]
  const turn = [{ role: "assistant", content }]

  it("goes back as it came, through each protocol that callers speak", () => {
    expect(back([said(...answer.parts)])).toEqual(turn)
    const { content: blocks } = messages.writeAnswer(answer, options)
    expect(
      back(messages.readRequest({ max_tokens: 1, messages: [{ role: "assistant", content: blocks }] }).messages)
    ).toEqual(turn)
    const [{ message }] = chat.writeAnswer(answer, options)["choices"] as [{ message: Json }]
    expect(back(chat.readRequest({ messages: [message] }).messages)).toEqual(turn)
    const { output } = byShape.responses.writeAnswer(answer, options)
    expect(back(byShape.responses.readRequest({ input: output }).messages)).toEqual(turn)
    const [{ content: candidate }] = byShape.generateContent.writeAnswer(answer, options)["candidates"] as [
      { content: Json }
    ]
    const read = byShape.generateContent.readRequest({ contents: [candidate] })
    expect(back(read.messages)).toEqual([
      {
        role: "assistant",
        content: content.map((block) =>
          "toolUse" in block ? { toolUse: { ...block.toolUse, toolUseId: "a" } } : block
        )
      }
    ])
  })

  it("of another maker is not said to Bedrock, nor Bedrock's to another", () => {
    const sealed = { by: "anthropic", data: "c2ln" } as const
    expect(written({ messages: [user(text("Hi")), said({ type: "reasoning", text: "Hm.", sealed })] }).lost).toEqual([
      "sealed"
    ])
    for (const codec of Object.values(byShape)) {
      const lost = new Lost()
      codec.writeRequest(
        { model: "m", system: [], messages: [user(text("Hi")), said(...answer.parts)], isStream: false, own: [] },
        lost,
        { limit: 1 }
      )
      expect([...lost.names], codec.shape).toContain("sealed")
    }
  })
})

describe("an answer of Converse", () => {
  it("is read with its usage", () => {
    const read = converse.readAnswer({
      output: {
        message: {
          role: "assistant",
          content: [
            { text: "Here:" },
            { citationsContent: { content: [{ text: "a rule" }], citations: [{ title: "Law" }] } },
            { image: { format: "png", source: { bytes: "iVBO" } } },
            { fromTheFuture: { text: "?" } }
          ]
        }
      },
      stopReason: "end_turn",
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 30, cacheReadInputTokens: 12, cacheWriteInputTokens: 3 }
    })
    expect(read).toEqual({
      id: "",
      model: "",
      parts: [text("Here:"), text("a rule")],
      finish: "stop",
      reason: "end_turn",
      usage: { input: 10, output: 5, cacheRead: 12, cacheWrite: 3 }
    })
  })

  it.each([
    ["end_turn", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["stop_sequence", "sequence"],
    ["tool_use", "calls"],
    ["content_filtered", "filter"],
    ["guardrail_intervened", "filter"],
    ["malformed_model_output", "other"],
    ["malformed_tool_use", "other"],
    ["constructor", "other"]
  ])("ends by %s as %s", (stopReason, finish) => {
    expect(converse.readAnswer({ stopReason }).finish).toBe(finish)
    const [event] = converse.reader().next({ messageStop: { stopReason } })
    expect(event).toEqual({ type: "finish", finish, reason: stopReason, sequence: undefined })
  })

  it("asks for tools even if it says that its turn ends", () => {
    const content = [{ toolUse: { toolUseId: "a", name: "look", input: {} } }]
    expect(converse.readAnswer({ output: { message: { content } }, stopReason: "end_turn" }).finish).toBe("calls")
  })

  it("keeps the digits of arguments", () => {
    fc.assert(
      fc.property(jsonObject, (input) => {
        const body = parse(
          `{"output":{"message":{"content":[{"toolUse":{"toolUseId":"a","name":"n","input":${input}}}]}}}`
        )
        expect(converse.readAnswer(body as Json).parts).toEqual([
          { type: "call", id: "a", name: "n", arguments: input }
        ])
      })
    )
  })
})

const start = (contentBlockIndex: number, toolUse: Json) => ({
  contentBlockStart: { contentBlockIndex, start: { toolUse } }
})
const delta = (contentBlockIndex: number, delta: Json) => ({ contentBlockDelta: { contentBlockIndex, delta } })
const stop = (contentBlockIndex: number) => ({ contentBlockStop: { contentBlockIndex } })
const began = { messageStart: { role: "assistant" } }
const ends = (stopReason: string) => ({ messageStop: { stopReason } })
const metadata = {
  metadata: { usage: { inputTokens: 9, outputTokens: 4, totalTokens: 13 }, metrics: { latencyMs: 7 } }
}

const read = (...events: ReadonlyArray<Json>): ReadonlyArray<AnswerEvent> => {
  const reader = converse.reader()
  return events.flatMap((event) => reader.next(event))
}

describe("a stream of Converse", () => {
  it("has text, reasoning that is signed in pieces, and tools whose input comes in pieces", () => {
    const events = read(
      began,
      delta(0, { reasoningContent: { text: "H" } }),
      delta(0, { reasoningContent: { text: "m." } }),
      delta(0, { reasoningContent: { signature: "c2" } }),
      delta(0, { reasoningContent: { signature: "ln" } }),
      stop(0),
      delta(1, { reasoningContent: { redactedContent: "cm" } }),
      delta(1, { reasoningContent: { redactedContent: "Vk" } }),
      stop(1),
      delta(2, { text: "Let " }),
      delta(2, { text: "me see." }),
      stop(2),
      start(3, { toolUseId: "a", name: "look" }),
      delta(3, { toolUse: { input: '{"at":' } }),
      delta(3, { toolUse: { input: '"home"}' } }),
      stop(3),
      start(4, { toolUseId: "b", name: "now" }),
      stop(4),
      ends("tool_use"),
      metadata
    )
    expect(events).toEqual([
      { type: "start", id: "", model: "" },
      { type: "open", part: "reasoning" },
      { type: "more", text: "H" },
      { type: "more", text: "m." },
      { type: "sealed", sealed: { by: "amazon", data: "c2ln" } },
      { type: "close" },
      { type: "open", part: "reasoning" },
      { type: "sealed", sealed: { by: "amazon", data: "redactedcmVk" } },
      { type: "close" },
      { type: "open", part: "text" },
      { type: "more", text: "Let " },
      { type: "more", text: "me see." },
      { type: "close" },
      { type: "open", part: "call", id: "a", name: "look" },
      { type: "more", text: '{"at":' },
      { type: "more", text: '"home"}' },
      { type: "close" },
      { type: "open", part: "call", id: "b", name: "now" },
      { type: "more", text: "{}" },
      { type: "close" },
      { type: "finish", finish: "calls", reason: "tool_use", sequence: undefined },
      { type: "usage", usage: { input: 9, output: 4, cacheRead: undefined, cacheWrite: undefined } },
      { type: "end" }
    ])
  })

  it("passes broken JSON of a tool on as it was written", () => {
    const events = read(
      began,
      start(0, { toolUseId: "a", name: "look" }),
      delta(0, { toolUse: { input: '{"at":"ho' } }),
      stop(0),
      ends("max_tokens")
    )
    expect(events.slice(1)).toEqual([
      { type: "open", part: "call", id: "a", name: "look" },
      { type: "more", text: '{"at":"ho' },
      { type: "close" },
      { type: "finish", finish: "length", reason: "max_tokens", sequence: undefined }
    ])
  })

  it("passes over blocks and events that nobody knows", () => {
    const events = read(
      began,
      { contentBlockStart: { contentBlockIndex: 0, start: { image: { format: "png" } } } },
      delta(0, { image: { source: { bytes: "iVBO" } } }),
      stop(0),
      delta(1, { citation: { title: "Law" } }),
      { fromTheFuture: { text: "?" } },
      {}
    )
    expect(events).toEqual([{ type: "start", id: "", model: "" }])
  })

  it("closes a part that was not stopped", () => {
    expect(read(began, delta(0, { text: "Hi" }), ends("end_turn")).slice(1)).toMatchObject([
      { type: "open" },
      { type: "more" },
      { type: "close" },
      { type: "finish" }
    ])
  })

  it("does not make up a call for input without a beginning", () => {
    expect(() => read(began, delta(3, { toolUse: { input: "{}" } }))).toThrow(Malformed)
  })

  it("is an error where an event is one", () => {
    const error = { type: "api_error", message: "It broke." }
    expect(read({ type: "error", error })).toEqual([{ type: "error", message: "It broke.", code: "api_error" }])
  })
})

describe("anything else", () => {
  const json = fc.jsonValue({ maxDepth: 4 })
  const one = fc.oneof(
    fc.dictionary(fc.constantFrom("output", "stopReason", "usage", "metrics"), json),
    fc
      .tuple(
        fc.constantFrom(
          "messageStart",
          "contentBlockStart",
          "contentBlockDelta",
          "contentBlockStop",
          "messageStop",
          "metadata"
        ),
        fc.oneof(
          json,
          fc.record({
            contentBlockIndex: json,
            delta: fc.oneof(json, fc.record({ text: json, toolUse: fc.record({ input: json }) })),
            start: fc.record({ toolUse: json })
          })
        )
      )
      .map(([name, value]) => ({ [name]: value }))
  ) as fc.Arbitrary<Json>

  it("is read, or said to be wrong", () => {
    fc.assert(
      fc.property(fc.array(one, { maxLength: 8 }), (events) => {
        const reader = converse.reader()
        for (const event of events) {
          try {
            converse.readAnswer(event)
            reader.next(event)
          } catch (error) {
            if (!(error instanceof Malformed)) throw error
          }
        }
      })
    )
  })

  it("may be deep", () => {
    const deep = JSON.parse(`${'{"citationsContent":{"content":['.repeat(20_000)}1${"]}}".repeat(20_000)}`) as Json
    expect(converse.readAnswer({ output: { message: { content: [deep] } } }).parts).toEqual([])
  })
})

it("is a protocol of upstreams only", () => {
  expect(Object.keys(upstreamCodecs)).toEqual([...Object.keys(byShape), "converse"])
})
