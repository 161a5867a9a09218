import { createAnthropic } from "@ai-sdk/anthropic"
import { createCohere } from "@ai-sdk/cohere"
import { createGoogle } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import Anthropic from "@anthropic-ai/sdk"
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod"
import { describe, expect, it } from "@effect/vitest"
import { FunctionCallingConfigMode, type FunctionDeclaration, GoogleGenAI, mcpToTool } from "@google/genai"
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { Host, key } from "@tollgate/testing"
import { readmeGateway } from "@tollgate/testing/client/readmeGateway"
import { calls } from "@tollgate/testing/models"
import { cosineSimilarity, embed, embedMany, generateText, Output, rerank, stepCountIs, streamText, tool } from "ai"
import { CohereClient, CohereClientV2, CohereError } from "cohere-ai"
import * as Effect from "effect/Effect"
import OpenAI from "openai"
import { z } from "zod"

// The examples of the SDKs' own readmes, with the address and the key changed, and what an app does next.

globalThis.AI_SDK_LOG_WARNINGS = false

const host = readmeGateway([
  "claude-opus-5-5",
  "claude-haiku-5-5",
  "gemini-flash-latest",
  "gemini-3.1-pro-preview",
  "text-embedding-3-small"
])

const test = (name: string, use: (baseUrl: string) => Promise<unknown>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      yield* Effect.promise(() => use(baseUrl))
      for (const { cost_state, state } of yield* calls) {
        expect(["settled", "released"]).toContain(state)
        if (state === "settled") expect(cost_state).toBe("settled")
      }
    }).pipe(Effect.provide(host))
  )

const Recipe = z.object({
  recipe: z.object({
    name: z.string(),
    ingredients: z.array(z.object({ name: z.string(), amount: z.string() })),
    steps: z.array(z.string())
  })
})

interface Folder {
  name: string
  folders: Array<Folder>
}
const Folder: z.ZodType<Folder> = z.object({
  name: z.string(),
  get folders() {
    return z.array(Folder)
  }
})

describe("@anthropic-ai/sdk", () => {
  const clientAt = (baseURL: string) => new Anthropic({ apiKey: key, baseURL })
  const hello = {
    max_tokens: 1024,
    messages: [{ role: "user" as const, content: "Hello, Claude" }],
    model: "claude-opus-5-5"
  }

  test("its readme", async (baseUrl) => {
    const message = await clientAt(baseUrl).messages.create(hello)
    expect(message.content[0]).toMatchObject({ type: "text", text: expect.stringContaining("Claude") })
  })

  test("counting tokens before a message is sent", async (baseUrl) => {
    const client = clientAt(baseUrl)
    const { max_tokens: _, ...counted } = hello
    const { input_tokens } = await client.messages.countTokens(counted)
    expect(input_tokens).toBe((await client.messages.create(hello)).usage.input_tokens)
  })

  test("a model by its name", async (baseUrl) => {
    const client = clientAt(baseUrl)
    expect(await client.models.retrieve("sandbox")).toMatchObject({ type: "model", id: "sandbox" })
    for (const model of ["org/model", "sandbox-video", "ft:a:b"]) {
      const error = await client.models.retrieve(model).catch((error: unknown) => error)
      expect(error, model).toBeInstanceOf(Anthropic.NotFoundError)
      expect(error).toMatchObject({ error: { type: "error", error: { type: "not_found_error" } } })
    }
  })

  test("a message of a schema that refers to itself", async (baseUrl) => {
    const schema = {
      type: "object",
      properties: { name: { type: "string" }, folders: { type: "array", items: { $ref: "#" } } },
      required: ["name", "folders"],
      additionalProperties: false
    }
    const message = await clientAt(baseUrl).messages.create({
      ...hello,
      output_config: { format: { type: "json_schema", schema } }
    })
    const [block] = message.content
    expect(Folder.safeParse(JSON.parse(block?.type === "text" ? block.text : "")).success).toBe(true)
    const parsed = await clientAt(baseUrl).messages.parse({
      ...hello,
      output_config: { format: zodOutputFormat(Recipe) }
    })
    expect(parsed.parsed_output?.recipe.steps.length).toBeGreaterThan(0)
  })

  test("thinking, whole and as a stream, and a conversation that goes on with it", async (baseUrl) => {
    const client = clientAt(baseUrl)
    const thinking = { ...hello, max_tokens: 2000, thinking: { type: "enabled" as const, budget_tokens: 1024 } }
    const whole = await client.messages.create(thinking)
    expect(whole.content.map(({ type }) => type)).toEqual(["thinking", "text"])
    const final = await client.messages.stream(thinking).finalMessage()
    expect(final.content).toMatchObject(whole.content.map(({ type }) => ({ type })))
    expect(final.usage.output_tokens).toBe(whole.usage.output_tokens)
    const messages = [
      ...hello.messages,
      { role: "assistant" as const, content: whole.content },
      { role: "user" as const, content: "And bridges?" }
    ]
    expect((await client.messages.create({ ...thinking, messages })).content).toHaveLength(2)
  })
})

