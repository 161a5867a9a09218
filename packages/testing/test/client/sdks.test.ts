import Anthropic from "@anthropic-ai/sdk"
import { describe, expect, it } from "@effect/vitest"
import { GoogleGenAI } from "@google/genai"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import OpenAI from "openai"
import { calls, priced } from "@tollgate/testing/models"

// Official SDKs with default settings, except for the address and the key.

const host = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ operations: priced, limits: true, sandbox: "all" }))
)

/** Waits until all calls have ended, because a caller may leave earlier. */
const ended = Effect.gen(function* () {
  for (;;) {
    const all = yield* calls
    if (all.every(({ state }) => state !== "open")) return all
    yield* Effect.sleep("5 millis")
  }
})

const test = (name: string, use: (baseUrl: string) => Promise<unknown>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      yield* Effect.promise(() => use(baseUrl))
      for (const call of yield* ended) expect(["settled", "released"]).toContain(call.state)
    }).pipe(Effect.provide(host))
  )

const messages = [{ role: "user", content: "Why do rivers bend?" }] as const
const weather = {
  name: "get_weather",
  description: "The weather in a town",
  parameters: { type: "object", properties: { town: { type: "string" } }, required: ["town"] }
} as const

describe("openai", () => {
  const client = (baseUrl: string, defaultHeaders: Record<string, string> = {}) =>
    new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, maxRetries: 0, defaultHeaders })

  test("a chat completion", async (baseUrl) => {
    const { data, response } = await client(baseUrl)
      .chat.completions.create({ model: "sandbox", messages: [...messages] })
      .withResponse()
    expect(data.choices[0]?.message.content).toContain("rivers")
    expect(data.usage?.total_tokens).toBe((data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0))
    expect(Number(response.headers.get("x-tollgate-cost-micros-usd"))).toBeGreaterThan(0)
    expect(response.headers.get("x-tollgate-cost-state")).toBe("settled")
  })

  test("a stream, with usage when asked for", async (baseUrl) => {
    const plain = await client(baseUrl).chat.completions.create({
      model: "sandbox",
      messages: [...messages],
      stream: true
    })
    let text = ""
    for await (const chunk of plain) {
      text += chunk.choices[0]?.delta.content ?? ""
      expect(chunk.usage ?? undefined).toBeUndefined()
    }
    expect(text).toContain("rivers")
    const asked = await client(baseUrl).chat.completions.create({
      model: "sandbox",
      messages: [...messages],
      stream: true,
      stream_options: { include_usage: true }
    })
    let usage: OpenAI.CompletionUsage | null | undefined
    for await (const chunk of asked) usage = chunk.usage ?? usage
    expect(usage?.completion_tokens).toBeGreaterThan(0)
  })

  test("a tool call and its result", async (baseUrl) => {
    const openai = client(baseUrl)
    const tools = [{ type: "function" as const, function: weather }]
    const first = await openai.chat.completions.create({ model: "sandbox", messages: [...messages], tools })
    const [call] = first.choices[0]?.message.tool_calls ?? []
    if (call?.type !== "function") throw new Error("no tool was called")
    expect(call.function.name).toBe("get_weather")
    expect(JSON.parse(call.function.arguments)).toHaveProperty("town")
    const second = await openai.chat.completions.create({
      model: "sandbox",
      messages: [...messages, first.choices[0]!.message, { role: "tool", tool_call_id: call.id, content: "mild rain" }],
      tools
    })
    expect(second.choices[0]?.message.content).toContain("mild rain")
  })

  test("aborting a stream", async (baseUrl) => {
    const slow = client(baseUrl, { "X-Tollgate-Scenario": "interval; ms=20" })
    const stream = await slow.chat.completions.create({ model: "sandbox", messages: [...messages], stream: true })
    let seen = 0
    for await (const _ of stream) if (++seen === 3) stream.controller.abort()
    expect(seen).toBe(3)
  })

  test("errors of the SDK's own classes", async (baseUrl) => {
    const wrong = new OpenAI({ apiKey: "sk-wrong", baseURL: `${baseUrl}/v1`, maxRetries: 0 })
    const ask = { model: "sandbox", messages: [...messages] }
    await expect(wrong.chat.completions.create(ask)).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
    const limited = client(baseUrl, { "X-Tollgate-Scenario": "status; code=429; after=7" })
    const error = await limited.chat.completions.create(ask).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect((error as InstanceType<typeof OpenAI.RateLimitError>).headers?.get("retry-after")).toBe("7")
    expect((error as InstanceType<typeof OpenAI.RateLimitError>).code).toBe("upstream_rate_limit")
    const capped = client(baseUrl, { "X-Tollgate-Max-Price-Usd": "0.000001" })
    await expect(capped.chat.completions.create(ask)).rejects.toMatchObject({ status: 402, code: "over_cap" })
    const none = await client(baseUrl)
      .chat.completions.create({ ...ask, model: "no-such" })
      .catch((error: unknown) => error)
    expect(none).toBeInstanceOf(OpenAI.NotFoundError)
    expect(none).toMatchObject({ status: 404, code: "model_not_found" })
  })

  test("the list of models", async (baseUrl) => {
    const ids: Array<string> = []
    for await (const model of client(baseUrl).models.list()) ids.push(model.id)
    expect(ids).toEqual(expect.arrayContaining(["sandbox", "sandbox-video", "rerank"]))
  })
})

