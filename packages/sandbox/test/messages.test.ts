import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { count } from "../src/text/tokens.ts"
import { bills, eventsOf, post, styles, talk, weather, withBillingLog } from "./talk.ts"

interface Message {
  readonly id: string
  readonly content: ReadonlyArray<{ type: string; text: string; input: Record<string, unknown>; name: string }>
  readonly stop_reason: string
  readonly stop_sequence: string | null
  readonly usage: Record<
    "input_tokens" | "output_tokens" | "cache_read_input_tokens" | "cache_creation_input_tokens",
    number
  >
}

interface Delta {
  readonly text?: string
  readonly partial_json?: string
}

const { body, path } = styles.messages
const question = "Which river in Africa is the longest?"
const ask = (more: object = {}, headers: Record<string, string> = {}) =>
  Effect.map(talk<Message>(path, body(question, more), headers), (answer) => answer.body)
const tools = [{ name: "weather", description: "tells it", input_schema: weather }]

describe("messages", () => {
  it.effect("an answer has Anthropic's format and bills its reported usage", () =>
    withBillingLog(
      Effect.gen(function* () {
        const answer = yield* ask()
        const text = answer.content[0]!.text
        expect(answer).toMatchObject({
          id: expect.stringMatching(/^msg_[0-9a-f]{24}$/),
          type: "message",
          role: "assistant",
          model: "sandbox",
          content: [{ type: "text", text: expect.stringMatching(/river|Africa|longest/) }],
          stop_reason: "end_turn",
          stop_sequence: null,
          usage: {
            input_tokens: 3 + count(question),
            output_tokens: count(text),
            cache_read_input_tokens: 0,
            cache_creation_input_tokens: 0
          }
        })
        const billed = { input: 3 + count(question), output: count(text), cacheRead: 0, cacheWrite: 0 }
        expect(yield* bills).toEqual([{ operation: "messages", billed }])
      })
    )
  )

  it.effect("blocks count like the same text, and the system prompt counts too", () =>
    withBillingLog(
      Effect.gen(function* () {
        const plain = yield* ask()
        const messages = [{ role: "user", content: [{ type: "text", text: question }] }]
        const blocks = yield* ask({ messages })
        expect([blocks.content, blocks.usage]).toEqual([plain.content, plain.usage])
        for (const system of ["be very brief", [{ type: "text", text: "be very brief" }]])
          expect((yield* ask({ system })).usage.input_tokens).toBe(plain.usage.input_tokens + 3)
        const image = { type: "image", source: { type: "url", url: "https://example.com/" } }
        const seen = yield* ask({ messages: [{ role: "user", content: [image, { type: "text", text: question }] }] })
        expect(seen.usage.input_tokens).toBeGreaterThan(plain.usage.input_tokens)
      })
    )
  )

  it.effect("output limit and stop sequence end the answer, and the stop reason says which", () =>
    withBillingLog(
      Effect.gen(function* () {
        const whole = (yield* ask()).content[0]!.text
        const short = yield* ask({ max_tokens: 5 })
        expect([short.stop_reason, short.usage.output_tokens]).toEqual(["max_tokens", 5])
        expect(whole.startsWith(short.content[0]!.text)).toBe(true)
        const word = whole.split(" ")[3]!
        const stopped = yield* ask({ stop_sequences: ["nowhere", word] })
        expect([stopped.stop_reason, stopped.stop_sequence]).toEqual(["stop_sequence", word])
        expect(stopped.content[0]!.text).toBe(whole.slice(0, whole.indexOf(word)).trimEnd())
      })
    )
  )

  it.effect("it calls a tool and quotes its result", () =>
    withBillingLog(
      Effect.gen(function* () {
        const called = yield* ask({ tools })
        expect(called.stop_reason).toBe("tool_use")
        expect(called.content[0]).toMatchObject({
          type: "tool_use",
          id: expect.stringMatching(/^toolu_/),
          name: "weather",
          input: { city: expect.any(String), unit: expect.stringMatching(/^[cf]$/) }
        })
        const named = { tools: [...tools, { name: "other" }], tool_choice: { type: "tool", name: "other" } }
        expect((yield* ask(named)).content[0]!.name).toBe("other")
        expect((yield* ask({ tools, tool_choice: { type: "none" } })).stop_reason).toBe("end_turn")
        for (const content of ["6650 km", [{ type: "text", text: "6650 km" }]]) {
          const messages = [
            { role: "user", content: question },
            { role: "assistant", content: [{ type: "tool_use", id: "t", name: "weather", input: { city: "x" } }] },
            { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] }
          ]
          const answer = yield* ask({ tools, messages })
          expect([answer.stop_reason, answer.content[0]!.text]).toEqual([
            "end_turn",
            expect.stringContaining("6650 km")
          ])
        }
      })
    )
  )

  it.effect("an answer in output_config.format is JSON of its schema", () =>
    withBillingLog(
      Effect.gen(function* () {
        const answer = yield* ask({
          output_config: { effort: "low", format: { type: "json_schema", schema: weather } }
        })
        expect(answer.stop_reason).toBe("end_turn")
        expect(Object.keys(JSON.parse(answer.content[0]!.text) as object)).toEqual(["city", "unit"])
      })
    )
  )

  it.effect("cached tokens are read or written, and all kinds add up to the prompt", () =>
    withBillingLog(
      Effect.gen(function* () {
        const prompt = (yield* ask()).usage.input_tokens
        const content = [{ type: "text", text: question, cache_control: { type: "ephemeral" } }]
        const messages = [{ role: "user", content }]
        const kinds = ({ usage }: Message) => [
          usage.input_tokens,
          usage.cache_creation_input_tokens,
          usage.cache_read_input_tokens
        ]
        expect(kinds(yield* ask({ messages }))).toEqual([3, prompt - 3, 0])
        expect((yield* bills).at(-1)!.billed).toMatchObject({ input: 3, cacheWrite: prompt - 3, cacheRead: 0 })
        const cached = { "x-tollgate-scenario": "cached; tokens=2" }
        expect(kinds(yield* ask({}, cached))).toEqual([prompt - 2, 0, 2])
        expect(kinds(yield* ask({ messages }, cached)).reduce((a, b) => a + b)).toBe(prompt)
        const all = { "x-tollgate-scenario": "cached; tokens=5000" }
        expect(kinds(yield* ask({ messages }, all))).toEqual([0, 0, prompt])
      })
    )
  )

  const streamed = (more: object = {}, headers: Record<string, string> = {}) =>
    Effect.map(post(path, body(question, { stream: true, ...more }), headers), ({ text }) =>
      eventsOf(text).map(({ data, event }) => {
        const parsed = JSON.parse(data) as { readonly type: string; readonly delta?: Delta }
        expect(parsed.type).toBe(event)
        return parsed
      })
    )

  it.effect("a stream has its events in order and the same text as the whole answer", () =>
    withBillingLog(
      Effect.gen(function* () {
        const whole = yield* ask()
        const events = yield* streamed()
        const types = events.map(({ type }) => type)
        const deltas = events.filter(({ type }) => type === "content_block_delta")
        expect(types).toEqual([
          "message_start",
          "content_block_start",
          "ping",
          ...deltas.map(() => "content_block_delta"),
          "content_block_stop",
          "message_delta",
          "message_stop"
        ])
        expect(events[0]).toMatchObject({ message: { usage: { ...whole.usage, output_tokens: 0 }, content: [] } })
        expect(deltas.map(({ delta }) => delta?.text).join("")).toBe(whole.content[0]!.text)
        expect(events.at(-2)).toEqual({
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: { output_tokens: whole.usage.output_tokens }
        })
        const [atOnce, inPieces] = yield* bills
        expect(inPieces).toEqual(atOnce)
      })
    )
  )

  it.effect("a stream has the arguments of a tool call in parts", () =>
    withBillingLog(
      Effect.gen(function* () {
        const { input } = (yield* ask({ tools })).content[0]!
        const events = yield* streamed({ tools })
        expect(events[1]).toMatchObject({ content_block: { type: "tool_use", name: "weather", input: {} } })
        const json = events.map(({ delta }) => delta?.partial_json ?? "")
        expect(JSON.parse(json.join(""))).toEqual(input)
        expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } })
      })
    )
  )
})