describe("@google/genai", () => {
  const aiAt = (baseUrl: string) => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl } })
  const model = "gemini-flash-latest"

  test("its readme: quickstart, streaming, contents, chats and errors", async (baseUrl) => {
    const ai = aiAt(baseUrl)
    expect((await ai.models.generateContent({ model, contents: "Why is the sky blue?" })).text).toContain("blue")
    let poem = ""
    for await (const chunk of await ai.models.generateContentStream({ model, contents: "Write a 100-word poem." }))
      poem += chunk.text
    expect(poem).toContain("poem")
    const parts = ["Why?", { text: "Because of rivers." }]
    expect((await ai.models.generateContent({ model, contents: parts })).text).toContain("rivers")
    const chat = ai.chats.create({ model })
    await chat.sendMessage({ message: "Hello" })
    for await (const _ of await chat.sendMessageStream({ message: "And bridges?" }));
    expect(chat.getHistory().length).toBeGreaterThanOrEqual(4)
    const error = await ai.models
      .generateContent({ model: "non-existent-model", contents: "Write a 100-word poem." })
      .catch((error: unknown) => error)
    expect(error).toMatchObject({
      name: "ApiError",
      status: 404,
      message: expect.stringContaining("non-existent-model")
    })
  })

  test("its readme: function calling", async (baseUrl) => {
    const controlLight: FunctionDeclaration = {
      name: "controlLight",
      parametersJsonSchema: {
        type: "object",
        properties: { brightness: { type: "number" }, colorTemperature: { type: "string" } },
        required: ["brightness", "colorTemperature"]
      }
    }
    const response = await aiAt(baseUrl).models.generateContent({
      model,
      contents: "Dim the lights so the room feels cozy and warm.",
      config: {
        toolConfig: {
          functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["controlLight"] }
        },
        tools: [{ functionDeclarations: [controlLight] }]
      }
    })
    expect(response.functionCalls).toEqual([
      { name: "controlLight", args: { brightness: expect.any(Number), colorTemperature: expect.any(String) } }
    ])
  })

  test("its readme: tools of an MCP server", async (baseUrl) => {
    const server = new McpServer({ name: "weather", version: "1.0.0" })
    server.registerTool("get_weather", { inputSchema: { city: z.string() } }, () => ({
      content: [{ type: "text", text: "mild rain" }]
    }))
    const mcpClient = new McpClient({ name: "example-client", version: "1.0.0" })
    const [there, here] = InMemoryTransport.createLinkedPair()
    await Promise.all([server.connect(there), mcpClient.connect(here)])
    const response = await aiAt(baseUrl).models.generateContent({
      model,
      contents: "What is the weather in London?",
      config: { tools: [mcpToTool(mcpClient)] }
    })
    expect(response.text).toContain("mild rain")
    await mcpClient.close()
  })

  test("thinking, and JSON of a schema that refers to itself", async (baseUrl) => {
    const { text, usageMetadata } = await aiAt(baseUrl).models.generateContent({
      model,
      contents: "Why?",
      config: {
        thinkingConfig: { includeThoughts: true, thinkingBudget: 100 },
        responseMimeType: "application/json",
        responseJsonSchema: z.toJSONSchema(Folder)
      }
    })
    expect(Folder.safeParse(JSON.parse(text ?? "")).success).toBe(true)
    expect(usageMetadata).toMatchObject({ thoughtsTokenCount: 100 })
  })

  test("what is not offered is refused clearly", async (baseUrl) => {
    const ai = aiAt(baseUrl)
    const refused = /is not offered here/
    await expect(ai.caches.create({ model, config: {} })).rejects.toThrow(refused)
    await expect(ai.interactions.create({ model, input: "Hello" })).rejects.toThrow(refused)
  })
})

