import Anthropic from "@anthropic-ai/sdk"
import { describe, expect, it } from "@effect/vitest"
import * as Names from "@tollgate/contract/Names"
import { Description } from "@tollgate/sandbox"
import { Host, key, TestGateway } from "@tollgate/testing"
import { calls, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import OpenAI from "openai"

// Official SDKs at their defaults, whose calls are answered by upstreams of other protocols.

const sandbox = Description.routes(Names.defaults)
const targetOf = (operation: string) => {
  const target = sandbox.find((route) => route.operation === operation)?.to[0]
  if (target === undefined) throw new Error(operation)
  return target
}

const to = (operation: string) => [{ provider: targetOf(operation).provider, weight: 1 }]

/** Every operation is answered in the protocol of `shape`. */
const served = (shape: string) =>
  Host.layerNode.pipe(
    Layer.provideMerge(
      TestGateway.layer({
        operations: priced,
        routes: [
          { operation: "chat.completions", to: to(shape) },
          { operation: "messages", to: to(shape) }
        ]
      })
    )
  )

const weather = {
  name: "get_weather",
  description: "The weather in a town",
  parameters: { type: "object", properties: { town: { type: "string" } }, required: ["town"] }
} as const

const test = (shape: string, name: string, use: (baseUrl: string) => Promise<unknown>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      yield* Effect.promise(() => use(baseUrl))
      for (const call of yield* calls) expect(["settled", "released"]).toContain(call.state)
    }).pipe(Effect.provide(served(shape)))
  )

describe("openai's chat completions by an upstream of messages", () => {
  const client = (baseUrl: string) => new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, maxRetries: 0 })
  const messages = [{ role: "user", content: "Why do rivers bend?" }] as const

  test("messages", "a whole answer", async (baseUrl) => {
    const { data, response } = await client(baseUrl)
      .chat.completions.create({ model: "sandbox", messages: [...messages] })
      .withResponse()
    expect(data.choices[0]?.message.content).toContain("rivers")
    expect(data.choices[0]?.finish_reason).toBe("stop")
    expect(data.usage?.total_tokens).toBe((data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0))
    expect(Number(response.headers.get("x-tollgate-cost-micros-usd"))).toBeGreaterThan(0)
    expect(response.headers.get("x-tollgate-cost-state")).toBe("settled")
  })

  test("messages", "a stream", async (baseUrl) => {
    const stream = client(baseUrl).chat.completions.stream({
      model: "sandbox",
      messages: [...messages],
      stream_options: { include_usage: true }
    })
    const completion = await stream.finalChatCompletion()
    expect(completion.choices[0]?.message.content).toContain("rivers")
    expect(completion.usage?.completion_tokens).toBeGreaterThan(0)
  })

  test("messages", "a tool and its result", async (baseUrl) => {
    const openai = client(baseUrl)
    const tools = [{ type: "function" as const, function: weather }]
    const asked = [{ role: "user" as const, content: "What is the weather in Bergen? Use get_weather." }]
    const { choices } = await openai.chat.completions.create({
      model: "sandbox",
      messages: asked,
      tools,
      tool_choice: "required"
    })
    const message = choices[0]?.message
    if (message === undefined) throw new Error("no message")
    const call = message.tool_calls?.[0]
    if (call?.type !== "function") throw new Error("no call")
    expect(call.function.name).toBe("get_weather")
    expect(choices[0]?.finish_reason).toBe("tool_calls")
    const second = await openai.chat.completions.create({
      model: "sandbox",
      messages: [...asked, message, { role: "tool", tool_call_id: call.id, content: "4 degrees and rain" }],
      tools
    })
    expect(second.choices[0]?.message.content).toContain("4 degrees")
  })

  test("messages", "what cannot be said is refused, and not executed", async (baseUrl) => {
    const refused = client(baseUrl).chat.completions.create({ model: "sandbox", messages: [...messages], seed: 7 })
    await expect(refused).rejects.toMatchObject({ status: 400, param: "seed" })
  })
})

describe("anthropic's messages by an upstream of chat completions", () => {
  const client = (baseUrl: string) => new Anthropic({ apiKey: key, baseURL: baseUrl, maxRetries: 0 })
  const asked = {
    model: "sandbox",
    max_tokens: 500,
    messages: [{ role: "user" as const, content: "Why do rivers bend?" }]
  }

  test("chat.completions", "a whole answer", async (baseUrl) => {
    const message = await client(baseUrl).messages.create(asked)
    expect(message.content[0]).toMatchObject({ type: "text", text: expect.stringContaining("rivers") as unknown })
    expect(message.stop_reason).toBe("end_turn")
    expect(message.usage.input_tokens).toBeGreaterThan(0)
  })

  test("chat.completions", "a stream", async (baseUrl) => {
    const message = await client(baseUrl).messages.stream(asked).finalMessage()
    expect(message.content[0]).toMatchObject({ type: "text", text: expect.stringContaining("rivers") as unknown })
    expect(message.stop_reason).toBe("end_turn")
    expect(message.usage.output_tokens).toBeGreaterThan(0)
    expect(message.usage.input_tokens).toBeGreaterThan(0)
  })

  test("chat.completions", "a tool, in a stream", async (baseUrl) => {
    const message = await client(baseUrl)
      .messages.stream({
        ...asked,
        messages: [{ role: "user", content: "What is the weather in Bergen? Use get_weather." }],
        tools: [{ name: weather.name, description: weather.description, input_schema: weather.parameters as never }],
        tool_choice: { type: "any" }
      })
      .finalMessage()
    expect(message.content.at(-1)).toMatchObject({ type: "tool_use", name: "get_weather" })
    expect(message.stop_reason).toBe("tool_use")
  })
})
