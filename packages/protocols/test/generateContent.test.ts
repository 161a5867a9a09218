import { describe, expect, it } from "vitest"
import type { AnswerEvent, AnswerPart, Conversation, Maker } from "../src/Conversation.ts"
import { parse, stringify } from "../src/exact.ts"
import { generateContent as gemini } from "../src/generateContent/index.ts"
import { isObject, type Json, Malformed } from "../src/json.ts"
import { Lost } from "../src/losses.ts"
import { messages } from "../src/messages/index.ts"

const read = (body: Json): Conversation => gemini.readRequest({ model: "m", contents: [], ...body })

const config = (generationConfig: Json): Conversation => read({ generationConfig })

const written = (conversation: Partial<Conversation>): Json =>
  gemini.writeRequest({ model: "m", system: [], messages: [], isStream: true, own: [], ...conversation }, new Lost(), {
    limit: 100
  })

const user = (...parts: ReadonlyArray<Json>) => ({ role: "user", parts })
const model = (...parts: ReadonlyArray<Json>) => ({ role: "model", parts })

const options = { created: 0, wantsUsage: true, isArray: false }

describe("a request", () => {
  it("leaves the model and the stream to the path", () => {
    expect(written({})).toEqual({ contents: [] })
  })

  it("has names in camel or snake case, and not in both", () => {
    const snake = read({
      system_instruction: { parts: { text: "Be short." } },
      contents: [
        { parts: [{ inline_data: { mime_type: "image/png", data: "AA==" } }, { file_data: { file_uri: "gs://a" } }] }
      ],
      tools: [{ function_declarations: [{ name: "look", parameters_json_schema: { type: "object", a_b: 1 } }] }],
      tool_config: { function_calling_config: { mode: "ANY", allowed_function_names: ["look"] } },
      generation_config: { max_output_tokens: 5, stop_sequences: ["x"], thinking_config: { thinking_budget: 0 } },
      service_tier: "FLEX"
    })
    expect(snake).toMatchObject({
      system: [{ type: "text", text: "Be short." }],
      messages: [
        {
          role: "user",
          parts: [{ mediaType: "image/png", source: { base64: "AA==" } }, { source: { id: "gs://a", by: "google" } }]
        }
      ],
      tools: [{ name: "look", parameters: { type: "object", a_b: 1 } }],
      toolChoice: { name: "look" },
      limit: 5,
      stop: ["x"],
      reasoning: { isOff: true },
      tier: "flex",
      own: []
    })
    expect(() => read({ generationConfig: { topP: 1, top_p: 0.5 } })).toThrow(Malformed)
  })

  it("matches results to calls by their ids, or by their names in order", () => {
    const { messages } = read({
      contents: [
        model(
          { functionCall: { name: "look", args: { n: 1 } } },
          { functionCall: { name: "add" } },
          { functionCall: { name: "look", args: { n: 2 }, id: "given" } }
        ),
        user(
          { functionResponse: { name: "add", response: { output: 3 } } },
          { functionResponse: { id: "given", name: "look", response: { temperature: 20 } } },
          { functionResponse: { name: "look", response: { error: "none" } } }
        )
      ]
    })
    expect(messages[0]?.parts).toMatchObject([{ id: "call_0" }, { id: "call_1", arguments: "{}" }, { id: "given" }])
    expect(messages[1]?.parts).toEqual([
      { type: "result", id: "call_1", parts: [{ type: "text", text: "3" }] },
      { type: "result", id: "given", parts: [{ type: "text", text: '{"temperature":20}' }] },
      { type: "result", id: "call_0", parts: [{ type: "text", text: "none" }], isError: true }
    ])
    const alone = [user({ functionResponse: { name: "look", response: {} } })]
    expect(() => read({ contents: alone })).toThrow("contents[0].parts[0].functionResponse: a call")
  })

  it("writes results in the order of their calls, with their names", () => {
    const call = (id: string, name: string): AnswerPart => ({ type: "call", id, name, arguments: "{}" })
    const result = (id: string, text: string) => ({
      type: "result" as const,
      id,
      parts: [{ type: "text" as const, text }]
    })
    const given: Conversation["messages"] = [
      { role: "assistant", parts: [call("a", "look"), call("b", "look")] },
      { role: "user", parts: [result("b", "two")] },
      { role: "user", parts: [result("a", '{"n":12345678901234567890}')] }
    ]
    const body = written({ messages: given })
    expect(stringify(body["contents"])).toBe(
      '[{"role":"model","parts":[{"functionCall":{"name":"look","args":{}}},{"functionCall":{"name":"look","args":{}}}]},' +
        '{"role":"user","parts":[{"functionResponse":{"name":"look","response":{"n":12345678901234567890}}},' +
        '{"functionResponse":{"name":"look","response":{"output":"two"}}}]}]'
    )
    expect(() => written({ messages: given.slice(1) })).toThrow(Malformed)
    const broken = { type: "call", id: "a", name: "look", arguments: "[1]" } as const
    expect(() => written({ messages: [{ role: "assistant", parts: [broken] }] })).toThrow(Malformed)
    expect(() => read({ contents: [model({ functionCall: { name: "look", args: [] } })] })).toThrow(Malformed)
  })

  it("takes Google's own schemas for JSON Schema", () => {
    const parameters = {
      type: "OBJECT",
      propertyOrdering: ["type", "list"],
      properties: {
        type: { type: "STRING", nullable: true, enum: ["a"] },
        list: {
          type: "ARRAY",
          minItems: "1",
          items: { anyOf: [{ type: "INTEGER" }, { type: "NUMBER" }], nullable: true }
        }
      }
    }
    const { format, tools } = read({
      tools: [{ functionDeclarations: [{ name: "look", parameters }] }],
      generationConfig: { responseMimeType: "application/json", responseSchema: parameters }
    })
    const schema = {
      type: "object",
      properties: {
        type: { type: ["string", "null"], enum: ["a", null] },
        list: {
          type: "array",
          minItems: 1,
          items: { anyOf: [{ type: "integer" }, { type: "number" }, { type: "null" }] }
        }
      }
    }
    expect(tools?.[0]?.parameters).toEqual(schema)
    expect(format).toEqual({ type: "schema", schema })
    const deep = parse(`{"items":`.repeat(50_000) + "{}" + "}".repeat(50_000))
    expect(() => config({ responseSchema: deep })).toThrow(Malformed)
  })

  it.each([
    [{ thinkingBudget: 0 }, { isOff: true }],
    [
      { thinkingBudget: -1, includeThoughts: true },
      { isAdaptive: true, isShown: true }
    ],
    [{ thinkingBudget: 1024 }, { budget: 1024 }],
    [
      { thinkingLevel: "high", includeThoughts: true },
      { effort: "high", isShown: true }
    ],
    [{ includeThoughts: true }, { isShown: true }]
  ])("says how much it reasons: %j", (thinkingConfig, reasoning) => {
    expect(config({ thinkingConfig }).reasoning).toEqual(reasoning)
    expect(written({ reasoning })).toMatchObject({ generationConfig: { thinkingConfig } })
  })

  it("makes strict tools of a mode that checks them, and the other way", () => {
    const mode = { functionCallingConfig: { mode: "VALIDATED" } }
    const { toolChoice, tools } = read({ toolConfig: mode, tools: [{ functionDeclarations: [{ name: "look" }] }] })
    expect([toolChoice, tools?.[0]?.strict]).toEqual(["auto", true])
    expect(written({ tools: tools ?? [] })["toolConfig"]).toEqual(mode)
  })

  it("names what has no place elsewhere", () => {
    const { own } = read({
      contents: [{ role: "system", parts: [] }],
      tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: "look", response: {} }] }],
      toolConfig: { functionCallingConfig: { mode: "AUTO", allowedFunctionNames: ["look"] }, retrievalConfig: {} },
      generationConfig: {
        candidateCount: 2,
        responseModalities: ["TEXT", "IMAGE"],
        responseMimeType: "text/x.enum",
        mediaResolution: "LOW",
        thinkingConfig: { more: 1 }
      },
      safetySettings: [{ category: "a", threshold: "b" }],
      cachedContent: "c",
      systemInstruction: { parts: [{ inlineData: {} }] }
    })
    expect(own.toSorted()).toEqual([
      "cachedContent",
      "contents[0]",
      "generationConfig.candidateCount",
      "generationConfig.mediaResolution",
      "generationConfig.responseMimeType",
      "generationConfig.responseModalities",
      "generationConfig.thinkingConfig.more",
      "safetySettings",
      "systemInstruction.parts[0]",
      "toolConfig.functionCallingConfig.allowedFunctionNames",
      "toolConfig.retrievalConfig",
      "tools[0].googleSearch",
      "tools[1].functionDeclarations[0].response"
    ])
    const usual = { candidateCount: 1, responseModalities: ["TEXT"], responseMimeType: "text/plain" }
    expect(read({ generationConfig: usual, safetySettings: [], serviceTier: "standard" })).toMatchObject({
      own: [],
      tier: "default"
    })
    const { messages: said } = read({
      contents: [user({ fileData: { fileUri: "gs://v" }, videoMetadata: { fps: 1 } })]
    })
    const lost = new Lost()
    messages.writeRequest({ ...read({}), messages: said }, lost, { limit: 1 })
    expect([...lost.fields]).toEqual(["videoMetadata"])
  })
})

