import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { count } from "../src/text/tokens.ts"
import { bills, eventsOf, post, styles, talk, weather, withBillingLog } from "./talk.ts"

interface Completion {
  readonly id: string
  readonly object: string
  readonly model: string
  readonly choices: ReadonlyArray<{
    readonly index: number
    readonly finish_reason: string
    readonly message: {
      readonly role: string
      readonly content: string | null
      readonly tool_calls?: ReadonlyArray<{ id: string; type: string; function: { name: string; arguments: string } }>
    }
  }>
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly total_tokens: number
    readonly prompt_tokens_details: { readonly cached_tokens: number }
  }
}

const { body, path } = styles.chat
const question = "Which river in Africa is the longest?"
const ask = (more: object = {}, headers: Record<string, string> = {}) =>
  talk<Completion>(path, body(question, more), headers)
const answered = (more: object = {}) => Effect.map(ask(more), (answer) => answer.body.choices[0]!)
const tools = [{ type: "function", function: { name: "weather", description: "tells it", parameters: weather } }]

describe("chat", () => {
  it.effect("an answer is about the question, deterministic, and its usage adds up", () =>
    withBillingLog(
      Effect.gen(function* () {
        const { body: first, status } = yield* ask()
        const { message, ...choice } = first.choices[0]!
        expect([status, first.object, first.model, message.role]).toEqual([
          200,
          "chat.completion",
          "sandbox",
          "assistant"
        ])
        expect(choice).toMatchObject({ index: 0, finish_reason: "stop" })
        expect(message.content).toMatch(/river|Africa|longest/)
        expect(first.usage).toMatchObject({
          prompt_tokens: 3 + count(question),
          completion_tokens: count(message.content!),
          total_tokens: 3 + count(question) + count(message.content!),
          prompt_tokens_details: { cached_tokens: 0 }
        })
        expect((yield* ask()).body).toEqual(first)
        const other = yield* talk<Completion>(path, body("How do trains brake?"))
        expect(other.body.choices[0]!.message.content).not.toBe(message.content)
        const billed = { input: 3 + count(question), output: count(message.content!), cacheRead: 0, cacheWrite: 0 }
        expect((yield* bills)[0]).toEqual({ operation: "chat.completions", billed })
      })
    )
  )

  it.effect("each request id gives its own answer id", () =>
    withBillingLog(
      Effect.gen(function* () {
        const ids = [yield* ask(), yield* ask({}, { "x-request-id": "a" }), yield* ask({}, { "x-request-id": "b" })]
        expect(new Set(ids.map((answer) => answer.body.id)).size).toBe(3)
        expect(ids[0]!.body.id).toMatch(/^chatcmpl-[0-9a-f]{24}$/)
      })
    )
  )

  it.effect("both output limits end the answer, with the finish reason length", () =>
    withBillingLog(
      Effect.gen(function* () {
        const whole = (yield* answered()).message.content!
        for (const limit of [{ max_tokens: 7 }, { max_completion_tokens: 7 }]) {
          const { body } = yield* ask(limit)
          expect(body.choices[0]).toMatchObject({ finish_reason: "length" })
          expect(whole.startsWith(body.choices[0]!.message.content!)).toBe(true)
          expect(body.usage.completion_tokens).toBe(7)
        }
        expect(yield* answered({ max_tokens: count(whole) })).toMatchObject({
          finish_reason: "stop",
          message: { content: whole }
        })
        expect(yield* answered({ max_tokens: count(whole) - 1 })).toMatchObject({ finish_reason: "length" })
      })
    )
  )

  it.effect("the first stop sequence ends the answer", () =>
    withBillingLog(
      Effect.gen(function* () {
        const whole = (yield* answered()).message.content!
        const words = whole.split(" ")
        const stop = `${words[4]} ${words[5]}`
        const before = whole.slice(0, whole.indexOf(stop)).trimEnd()
        for (const stops of [stop, [stop], [words[8], stop], [stop, words[8]]]) {
          const choice = yield* answered({ stop: stops })
          expect(choice).toMatchObject({ finish_reason: "stop", message: { content: before } })
        }
        expect(yield* answered({ stop: "no such text" })).toMatchObject({ message: { content: whole } })
        expect(yield* answered({ stop: whole })).toMatchObject({ message: { content: "" } })
      })
    )
  )

  it.effect("several choices differ, and usage counts all of them", () =>
    withBillingLog(
      Effect.gen(function* () {
        const { choices, usage } = (yield* ask({ n: 3 })).body
        const texts = choices.map(({ message }) => message.content!)
        expect(choices.map(({ index }) => index)).toEqual([0, 1, 2])
        expect(new Set(texts).size).toBe(3)
        expect(usage.completion_tokens).toBe(texts.reduce((sum, text) => sum + count(text), 0))
      })
    )
  )

  it.effect("the first tool, or the chosen one, is called with the required arguments", () =>
    withBillingLog(
      Effect.gen(function* () {
        const other = { type: "function", function: { name: "other" } }
        const { body } = yield* ask({ tools: [...tools, other] })
        const { finish_reason, message } = body.choices[0]!
        const [call] = message.tool_calls!
        expect([finish_reason, message.content, call!.type, call!.function.name]).toEqual([
          "tool_calls",
          null,
          "function",
          "weather"
        ])
        const input = JSON.parse(call!.function.arguments) as Record<string, unknown>
        expect(Object.keys(input)).toEqual(["city", "unit"])
        expect(["c", "f"]).toContain(input["unit"])
        expect(body.usage.completion_tokens).toBe(count(call!.function.arguments))
        const choice = { type: "function", function: { name: "other" } }
        const chosen = yield* answered({ tools: [...tools, other], tool_choice: choice })
        expect(chosen.message.tool_calls![0]!.function).toEqual({ name: "other", arguments: "{}" })
        expect((yield* answered({ tools, tool_choice: "none" })).message.content).toMatch(/river|Africa|longest/)
        expect(yield* answered({ tools, max_tokens: 3 })).toMatchObject({ finish_reason: "length" })
      })
    )
  )

  it.effect("the answer quotes the result of a tool", () =>
    withBillingLog(
      Effect.gen(function* () {
        const messages = [
          { role: "user", content: question },
          { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name: "w" } }] },
          { role: "tool", tool_call_id: "c", content: "6650 km" }
        ]
        expect(yield* answered({ tools, messages })).toMatchObject({
          finish_reason: "stop",
          message: { content: expect.stringContaining("6650 km") }
        })
      })
    )
  )

  it.effect("a JSON answer is valid JSON and follows the schema", () =>
    withBillingLog(
      Effect.gen(function* () {
        const any = yield* answered({ response_format: { type: "json_object" } })
        expect(JSON.parse(any.message.content!)).toHaveProperty("answer")
        const json_schema = { name: "w", schema: weather }
        const formed = yield* answered({ response_format: { type: "json_schema", json_schema } })
        expect(Object.keys(JSON.parse(formed.message.content!) as object)).toEqual(["city", "unit"])
      })
    )
  )

  it.effect("cached tokens are part of the prompt and never exceed it", () =>
    withBillingLog(
      Effect.gen(function* () {
        const cached = (text: string) => ask({}, { "x-tollgate-scenario": text })
        const prompt = (yield* ask()).body.usage.prompt_tokens
        for (const [text, tokens] of [
          ["cached; tokens=4", 4],
          ["cached; tokens=999999", prompt]
        ] as const) {
          const { usage } = (yield* cached(text)).body
          expect(usage).toMatchObject({ prompt_tokens: prompt, prompt_tokens_details: { cached_tokens: tokens } })
          expect((yield* bills).at(-1)!.billed).toMatchObject({ input: prompt - tokens, cacheRead: tokens })
        }
      })
    )
  )
})

