import { createOpenAI } from "@ai-sdk/openai"
import { describe, expect, it } from "@effect/vitest"
import { createClient, textOf } from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import { calls, priced } from "@tollgate/testing/models"
import { generateObject, generateText, type ModelMessage, stepCountIs, streamText, tool } from "ai"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import OpenAI from "openai"
import { zodResponsesFunction, zodTextFormat } from "openai/helpers/zod"
import { z } from "zod"

// Responses with the SDKs whose default they are. Only the address and the key are changed.

const host = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ operations: priced, limits: true, sandbox: "all" }))
)

/** Every call must have ended and have been charged in this state. */
const test = (name: string, use: (baseUrl: string) => Promise<unknown>, states: ReadonlyArray<string> = ["settled"]) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      yield* Effect.promise(() => use(baseUrl))
      const ended = yield* calls
      for (const call of ended) expect(states).toContain(call.state)
      expect(ended.length).toBeGreaterThan(0)
    }).pipe(Effect.provide(host))
  )

const question = "Why do rivers bend?"
const Place = z.object({ town: z.string(), days: z.number() })

describe("the client", () => {
  test("a whole answer, a stream, and their charges", async (baseUrl) => {
    const client = createClient({ credential: key, baseUrl })
    const input = { model: "sandbox", input: question, reasoning: { effort: "low" } } as const
    const { cost, value } = await client.responses(input).withResponse()
    expect(value.output.map(({ type }) => type)).toEqual(["reasoning", "message"])
    expect(cost.state).toBe("settled")
    const events = client.responsesStream(input)
    let text = ""
    for await (const event of events) text += textOf(event)
    expect(text).toContain("rivers")
    expect((await events.response()).cost).toEqual(cost)
    await client.close()
  })
})

describe("openai", () => {
  const client = (baseUrl: string, defaultHeaders: Record<string, string> = {}) =>
    new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, maxRetries: 0, defaultHeaders })

  test("the first example of its readme", async (baseUrl) => {
    const { data, response } = await client(baseUrl)
      .responses.create({ model: "sandbox", instructions: "Talk like a pirate.", input: question })
      .withResponse()
    expect(data.output_text).toContain("rivers")
    expect(data.usage?.total_tokens).toBe((data.usage?.input_tokens ?? 0) + (data.usage?.output_tokens ?? 0))
    expect(response.headers.get("x-tollgate-cost-state")).toBe("settled")
    expect(Number(response.headers.get("x-tollgate-cost-micros-usd"))).toBeGreaterThan(0)
  })

  test("an image, and a conversation that goes on with the items of an answer", async (baseUrl) => {
    const openai = client(baseUrl)
    const image = { type: "input_image", detail: "auto", image_url: "https://example.com/river.png" } as const
    const input: Array<OpenAI.Responses.ResponseInputItem> = [
      { role: "user", content: [{ type: "input_text", text: question }, image] }
    ]
    const first = await openai.responses.create({ model: "sandbox", input, reasoning: { effort: "low" } })
    expect(first.output.map(({ type }) => type)).toEqual(["reasoning", "message"])
    input.push(...(first.output as Array<OpenAI.Responses.ResponseInputItem>), {
      role: "user",
      content: "And bridges?"
    })
    const second = await openai.responses.create({ model: "sandbox", input })
    expect(second.output_text).toContain("bridges")
  })

  test("a stream, event by event and with its helper", async (baseUrl) => {
    const openai = client(baseUrl)
    const events = await openai.responses.create({ model: "sandbox", input: question, stream: true })
    let text = ""
    let whole: OpenAI.Responses.Response | undefined
    for await (const event of events) {
      if (event.type === "response.output_text.delta") text += event.delta
      if (event.type === "response.completed") whole = event.response
    }
    expect(text).toContain("rivers")
    expect(whole?.usage?.output_tokens).toBeGreaterThan(0)
    const helper = openai.responses.stream({ model: "sandbox", input: question, reasoning: { effort: "low" } })
    expect((await helper.finalResponse()).output_text).toContain("rivers")
  })

  test("a function and its result", async (baseUrl) => {
    const openai = client(baseUrl)
    const tools = [zodResponsesFunction({ name: "get_weather", parameters: z.object({ town: z.string() }) })]
    const input: Array<OpenAI.Responses.ResponseInputItem> = [{ role: "user", content: question }]
    const first = await openai.responses.parse({ model: "sandbox", input, tools })
    const [call] = first.output
    if (call?.type !== "function_call") throw new Error("no tool was called")
    expect([call.name, call.parsed_arguments]).toEqual(["get_weather", { town: expect.any(String) }])
    const output = { type: "function_call_output", call_id: call.call_id, output: "mild rain" } as const
    const second = await openai.responses.create({ model: "sandbox", input: [...input, call, output], tools })
    expect(second.output_text).toContain("mild rain")
  })

  test("a conversation by previous_response_id, whole and streamed, and what is kept of it", async (baseUrl) => {
    const openai = client(baseUrl)
    const reasoning = { effort: "low" } as const
    let previous: OpenAI.Responses.Response = await openai.responses.create({
      model: "sandbox",
      input: question,
      reasoning
    })
    for (let turn = 2; turn <= 10; turn++) {
      const ask = { model: "sandbox", input: `And the ${turn}th?`, previous_response_id: previous.id, reasoning }
      const next: OpenAI.Responses.Response =
        turn % 2 === 0 ? await openai.responses.create(ask) : await openai.responses.stream(ask).finalResponse()
      expect(next.previous_response_id).toBe(previous.id)
      expect(next.output.map(({ type }) => type)).toEqual(["reasoning", "message"])
      expect(JSON.stringify(next.output)).not.toContain("sandbox-")
      expect(next.usage?.input_tokens).toBeGreaterThan(previous.usage?.input_tokens ?? 0)
      previous = next
    }
    const read = await openai.responses.retrieve(previous.id)
    expect(read.output_text).toBe(previous.output_text)
    const items: Array<string> = []
    for await (const { type } of openai.responses.inputItems.list(previous.id, { limit: 4, order: "asc" }))
      items.push(type)
    expect(items).toHaveLength(9 * 3 + 1)
    expect(items.slice(0, 4)).toEqual(["message", "reasoning", "message", "message"])
    await openai.responses.delete(previous.id)
    await expect(openai.responses.retrieve(previous.id)).rejects.toThrow(OpenAI.NotFoundError)
  })

  test("an object of a zod schema", async (baseUrl) => {
    const text = { format: zodTextFormat(Place, "place") }
    const parsed = await client(baseUrl).responses.parse({ model: "sandbox", input: question, text })
    expect(Place.parse(parsed.output_parsed)).toEqual(parsed.output_parsed)
  })

  test(
    "errors of its own classes",
    async (baseUrl) => {
      const ask = { model: "sandbox", input: question }
      const openai = client(baseUrl)
      const refused = [
        { background: true },
        { previous_response_id: "resp_1" },
        { tools: [{ type: "web_search" as const }] }
      ]
      for (const more of refused) {
        const error = await openai.responses.create({ ...ask, ...more }).catch((error: unknown) => error)
        expect(error).toBeInstanceOf(OpenAI.BadRequestError)
        expect(error).toMatchObject({ param: expect.stringContaining(Object.keys(more)[0] ?? "") })
      }
      const broken = client(baseUrl, { "X-Tollgate-Scenario": "reset; after=5" })
      const read = async () => {
        for await (const _ of await broken.responses.create({ ...ask, stream: true }));
      }
      const error = await read().catch((error: unknown) => error)
      expect(error).toBeInstanceOf(OpenAI.APIError)
      expect(error).toMatchObject({ code: "upstream_failed" })
    },
    ["settled", "released"]
  )
})