describe("signatures", () => {
  // The last is what LangChain sends.
  const dummies = [
    "skip_thought_signature_validator",
    "context_engineering_is_the_way_to_go",
    btoa("skip_thought_signature_validator"),
    "ErYCCrMCAdHtim9kOoOkrPiCNVsmlpMIKd7ZMxgiFbVQOkgp7nlLcDMzVsZwIzvuT7nQROivoXA72ccC2lSDvR0Gh7dkWaGuj7ctv6t7Zcc="
  ]

  it.each(dummies)("are not there if %s stands for them", (thoughtSignature) => {
    const { messages } = read({ contents: [model({ functionCall: { name: "look", args: {} }, thoughtSignature })] })
    expect(messages[0]?.parts).toEqual([{ type: "call", id: "call_0", name: "look", arguments: "{}" }])
  })

  it("are said to be missing to models that want one on the first call of each turn", () => {
    const call = (id: string) => ({ type: "call", id, name: "look", arguments: "{}" }) as const
    const said = [{ ...call("a"), sealed: { by: "google", data: "c2ln" } } as const, call("b")]
    const turns = (model: string, parts: ReadonlyArray<AnswerPart>) =>
      written({ model, messages: [{ role: "assistant", parts }] })["contents"]
    const functionCall = { name: "look", args: {} }
    const dummy = "skip_thought_signature_validator"
    for (const name of ["gemini-3-flash-preview", "gemini-3.1-pro"]) {
      const unsigned = { functionCall, thoughtSignature: dummy }
      expect(turns(name, [call("a"), call("b")])).toEqual([model(unsigned, { functionCall })])
      expect(turns(name, said)).toEqual([model({ functionCall, thoughtSignature: "c2ln" }, { functionCall })])
      expect(turns(name, [{ type: "text", text: "Hi" }])).toEqual([model({ text: "Hi" })])
    }
    expect(turns("gemini-2.5-flash", [call("a")])).toEqual([model({ functionCall })])
  })

  const contents = [
    user({ text: "Hi" }),
    model(
      { text: "Hm", thought: true, thoughtSignature: "c2ln" },
      { text: "Yes", thoughtSignature: "dGV4dA==" },
      { functionCall: { name: "look", args: {} }, thoughtSignature: "Y2FsbA==" },
      { text: "", thoughtSignature: "bGFzdA==" }
    ),
    user({ functionResponse: { name: "look", response: { output: "ok" } } })
  ]

  it("stand where they stood", () => {
    expect(written({ messages: read({ contents }).messages })["contents"]).toEqual(contents)
  })

  it.each(["openai", "anthropic", "google"] satisfies ReadonlyArray<Maker>)("of %s come back as they were", (by) => {
    const sealed = { by, data: by === "openai" ? "gAAA-_8=" : "EqQB+/8=" }
    const parts: ReadonlyArray<AnswerPart> = [
      { type: "reasoning", text: "Hm", sealed },
      { type: "reasoning", text: "", sealed },
      { type: "text", text: "Yes" },
      { type: "call", id: "c", name: "look", arguments: "{}", sealed }
    ]
    const answer = { id: "a", model: "m", parts, finish: "calls", reason: "", usage: {} } as const
    const { candidates } = gemini.writeAnswer(answer, options) as { candidates: ReadonlyArray<{ content: Json }> }
    const content = candidates[0]?.content ?? {}
    expect(read({ contents: [content] }).messages[0]?.parts).toEqual(parts)
    // Some SDKs decode them, and write the other alphabet.
    const python = stringify(content).replaceAll("+", "-").replaceAll("/", "_")
    const again = read({ contents: [JSON.parse(by === "google" ? stringify(content) : python)] })
    expect(again.messages[0]?.parts).toEqual(parts)
  })
})