describe("@anthropic-ai/sdk", () => {
  const client = (baseURL: string, defaultHeaders: Record<string, string> = {}) =>
    new Anthropic({ apiKey: key, baseURL, maxRetries: 0, defaultHeaders })
  const ask = { model: "sandbox", max_tokens: 200, messages: [...messages] }

  test("a message", async (baseUrl) => {
    const message = await client(baseUrl).messages.create(ask)
    expect(message.content[0]).toMatchObject({ type: "text" })
    expect(message.usage.output_tokens).toBeGreaterThan(0)
  })

  test("a stream, collected by the SDK", async (baseUrl) => {
    const stream = client(baseUrl).messages.stream(ask)
    let text = ""
    stream.on("text", (piece) => (text += piece))
    const final = await stream.finalMessage()
    expect(final.content[0]).toEqual({ type: "text", text })
    expect(final.stop_reason).toBe("end_turn")
  })

  test("a tool", async (baseUrl) => {
    const tools = [
      {
        name: weather.name,
        description: weather.description,
        input_schema: { ...weather.parameters, required: ["town"] }
      }
    ]
    const message = await client(baseUrl).messages.create({ ...ask, tools })
    expect(message.stop_reason).toBe("tool_use")
    expect(message.content.find(({ type }) => type === "tool_use")).toMatchObject({ name: "get_weather" })
  })

  test("errors of the SDK's own classes", async (baseUrl) => {
    const wrong = new Anthropic({ apiKey: "sk-wrong", baseURL: baseUrl, maxRetries: 0 })
    await expect(wrong.messages.create(ask)).rejects.toBeInstanceOf(Anthropic.AuthenticationError)
    const failing = client(baseUrl, { "X-Tollgate-Scenario": "stream-error; after=3" })
    await expect(failing.messages.stream(ask).finalMessage()).rejects.toThrow()
  })
})

describe("@google/genai", () => {
  const client = (baseUrl: string) => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl } })
  const ask = { model: "sandbox", contents: "Why do rivers bend?" }

  test("content", async (baseUrl) => {
    const answer = await client(baseUrl).models.generateContent(ask)
    expect(answer.text).toContain("rivers")
    expect(answer.usageMetadata?.totalTokenCount).toBeGreaterThan(0)
  })

  test("a stream of content", async (baseUrl) => {
    let text = ""
    let pieces = 0
    for await (const piece of await client(baseUrl).models.generateContentStream(ask)) {
      text += piece.text ?? ""
      pieces++
    }
    expect(text).toContain("rivers")
    expect(pieces).toBeGreaterThan(1)
  })

  test("errors of the SDK's own classes", async (baseUrl) => {
    const wrong = new GoogleGenAI({ apiKey: "wrong", httpOptions: { baseUrl } })
    await expect(wrong.models.generateContent(ask)).rejects.toMatchObject({ status: 401 })
  })
})
