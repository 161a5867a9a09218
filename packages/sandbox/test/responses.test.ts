import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { count } from "../src/text/tokens.ts"
import { bills, eventsOf, post, styles, talk, weather, withBillingLog } from "./talk.ts"

interface Item {
  readonly id: string
  readonly type: string
  readonly status: string
  readonly content: ReadonlyArray<{ readonly type: string; readonly text: string }>
  readonly name: string
  readonly call_id: string
  readonly arguments: string
  readonly summary: ReadonlyArray<unknown>
}

interface Response {
  readonly id: string
  readonly status: string
  readonly incomplete_details: unknown
  readonly output: ReadonlyArray<Item>
  readonly usage: {
    readonly input_tokens: number
    readonly output_tokens: number
    readonly total_tokens: number
    readonly input_tokens_details: { readonly cached_tokens: number }
    readonly output_tokens_details: { readonly reasoning_tokens: number }
  }
}

const { body, path } = styles.responses
const question = "Which river in Africa is the longest?"
const ask = (more: object = {}, headers: Record<string, string> = {}) =>
  Effect.map(talk<Response>(path, body(question, more), headers), (answer) => answer.body)
const tools = [{ type: "function", name: "weather", description: "tells it", parameters: weather }]

interface Event {
  readonly type: string
  readonly sequence_number: number
  readonly delta?: string
  readonly response?: Response
}
const streamed = (more: object = {}) =>
  Effect.map(post(path, body(question, { stream: true, ...more })), ({ text }) =>
    eventsOf(text).map(({ data, event }) => {
      const parsed = JSON.parse(data) as Event
      expect(event).toBe(parsed.type)
      return parsed
    })
  )

describe("responses", () => {
  it.effect("an answer is about the question, deterministic, and its usage adds up", () =>
    withBillingLog(
      Effect.gen(function* () {
        const first = yield* ask({ instructions: "Be brief." })
        const [item] = first.output
        const text = item!.content[0]!.text
        expect(first).toMatchObject({
          status: "completed",
          object: "response",
          model: "sandbox",
          instructions: "Be brief."
        })
        expect(item).toMatchObject({ type: "message", role: "assistant", content: [{ type: "output_text" }] })
        expect(text).toMatch(/river|Africa|longest/)
        const input = 3 + count(question) + count("Be brief.")
        expect(first.usage).toMatchObject({
          input_tokens: input,
          output_tokens: count(text),
          total_tokens: input + count(text)
        })
        expect(yield* ask({ instructions: "Be brief." })).toEqual(first)
        const billed = { input, output: count(text), cacheRead: 0, cacheWrite: 0 }
        expect((yield* bills)[0]).toEqual({ operation: "responses", billed })
      })
    )
  )

  it.effect("the limit of the output ends an answer", () =>
    withBillingLog(
      Effect.gen(function* () {
        const cut = yield* ask({ max_output_tokens: 5 })
        expect(cut).toMatchObject({
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
          output: [{ status: "incomplete" }],
          usage: { output_tokens: 5 }
        })
      })
    )
  )

  it.effect("a function is called, and its result used", () =>
    withBillingLog(
      Effect.gen(function* () {
        const { output } = yield* ask({ tools })
        const [call] = output
        expect(call).toMatchObject({ type: "function_call", name: "weather", status: "completed" })
        expect(JSON.parse(call!.arguments)).toMatchObject({ city: expect.any(String), unit: expect.any(String) })
        const result = { type: "function_call_output", call_id: call!.call_id, output: "mild rain" }
        const input = [{ role: "user", content: question }, ...output, result]
        const answer = yield* talk<Response>(path, { model: "sandbox", input, tools })
        expect(answer.body.output[0]!.content[0]!.text).toContain("mild rain")
      })
    )
  )

  it.effect("an answer has the schema that is asked for", () =>
    withBillingLog(
      Effect.gen(function* () {
        const { output } = yield* ask({ text: { format: { type: "json_schema", name: "w", schema: weather } } })
        expect(JSON.parse(output[0]!.content[0]!.text)).toMatchObject({
          city: expect.any(String),
          unit: expect.any(String)
        })
      })
    )
  )

  it.effect("an effort adds reasoning, which is part of the output and of its limit", () =>
    withBillingLog(
      Effect.gen(function* () {
        const include = ["reasoning.encrypted_content"]
        const thought = yield* ask({ reasoning: { effort: "low", summary: "auto" }, include })
        expect(thought.output.map(({ type }) => type)).toEqual(["reasoning", "message"])
        expect(thought.output[0]).toMatchObject({
          summary: [{ type: "summary_text", text: expect.any(String) }],
          encrypted_content: expect.any(String)
        })
        const text = thought.output[1]!.content[0]!.text
        expect(thought.usage.output_tokens_details.reasoning_tokens).toBe(32)
        expect(thought.usage.output_tokens).toBe(32 + count(text))
        expect((yield* bills)[0]!.billed["output"]).toBe(32 + count(text))
        const cut = yield* ask({ reasoning: { effort: "high" }, max_output_tokens: 20 })
        expect(cut).toMatchObject({ status: "incomplete", usage: { output_tokens: 20 } })
      })
    )
  )

  it.effect("the events of a stream are numbered, in order, and end with the whole answer", () =>
    withBillingLog(
      Effect.gen(function* () {
        const events = yield* streamed({ reasoning: { effort: "low", summary: "auto" } })
        expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, i) => i))
        const types = events.map(({ type }) => type.replace("response.", ""))
        expect(types.filter((type, i) => type !== types[i - 1])).toEqual([
          "created",
          "in_progress",
          "output_item.added",
          "reasoning_summary_part.added",
          "reasoning_summary_text.delta",
          "reasoning_summary_text.done",
          "reasoning_summary_part.done",
          "output_item.done",
          "output_item.added",
          "content_part.added",
          "output_text.delta",
          "output_text.done",
          "content_part.done",
          "output_item.done",
          "completed"
        ])
        const whole = events.at(-1)!.response!
        const text = events.map(({ delta, type }) => (type === "response.output_text.delta" ? delta : "")).join("")
        expect(whole.output[1]!.content[0]!.text).toBe(text)
        expect(whole.usage.output_tokens).toBe(32 + count(text))
        expect((yield* bills)[0]!.billed["output"]).toBe(32 + count(text))
      })
    )
  )

  it.effect("a call of a function is streamed", () =>
    withBillingLog(
      Effect.gen(function* () {
        const events = yield* streamed({ tools })
        const types = events.map(({ type }) => type.replace("response.", ""))
        expect(types.filter((type, i) => type !== types[i - 1])).toEqual([
          "created",
          "in_progress",
          "output_item.added",
          "function_call_arguments.delta",
          "function_call_arguments.done",
          "output_item.done",
          "completed"
        ])
        const written = events.map(({ delta }) => delta ?? "").join("")
        expect(events.at(-1)!.response!.output[0]).toMatchObject({ type: "function_call", arguments: written })
      })
    )
  )

  it.effect("scenarios: a cache, and no usage", () =>
    withBillingLog(
      Effect.gen(function* () {
        const cached = yield* ask({}, { "x-tollgate-scenario": "cached; tokens=4" })
        expect(cached.usage.input_tokens_details.cached_tokens).toBe(4)
        expect((yield* ask({}, { "x-tollgate-scenario": "no-usage" })).usage ?? undefined).toBe(undefined)
      })
    )
  )
})