const end = { type: "end" }

const chunk = (candidate: Json, more: Json = {}): Json => ({
  candidates: [{ index: 0, ...candidate }],
  modelVersion: "m",
  responseId: "r-1",
  ...more
})

const usageMetadata = {
  promptTokenCount: 10,
  cachedContentTokenCount: 4,
  toolUsePromptTokenCount: 3,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 2,
  totalTokenCount: 20
}

const usage = { input: 9, output: 7, cacheRead: 4, reasoning: 2 }

const streamed = (...chunks: ReadonlyArray<Json>): ReadonlyArray<AnswerEvent> => {
  const reader = gemini.reader()
  return chunks.flatMap((each) => reader.next(each))
}

describe("an answer", () => {
  it("has ids for its calls, other ones in each answer", () => {
    const content = model({ functionCall: { name: "look" } }, { functionCall: { name: "look", id: "given" } })
    const {
      finish,
      parts,
      usage: used
    } = gemini.readAnswer(chunk({ content, finishReason: "STOP" }, { usageMetadata }))
    expect(parts).toMatchObject([{ id: "call_r-1_0" }, { id: "given" }])
    expect([finish, used]).toEqual(["calls", usage])
    const other = gemini.readAnswer({ ...chunk({ content }), responseId: "r-2" })
    expect(other.parts).toMatchObject([{ id: "call_r-2_0" }, { id: "given" }])
  })

  it.each([
    ["SAFETY", "filter"],
    ["PROHIBITED_CONTENT", "filter"],
    ["MAX_TOKENS", "length"],
    ["MALFORMED_FUNCTION_CALL", "other"]
  ])("that ends with %s ends with %s", (finishReason, finish) => {
    expect(gemini.readAnswer(chunk({ finishReason }))).toMatchObject({ finish, reason: finishReason })
  })

  it("to a blocked prompt has no candidates", () => {
    const blocked = { promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 3 } }
    expect(gemini.readAnswer(blocked)).toMatchObject({ finish: "filter", reason: "SAFETY", parts: [] })
    expect(streamed(blocked).slice(-2)).toEqual([{ type: "finish", finish: "filter", reason: "SAFETY" }, end])
  })

  it("without a reason is not complete", () => {
    expect(gemini.readAnswer(chunk({ content: model({ text: "a" }) }))).toMatchObject({ finish: "other", reason: "" })
  })
})