describe("cohere-ai", () => {
  const query = "Which river is longest?"
  const documents = ["Mount Everest is the highest mountain.", "The Nile is the longest river in Africa."]
  const asked = { model: "rerank-v3.5", query, documents, topN: 1 }

  test("reranking with both versions", async (baseUrl) => {
    const cohere = new CohereClient({ token: key, environment: baseUrl })
    const meta = { billedUnits: { searchUnits: 1 } }
    const first = [{ index: 1, relevanceScore: expect.any(Number) }]
    expect(await cohere.v2.rerank(asked)).toMatchObject({ id: expect.any(String), results: first, meta })
    expect(await cohere.rerank(asked)).toMatchObject({ results: first, meta })
    const v2 = new CohereClientV2({ token: key, environment: baseUrl })
    const { data, rawResponse } = await v2.rerank(asked).withRawResponse()
    expect(data.results).toHaveLength(1)
    expect(rawResponse.headers.get("x-tollgate-cost-micros-usd")).toBe("2000")
  })

  test("its readme: chats, which are not offered, and errors", async (baseUrl) => {
    const cohere = new CohereClientV2({ token: key, environment: baseUrl })
    const message = { model: "command-a-03-2025", messages: [{ role: "user" as const, content: "hello world!" }] }
    for (const call of [() => cohere.chat(message), () => cohere.chatStream(message)]) {
      const error = await call().catch((error: unknown) => error)
      expect(error).toBeInstanceOf(CohereError)
      expect(error).toMatchObject({ statusCode: 404, message: expect.stringContaining("/v1/chat/completions") })
    }
    const wrong = new CohereClientV2({ token: "wrong", environment: baseUrl })
    await expect(wrong.rerank(asked)).rejects.toMatchObject({ statusCode: 401 })
  })
})

describe("ai", () => {
  const providersAt = (baseUrl: string) => ({
    anthropic: createAnthropic({ apiKey: key, baseURL: `${baseUrl}/v1` }),
    google: createGoogle({ apiKey: key, baseURL: `${baseUrl}/v1beta` }),
    cohere: createCohere({ apiKey: key, baseURL: `${baseUrl}/v2` }),
    openai: createOpenAI({ apiKey: key, baseURL: `${baseUrl}/v1` })
  })
  const prompt = "Write a vegetarian lasagna recipe for 4 people."
  const weather = tool({
    description: "The weather in a town",
    inputSchema: z.object({ town: z.string() }),
    execute: async () => "mild rain"
  })

  test("the readmes of its providers, and streams, structured data and tools", async (baseUrl) => {
    const { anthropic, google } = providersAt(baseUrl)
    for (const model of [anthropic("claude-haiku-5-5"), google("gemini-3.1-pro-preview")]) {
      expect((await generateText({ model, prompt })).text).toContain("lasagna")
      let streamed = ""
      for await (const text of streamText({ model, prompt }).textStream) streamed += text
      expect(streamed).toContain("lasagna")
      const { output } = await generateText({ model, output: Output.object({ schema: Recipe }), prompt })
      expect(output.recipe.ingredients.length).toBeGreaterThan(0)
      const agent = await generateText({ model, prompt, tools: { weather }, stopWhen: stepCountIs(3) })
      expect(agent.steps.length).toBe(2)
      expect(agent.text).toContain("mild rain")
      expect(agent.totalUsage.outputTokens).toBeGreaterThan(0)
    }
  })

  test("embeddings and ranking", async (baseUrl) => {
    const { cohere, openai } = providersAt(baseUrl)
    const model = openai.embedding("text-embedding-3-small")
    const { embedding, usage } = await embed({ model, value: "sunny day at the beach" })
    expect(embedding).toHaveLength(1536)
    expect(usage.tokens).toBe(5)
    const { embeddings } = await embedMany({ model, values: ["a sunny beach", "rainy night in the city"] })
    const [near, far] = embeddings.map((other) => cosineSimilarity(embedding, other))
    expect(near).toBeGreaterThan(far! + 0.2)
    const documents = ["sunny day at the beach", "rainy day in the city"]
    const { ranking } = await rerank({
      model: cohere.reranking("rerank-v3.5"),
      documents,
      query: "talk about rain",
      topN: 1
    })
    expect(ranking).toHaveLength(1)
    await expect(generateText({ model: cohere("command-a-03-2025"), prompt })).rejects.toMatchObject({
      statusCode: 404,
      responseBody: expect.stringContaining("`/v2/chat` is not offered here")
    })
  })
})