describe("chat as a stream", () => {
  interface Chunk {
    readonly object: string
    readonly usage?: Completion["usage"] | null
    readonly choices: ReadonlyArray<{
      readonly index: number
      readonly finish_reason: string | null
      readonly delta: {
        readonly role?: string
        readonly content?: string | null
        readonly tool_calls?: ReadonlyArray<{ index: number; id?: string; function: { arguments: string } }>
      }
    }>
  }
  const streamed = (more: object = {}) =>
    Effect.map(post(path, body(question, { stream: true, ...more })), ({ headers, text }) => {
      expect(headers["content-type"]).toBe("text/event-stream")
      const events = eventsOf(text)
      expect(events.at(-1)).toEqual({ data: "[DONE]" })
      return events.slice(0, -1).map(({ data }) => JSON.parse(data) as Chunk)
    })

  it.effect("has the same text as the whole answer", () =>
    withBillingLog(
      Effect.gen(function* () {
        const whole = (yield* answered()).message.content
        const chunks = yield* streamed()
        expect(chunks.length).toBeGreaterThan(5)
        expect(chunks[0]!.choices[0]!.delta).toEqual({ role: "assistant", content: "", refusal: null })
        expect(chunks.map(({ choices }) => choices[0]!.delta.content ?? "").join("")).toBe(whole)
        expect(chunks.map(({ choices }) => choices[0]!.finish_reason)).toEqual([
          ...chunks.slice(1).map(() => null),
          "stop"
        ])
        for (const chunk of chunks) expect(chunk).not.toHaveProperty("usage")
        const [atOnce, inPieces] = yield* bills
        expect(inPieces).toEqual(atOnce)
      })
    )
  )

  it.effect("reports usage in a separate chunk if the caller asks for it", () =>
    withBillingLog(
      Effect.gen(function* () {
        const { usage } = (yield* ask({ n: 2 })).body
        const chunks = yield* streamed({ n: 2, stream_options: { include_usage: true } })
        expect(chunks.at(-1)).toMatchObject({ choices: [], usage })
        for (const chunk of chunks.slice(0, -1)) expect(chunk.usage).toBe(null)
        expect(new Set(chunks.flatMap(({ choices }) => choices.map(({ index }) => index)))).toEqual(new Set([0, 1]))
      })
    )
  )

  it.effect("streams the arguments of a tool call", () =>
    withBillingLog(
      Effect.gen(function* () {
        const call = (yield* answered({ tools })).message.tool_calls![0]!
        const chunks = yield* streamed({ tools })
        const deltas = chunks.flatMap(({ choices }) => choices[0]!.delta.tool_calls ?? [])
        expect(deltas[0]).toMatchObject({ index: 0, type: "function", function: { name: "weather", arguments: "" } })
        expect(deltas.map((delta) => delta.function.arguments).join("")).toBe(call.function.arguments)
        expect(chunks.at(-1)!.choices[0]!.finish_reason).toBe("tool_calls")
      })
    )
  )
})