describe("a stream", () => {
  it("ends once, with the reason and the usage", () => {
    const parts = (...said: ReadonlyArray<Json>) => ({ content: model(...said) })
    const events = streamed(
      chunk(parts({ text: "Hm", thought: true }), { usageMetadata: { promptTokenCount: 10 } }),
      chunk(parts({ text: "Ye" })),
      chunk(parts({ text: "s", thoughtSignature: "c2ln" })),
      chunk(parts({ functionCall: { name: "look", args: { n: 1 } }, thoughtSignature: "Y2FsbA==" })),
      chunk({ finishReason: "STOP" }, { usageMetadata }),
      chunk({}, { usageMetadata })
    )
    const google = (data: string) => ({ by: "google", data })
    expect(events.filter(({ type }) => type !== "usage")).toEqual([
      { type: "start", id: "r-1", model: "m" },
      { type: "open", part: "reasoning" },
      { type: "more", text: "Hm" },
      { type: "close" },
      { type: "open", part: "text" },
      { type: "more", text: "Ye" },
      { type: "close" },
      { type: "open", part: "reasoning" },
      { type: "sealed", sealed: google("c2ln") },
      { type: "close" },
      { type: "open", part: "text" },
      { type: "more", text: "s" },
      { type: "close" },
      { type: "open", part: "call", id: "call_r-1_0", name: "look", sealed: google("Y2FsbA==") },
      { type: "more", text: '{"n":1}' },
      { type: "close" },
      { type: "finish", finish: "calls", reason: "STOP" },
      end
    ])
    expect(events.filter(({ type }) => type === "usage").at(-1)).toEqual({ type: "usage", usage })
  })

  it("ends with the usage if that comes later, and not without", () => {
    const cut = [chunk({ content: model({ text: "a" }) }), chunk({ finishReason: "STOP" })]
    expect(streamed(...cut)).not.toContainEqual(end)
    expect(streamed(...cut, { usageMetadata }).slice(-2)).toEqual([{ type: "usage", usage }, end])
    expect(streamed(chunk({ content: model({ text: "a" }) }, { usageMetadata }))).not.toContainEqual(end)
    expect(streamed(...cut, ...cut).at(-1)).toMatchObject({ type: "error" })
  })

  it("says what is wrong", () => {
    const error = { code: 503, message: "Overloaded", status: "UNAVAILABLE" }
    expect(streamed({ error })).toEqual([{ type: "error", message: "Overloaded", code: "UNAVAILABLE" }])
  })

  const events: ReadonlyArray<AnswerEvent> = [
    { type: "start", id: "r-1", model: "m" },
    { type: "open", part: "text" },
    { type: "more", text: "Hi" },
    { type: "close" },
    { type: "open", part: "call", id: "c", name: "look" },
    { type: "more", text: '{"n":123456789' },
    { type: "more", text: "01234567890}" },
    { type: "close" },
    { type: "usage", usage },
    { type: "finish", finish: "calls", reason: "tool_calls" },
    { type: "end" }
  ]

  it("is events, text at once and calls as a whole", () => {
    const writer = gemini.writer(options)
    const written = events.map((event) => writer.next(event))
    // The text, the end of the call, and the end.
    expect(written.flatMap((text, i) => (text === "" ? [] : [i]))).toEqual([2, 7, 10])
    expect(written[7]).toBe(
      'data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"c","name":"look",' +
        '"args":{"n":12345678901234567890}}}],"role":"model"},"index":0}],"modelVersion":"m","responseId":"r-1"}\r\n\r\n'
    )
  })

  it("is one array, also if nothing was said", () => {
    const whole = (given: ReadonlyArray<AnswerEvent>): ReadonlyArray<unknown> => {
      const writer = gemini.writer({ ...options, isArray: true })
      return JSON.parse(given.map((event) => writer.next(event)).join("")) as ReadonlyArray<unknown>
    }
    expect(whole(events)).toHaveLength(3)
    const [last] = whole(events.slice(-1))
    expect(isObject(last) && last["candidates"]).toEqual([
      { content: { parts: [], role: "model" }, finishReason: "OTHER", index: 0 }
    ])
    const read = streamed(...(whole(events) as ReadonlyArray<Json>))
    expect(read.at(-1)).toEqual(end)
    const broken = whole([...events.slice(0, 3), { type: "error", message: "It broke." }])
    expect(broken.at(-1)).toMatchObject({ error: { message: "It broke." } })
    expect(streamed(...(broken as ReadonlyArray<Json>)).at(-1)).toMatchObject({ type: "error", message: "It broke." })
  })

  it("keeps arguments that are no object", () => {
    const writer = gemini.writer(options)
    const given = events.map((event) => (event.type === "more" ? { ...event, text: "oops" } : event))
    expect(given.map((event) => writer.next(event)).join("")).toContain('"args":{"invalid_json":"oopsoops"}')
  })
})