describe("openai", () => {
  const clientAt = (baseUrl: string) => new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1` })
  const model = "text-embedding-3-small"

  test("embeddings: texts, tokens, dimensions, and base64, which the SDK asks for and decodes", async (baseUrl) => {
    const { data: answer, response } = await clientAt(baseUrl)
      .embeddings.create({ model, input: ["The Nile is a river.", "Rivers like the Nile.", "Everest"], dimensions: 64 })
      .withResponse()
    expect(answer.data.map(({ embedding, index }) => [index, embedding.length])).toEqual([
      [0, 64],
      [1, 64],
      [2, 64]
    ])
    const [nile, rivers, everest] = answer.data.map(({ embedding }) => embedding)
    expect(cosineSimilarity(nile!, rivers!)).toBeGreaterThan(cosineSimilarity(nile!, everest!) + 0.2)
    expect(cosineSimilarity(nile!, nile!)).toBeCloseTo(1, 5)
    // Three USD per million tokens of input.
    expect(response.headers.get("x-tollgate-cost-micros-usd")).toBe(String(3 * answer.usage.prompt_tokens))
    const floats = await clientAt(baseUrl).embeddings.create({
      model,
      input: "The Nile is a river.",
      dimensions: 64,
      encoding_format: "float"
    })
    floats.data[0]?.embedding.forEach((number, index) => expect(number).toBeCloseTo(nile![index]!, 6))
    const tokens = await clientAt(baseUrl).embeddings.create({ model, input: [[1, 2, 3], [4]], dimensions: 8 })
    expect([tokens.data.length, tokens.usage.prompt_tokens]).toEqual([2, 4])
  })

  test("a model by its name", async (baseUrl) => {
    const client = clientAt(baseUrl)
    expect(await client.models.retrieve("sandbox")).toMatchObject({
      id: "sandbox",
      object: "model",
      owned_by: "sandbox"
    })
    for (const model of ["org/model", "ft:gpt:a::b", "%2e%2e"]) {
      const error = await client.models.retrieve(model).catch((error: unknown) => error)
      expect(error, model).toBeInstanceOf(OpenAI.NotFoundError)
      expect(error).toMatchObject({ code: "model_not_found", param: "model" })
    }
  })

  test("log probabilities and reasoning tokens", async (baseUrl) => {
    const { choices, usage } = await clientAt(baseUrl).chat.completions.create({
      model: "sandbox",
      messages: [{ role: "user", content: "Why?" }],
      logprobs: true,
      top_logprobs: 2,
      reasoning_effort: "medium"
    })
    expect(choices[0]?.logprobs?.content?.[0]?.top_logprobs).toHaveLength(2)
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBe(64)
  })
})