describe("ai", () => {
  const model = (baseUrl: string) => createOpenAI({ apiKey: key, baseURL: `${baseUrl}/v1` })("sandbox")

  test("a text", async (baseUrl) => {
    const { text, usage } = await generateText({ model: model(baseUrl), prompt: question })
    expect(text).toContain("rivers")
    expect(usage.outputTokens).toBeGreaterThan(0)
  })

  test("a stream", async (baseUrl) => {
    const { textStream, usage } = streamText({ model: model(baseUrl), prompt: question })
    let text = ""
    for await (const part of textStream) text += part
    expect(text).toContain("rivers")
    expect((await usage).outputTokens).toBeGreaterThan(0)
  })

  test("tools, over several steps", async (baseUrl) => {
    const weather = tool({
      description: "The weather in a town",
      inputSchema: z.object({ town: z.string() }),
      execute: async ({ town }) => `mild rain in ${town}`
    })
    const { steps, text } = await generateText({
      model: model(baseUrl),
      prompt: question,
      tools: { weather },
      stopWhen: stepCountIs(3)
    })
    expect(steps).toHaveLength(2)
    expect(text).toContain("mild rain in")
  })

  test("an object", async (baseUrl) => {
    const { object } = await generateObject({ model: model(baseUrl), prompt: question, schema: Place })
    expect(Place.parse(object)).toEqual(object)
  })

  const ends = [
    {
      how: "whole",
      ask: async (options: Parameters<typeof generateText>[0]) => {
        const { response, text } = await generateText(options)
        return { text, messages: response.messages }
      }
    },
    {
      how: "streamed",
      ask: async (options: Parameters<typeof generateText>[0]) => {
        const answer = streamText(options as Parameters<typeof streamText>[0])
        await answer.consumeStream()
        return { text: await answer.text, messages: (await answer.response).messages }
      }
    }
  ]
  const thinking = { openai: { reasoningEffort: "low", forceReasoning: true } }
  const weather = tool({
    description: "The weather in a town",
    inputSchema: z.object({ town: z.string() }),
    execute: async ({ town }) => `mild rain in ${town}`
  })

  for (const { ask, how } of ends) {
    test(`ten turns with reasoning, ${how}, of which it sends only references`, async (baseUrl) => {
      const messages: Array<ModelMessage> = []
      for (let turn = 1; turn <= 10; turn++) {
        messages.push({ role: "user", content: `Tell me about the ${turn}th river.` })
        const answer = await ask({ model: model(baseUrl), messages, maxRetries: 0, providerOptions: thinking })
        expect(answer.text).toContain("river")
        messages.push(...answer.messages)
      }
    })

    test(`tools with reasoning over several steps and turns, ${how}`, async (baseUrl) => {
      const messages: Array<ModelMessage> = []
      for (let turn = 1; turn <= 3; turn++) {
        messages.push({ role: "user", content: `How is the weather on day ${turn}?` })
        const answer = await ask({
          model: model(baseUrl),
          messages,
          maxRetries: 0,
          providerOptions: thinking,
          tools: { weather },
          stopWhen: stepCountIs(3)
        })
        expect(answer.text).toContain("mild rain in")
        messages.push(...answer.messages)
      }
    })
  }
})
