import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { AnswerEvent } from "@tollgate/protocols/Conversation"
import { Lost } from "@tollgate/protocols/losses"
import { responses } from "@tollgate/protocols/responses/index"
import OpenAI from "openai"
import { describe, expect, it } from "vitest"

// What is written as a response must be one for OpenAI's SDK, which checks what it reads.

const options = { created: 1_800_000_000, wantsUsage: true, isArray: false }
const sealed = { by: "google", data: "Z29v" } as const

const events: ReadonlyArray<AnswerEvent> = [
  { type: "start", id: "a1", model: "m" },
  { type: "open", part: "reasoning" },
  { type: "more", text: "Think." },
  { type: "sealed", sealed: { by: "anthropic", data: "c2ln" } },
  { type: "close" },
  { type: "open", part: "text" },
  { type: "more", text: "Let me " },
  { type: "more", text: "look: \u2028 \u0000#5" },
  { type: "close" },
  { type: "open", part: "refusal" },
  { type: "more", text: "No." },
  { type: "close" },
  { type: "open", part: "text" },
  { type: "close" },
  { type: "open", part: "call", id: "c1", name: "weather", sealed },
  { type: "more", text: '{"town":' },
  { type: "more", text: '"Bergen"}' },
  { type: "close" },
  { type: "open", part: "call", id: "c2", name: "time" },
  { type: "close" },
  { type: "usage", usage: { input: 20, output: 12, cacheRead: 8, reasoning: 5 } },
  { type: "finish", finish: "calls", reason: "tool_use" },
  { type: "end" }
]

const text = "Let me look: \u2028 \u0000#5"

/** Serves the answer, and gives back the bodies that the SDK sent. */
const served = async <A>(
  parts: ReadonlyArray<AnswerEvent>,
  use: (openai: OpenAI) => Promise<A>
): Promise<{ readonly value: A; readonly bodies: ReadonlyArray<Record<string, unknown>> }> => {
  const bodies: Array<Record<string, unknown>> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      bodies.push(JSON.parse(body) as Record<string, unknown>)
      response.writeHead(200, { "content-type": "text/event-stream" })
      const writer = responses.writer(options)
      response.end(parts.map(writer.next).join(""))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  try {
    const value = await use(new OpenAI({ apiKey: "k", baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 }))
    return { value, bodies }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const asked = { model: "m", input: "What is the weather in Bergen?" }

describe("a response that was written, read by OpenAI's SDK", () => {
  it("is whole, and goes on with the next request", async () => {
    const { value } = await served(events, (openai) => openai.responses.stream(asked).finalResponse())
    expect(value).toMatchObject({ id: "a1", model: "m", status: "completed", output_text: text })
    expect(value.output.map(({ type }) => type)).toEqual([
      "reasoning",
      "message",
      "message",
      "message",
      "reasoning",
      "function_call",
      "function_call"
    ])
    expect(value.output.at(-2)).toMatchObject({ call_id: "c1", name: "weather", arguments: '{"town":"Bergen"}' })
    expect(value.output.at(-1)).toMatchObject({ call_id: "c2", name: "time", arguments: "{}" })
    expect(value.usage).toMatchObject({ input_tokens: 28, output_tokens: 12, total_tokens: 40 })

    const result = { type: "function_call_output", call_id: "c1", output: "Rain" } as const
    const input = [...(value.output as Array<OpenAI.Responses.ResponseInputItem>), result]
    const { bodies } = await served(events, (openai) => openai.responses.stream({ ...asked, input }).finalResponse())
    const { messages } = responses.readRequest(bodies[0] ?? {})
    expect(messages[0]?.parts).toMatchObject([
      { type: "reasoning", text: "Think.", sealed: { by: "anthropic", data: "c2ln" } },
      { type: "text", text },
      { type: "refusal", text: "No." },
      { type: "call", id: "c1", sealed },
      { type: "call", id: "c2" }
    ])
    expect(messages[1]).toEqual({
      role: "user",
      parts: [{ type: "result", id: "c1", parts: [{ type: "text", text: "Rain" }] }]
    })
  })

  it("is built of the pieces alone as it is at the end", async () => {
    const { value: pieces } = await served(events, async (openai) => {
      const said: Record<string, string> = {}
      for await (const event of await openai.responses.create({ ...asked, stream: true })) {
        if ("delta" in event && typeof event.delta === "string")
          said[event.type] = (said[event.type] ?? "") + event.delta
      }
      return said
    })
    expect(pieces).toEqual({
      "response.reasoning_summary_text.delta": "Think.",
      "response.output_text.delta": text,
      "response.refusal.delta": "No.",
      "response.function_call_arguments.delta": '{"town":"Bergen"}{}'
    })
  })

  it("has the form that was asked for", async () => {
    const parts: ReadonlyArray<AnswerEvent> = [
      { type: "start", id: "a2", model: "m" },
      { type: "open", part: "text" },
      { type: "more", text: '{"town":"Bergen"}' },
      { type: "close" },
      { type: "finish", finish: "stop", reason: "end_turn" },
      { type: "end" }
    ]
    const format = { type: "json_schema", name: "place", schema: { type: "object" }, strict: false } as const
    const { bodies, value } = await served(parts, (openai) =>
      openai.responses.stream({ ...asked, text: { format } }).finalResponse()
    )
    expect(JSON.parse(value.output_text)).toEqual({ town: "Bergen" })
    const lost = new Lost()
    const again = responses.writeRequest(responses.readRequest(bodies[0] ?? {}), lost, { limit: 100 })
    expect(again["text"]).toEqual({ format: { type: "json_schema", name: "place", schema: { type: "object" } } })
    expect(lost.names.size).toBe(0)
  })

  it("that ran out of tokens is incomplete", async () => {
    const parts: ReadonlyArray<AnswerEvent> = [
      ...events.slice(0, 9),
      { type: "finish", finish: "length", reason: "max_tokens" },
      { type: "end" }
    ]
    const { value } = await served(parts, (openai) => openai.responses.stream(asked).finalResponse())
    expect(value).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } })
    expect(value.output_text).toBe(text)
  })

  it("that was cut off is never a complete one", async () => {
    for (const at of [1, 4, 8, events.length - 1]) {
      const cut = served(events.slice(0, at), (openai) => openai.responses.stream(asked).finalResponse())
      await expect(cut.then(({ value }) => value.status === "completed")).resolves.toBe(false)
    }
  })
})
