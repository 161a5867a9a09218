import { describe, expect, it, layer } from "@effect/vitest"
import { providerAt, servedTo } from "@tollgate/testing/hostile/Served"
import { ask, bearer, callTool } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"

type Json = Readonly<Record<string, unknown>>

const question = "Why do rivers bend?"
const tool = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }

const use = (operation_id: string, input: Json) =>
  Effect.map(callTool("use", { operation_id, arguments: input, max_price_usd: 0.5 }), ({ content }) => content)

const differs = /^(?:id|created|created_at|completed_at|responseId|call_id|signature|encrypted_content)$/
/** What an OpenAI stream does not tell. */
const untold = /^(?:annotations|refusal|service_tier)$/

/** What is the same in both answers to the same request. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, field: unknown) => (untold.test(name) ? undefined : differs.test(name) ? "…" : field))
  )

const chat = { model: "sandbox", messages: [{ role: "user", content: question }], max_tokens: 60 }
const message = { model: "sandbox", messages: [{ role: "user", content: question }], max_tokens: 60 }
const response = { model: "sandbox", input: question, max_output_tokens: 60, store: false }
const content = {
  model: "sandbox",
  contents: [{ role: "user", parts: [{ text: question }] }],
  generationConfig: { maxOutputTokens: 60 }
}

layer(servedSandbox(), { excludeTestServices: true })("a stream", (it) => {
  it.effect.each<readonly [string, string, Json, Json]>([
    ["chat.completions", "chat.completions", chat, { stream: true }],
    [
      "chat.completions",
      "chat.completions",
      {
        ...chat,
        tools: [{ type: "function", function: { name: "weather", parameters: tool } }],
        tool_choice: { type: "function", function: { name: "weather" } }
      },
      { stream: true }
    ],
    ["messages", "messages", message, { stream: true }],
    [
      "messages",
      "messages",
      { ...message, tools: [{ name: "weather", input_schema: tool }], tool_choice: { type: "tool", name: "weather" } },
      { stream: true }
    ],
    ["responses", "responses", response, { stream: true }],
    ["models.generate_content", "models.stream_generate_content", content, {}]
  ])("is one answer, as %s gives without it: %j", ([whole, streamed, input, more]) =>
    Effect.gen(function* () {
      const expected = yield* use(whole, input)
      expect(expected["status"]).toBe(200)
      const assembled = yield* use(streamed, { ...input, ...more })
      expect(assembled["body_encoding"]).toBe("json")
      expect(comparable(assembled["body"])).toEqual(comparable(expected["body"]))
      expect(assembled["cost"]).toEqual(expected["cost"])
    })
  )

  it.effect("is its events for a program that asks for them", () =>
    Effect.gen(function* () {
      const params = {
        name: "use",
        arguments: { operation_id: "chat.completions", arguments: { ...chat, stream: true }, max_price_usd: 0.5 }
      }
      const meta = { "tollgate/structured": true, "tollgate/events": true }
      const { messages } = yield* ask("tools/call", params, bearer, meta)
      const { body, body_encoding } = (messages[0]?.result?.["structuredContent"] ?? {}) as Json
      expect(body_encoding).toBe("events")
      expect((body as ReadonlyArray<unknown>).length).toBeGreaterThan(2)
      expect(JSON.stringify(body)).not.toContain('"usage":{')
    })
  )
})

layer(servedSandbox(), { excludeTestServices: true })("a stream as events", (it) => {
  const { max_tokens: _, ...open } = chat
  const { max_output_tokens: __, ...openResponse } = response
  it.effect.each<readonly [string, Json]>([
    ["chat.completions", { ...open, stream: true }],
    ["chat.completions", { ...open, stream: true, stream_options: { include_usage: true } }],
    ["responses", { ...openResponse, stream: true }],
    ["models.stream_generate_content", { model: "sandbox", contents: content.contents }]
  ])("says that the cap cut it off: %j", ([operation_id, input]) =>
    Effect.gen(function* () {
      const params = { name: "use", arguments: { operation_id, arguments: input, max_price_usd: 0.0008 } }
      const meta = { "tollgate/structured": true, "tollgate/events": true }
      const { messages } = yield* ask("tools/call", params, bearer, meta)
      const used = (messages[0]?.result?.["structuredContent"] ?? {}) as Json
      expect(Array.isArray(used["body"])).toBe(true)
      expect(used).toMatchObject({ status: 200, limited_by_cap: true })
    })
  )
})

describe("a stream of a model", () => {
  const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
  const chunk = (delta: object, more: object = {}) =>
    event({ id: "c1", object: "chat.completion.chunk", model: "sandbox", choices: [{ index: 0, delta, ...more }] })

  const answered = (events: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const upstream = yield* httpUpstream(
        (res) => void res.writeHead(200, { "content-type": "text/event-stream" }).end(events.join(""))
      )
      return yield* Effect.provide(
        use("chat.completions", { ...chat, stream: true }),
        servedTo({ "chat.completions": providerAt(upstream.port, { protocol: "openai" }) })
      )
    }).pipe(Effect.scoped)

  it.live("that breaks off is what arrived, with the error", () =>
    Effect.gen(function* () {
      const used = yield* answered([chunk({ role: "assistant", content: "A river " }), chunk({ content: "bends" })])
      expect(used["error"]).toMatchObject({ code: "stream_broken" })
      expect(used["body"]).toMatchObject({
        choices: [{ message: { content: "A river bends" } }],
        error: { message: expect.any(String) as unknown }
      })
    })
  )

  it.live("that is longer than a model can read is cut, and keeps its end and its usage", () =>
    Effect.gen(function* () {
      const piece = "word ".repeat(200)
      const used = yield* answered([
        chunk({ role: "assistant", content: "" }),
        ...Array.from({ length: 400 }, () => chunk({ content: piece })),
        chunk({}, { finish_reason: "stop" }),
        event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 60, total_tokens: 65 } }),
        "data: [DONE]\n\n"
      ])
      const { choices, usage } = used["body"] as {
        choices: ReadonlyArray<{ message: { content: string }; finish_reason: string }>
        usage: unknown
      }
      expect(choices[0]?.message.content.length).toBeLessThanOrEqual(256 * 1024)
      expect(choices[0]?.finish_reason).toBe("stop")
      expect(usage).toMatchObject({ completion_tokens: 60 })
      expect(used).toMatchObject({ truncated: true, note: expect.stringContaining("longer") as unknown })
    })
  )

  it.live("with an integer that JavaScript would round is its events", () =>
    Effect.gen(function* () {
      const used = yield* answered([
        chunk({ role: "assistant", content: "1" }).replace('"c1"', "12345678901234567890"),
        chunk({}, { finish_reason: "stop" }),
        "data: [DONE]\n\n"
      ])
      expect(used["body_encoding"]).toBe("events")
    })
  )
})
