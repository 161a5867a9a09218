import { describe, expect, it } from "@effect/vitest"
import * as Names from "@tollgate/contract/Names"
import { Description } from "@tollgate/sandbox"
import { Host, key, TestGateway } from "@tollgate/testing"
import { calls, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import OpenAI from "openai"

// OpenAI's SDK at its defaults asks by responses. An upstream of messages answers.

const provider = Description.routes(Names.defaults).find(({ operation }) => operation === "messages")?.to[0]?.provider
if (provider === undefined) throw new Error("the sandbox has no upstream of messages")

const gateway = Host.layerNode.pipe(
  Layer.provideMerge(
    TestGateway.layer({ operations: priced, routes: [{ operation: "responses", to: [{ provider, weight: 1 }] }] })
  )
)

const test = (name: string, use: (openai: OpenAI) => Promise<unknown>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      yield* Effect.promise(() => use(new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, maxRetries: 0 })))
      for (const call of yield* calls) expect(["settled", "released"]).toContain(call.state)
    }).pipe(Effect.provide(gateway))
  )

const asked = { model: "sandbox", input: "Why do rivers bend?" }
const tools: Array<OpenAI.Responses.FunctionTool> = [
  {
    type: "function",
    name: "get_weather",
    description: "The weather in a town",
    parameters: { type: "object", properties: { town: { type: "string" } }, required: ["town"] },
    strict: false
  }
]

describe("openai's responses by an upstream of messages", () => {
  test("a whole answer", async (openai) => {
    const { data, response } = await openai.responses.create({ ...asked, instructions: "Be brief." }).withResponse()
    expect(data).toMatchObject({ object: "response", status: "completed", error: null })
    expect(data.output_text).toContain("rivers")
    expect(data.usage?.input_tokens).toBeGreaterThan(0)
    expect(Number(response.headers.get("x-tollgate-cost-micros-usd"))).toBeGreaterThan(0)
    expect(response.headers.get("x-tollgate-cost-state")).toBe("settled")
  })

  test("a stream", async (openai) => {
    const response = await openai.responses.stream({ ...asked, reasoning: { effort: "low" } }).finalResponse()
    expect(response.status).toBe("completed")
    expect(response.output_text).toContain("rivers")
    expect(response.usage?.output_tokens).toBeGreaterThan(0)
  })

  test("a tool and its result, in streams", async (openai) => {
    const question = { role: "user", content: "What is the weather in Bergen? Use get_weather." } as const
    const input: Array<OpenAI.Responses.ResponseInputItem> = [question]
    const first = await openai.responses
      .stream({ model: "sandbox", input, tools, tool_choice: "required", reasoning: { effort: "low" } })
      .finalResponse()
    const call = first.output.at(-1)
    if (call?.type !== "function_call") throw new Error("no call")
    expect(call.name).toBe("get_weather")
    input.push(...(first.output as Array<OpenAI.Responses.ResponseInputItem>), {
      type: "function_call_output",
      call_id: call.call_id,
      output: "4 degrees and rain"
    })
    const second = await openai.responses.stream({ model: "sandbox", input, tools }).finalResponse()
    expect(second.output_text).toContain("4 degrees")
  })

  test("what cannot be said is refused, and not executed", async (openai) => {
    const refused = openai.responses.create({ ...asked, truncation: "auto" })
    await expect(refused).rejects.toMatchObject({ status: 400, param: "truncation" })
  })
})
