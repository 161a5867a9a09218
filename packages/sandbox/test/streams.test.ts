import { describe, expect, it } from "@effect/vitest"
import { BillingLog } from "@tollgate/sandbox"
import { tokens } from "../src/text/tokens.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { bills, eventsOf, open, post, type SentEvent, type Style, styleNames, styles, withBillingLog } from "./talk.ts"

const question = "Which river in Africa is the longest?"
const header = (scenario: string) => ({ "x-tollgate-scenario": scenario })

const stream = (style: Style, scenario: string, more: object = {}) => {
  const { body, stream, streamed } = styles[style]
  return post(stream, body(question, { ...streamed, ...more }), header(scenario))
}
const opened = (style: Style, scenario: string, more: object = {}) => {
  const { body, stream, streamed } = styles[style]
  return open(stream, body(question, { ...streamed, ...more }), header(scenario))
}

interface AnyEvent {
  readonly choices?: ReadonlyArray<{ readonly delta: { readonly content?: string } }>
  readonly delta?: string | { readonly text?: string }
  readonly candidates?: ReadonlyArray<{
    readonly content: { readonly parts: ReadonlyArray<{ readonly text: string }> }
  }>
}

/** The text in the events of any protocol. */
const textOf = (events: ReadonlyArray<SentEvent>): string =>
  events
    .flatMap(({ data }) => (data.startsWith("{") ? [JSON.parse(data) as AnyEvent] : []))
    .map(
      ({ candidates, choices, delta }) =>
        choices?.[0]?.delta.content ??
        (typeof delta === "string" ? delta : delta?.text) ??
        candidates?.[0]?.content.parts[0]?.text ??
        ""
    )
    .join("")

const normal = (style: Style) => Effect.map(stream(style, ""), ({ text }) => eventsOf(text))

const hasUsage = (text: string) => /"usage(?:Metadata)?":\{/.test(text)

const finals: Readonly<Record<Style, RegExp>> = {
  chat: /"finish_reason":"|\[DONE\]/,
  responses: /event: response\.(?:completed|incomplete)/,
  messages: /message_delta|message_stop/,
  gemini: /finishReason/,
  research: /"finish_reason":"|\[DONE\]/
}

describe.each(styleNames)("a stream of %s", (style) => {
  it.effect("truncated closes early, without final events or usage", () =>
    withBillingLog(
      Effect.gen(function* () {
        const all = yield* normal(style)
        for (const [scenario, most] of [
          ["truncated; after=4", 4],
          ["truncated; after=0", 0],
          ["truncated", all.length - 1],
          ["truncated; after=9999", all.length - 1]
        ] as const) {
          const { text } = yield* stream(style, scenario, { stream_options: { include_usage: true } })
          const events = eventsOf(text)
          if (scenario.includes("after=4")) expect(events).toHaveLength(4)
          expect(events.length).toBeLessThanOrEqual(most)
          expect(text).not.toMatch(finals[style])
          expect(hasUsage(text)).toBe(false)
          expect((yield* bills).at(-1)!.billed["output"]).toBe(tokens(textOf(events)).length)
        }
      })
    )
  )

  it.effect("reset breaks the connection after the given events, or halfway", () =>
    withBillingLog(
      Effect.gen(function* () {
        const all = yield* normal(style)
        for (const [scenario, count] of [
          ["reset; after=5", 5],
          ["reset", undefined]
        ] as const) {
          const chunks: Array<Uint8Array> = []
          const response = yield* opened(style, scenario)
          const exit = yield* Effect.exit(
            Stream.runForEach(response.stream, (chunk) => Effect.sync(() => chunks.push(chunk)))
          )
          expect(exit._tag).toBe("Failure")
          if (count !== undefined) expect(chunks).toHaveLength(count)
          expect(chunks.length).toBeGreaterThan(1)
          expect(chunks.length).toBeLessThan(all.length - 1)
          const text = textOf(eventsOf(Buffer.concat(chunks).toString()))
          expect((yield* bills).at(-1)!.billed["output"]).toBe(tokens(text).length)
        }
        expect(yield* bills).toHaveLength(3)
      })
    )
  )

  it.effect("stream-error sends the protocol's error event and ends", () =>
    withBillingLog(
      Effect.gen(function* () {
        const { text } = yield* stream(style, "stream-error; after=4")
        const events = eventsOf(text)
        expect(events).toHaveLength(5)
        expect(text).not.toMatch(finals[style])
        const error = JSON.parse(events[4]!.data) as Record<string, unknown>
        if (style === "messages")
          expect([events[4]!.event, error]).toEqual([
            "error",
            { type: "error", error: { type: "overloaded_error", message: expect.any(String) } }
          ])
        else if (style === "responses")
          expect([events[4]!.event, error]).toMatchObject([
            "error",
            { type: "error", code: "server_error", message: expect.any(String), sequence_number: 4 }
          ])
        else if (style === "gemini") expect(error).toMatchObject({ error: { code: 503, status: "UNAVAILABLE" } })
        else expect(error).toMatchObject({ error: { type: "server_error", message: expect.any(String) } })
        expect((yield* bills)[0]!.billed["output"]).toBe(tokens(textOf(events)).length)
      })
    )
  )

  it.effect("stall stops sending after the given events, and a disconnect bills what was sent", () =>
    withBillingLog(
      Effect.gen(function* () {
        const response = yield* opened(style, "stall; after=5")
        const chunks: Array<Uint8Array> = []
        const fiber = yield* Effect.forkChild(
          Stream.runForEach(response.stream, (chunk) => Effect.sync(() => chunks.push(chunk)))
        )
        yield* TestClock.adjust("1 days")
        expect(chunks).toHaveLength(5)
        expect(yield* bills).toEqual([])
        yield* Fiber.interrupt(fiber)
        const text = textOf(eventsOf(Buffer.concat(chunks).toString()))
        expect((yield* bills).map(({ billed }) => billed["output"])).toEqual([tokens(text).length])
      })
    )
  )

  it.effect("interval waits between events", () =>
    withBillingLog(
      Effect.gen(function* () {
        const all = yield* normal(style)
        const response = yield* opened(style, "interval; ms=1000")
        let seen = 0
        const fiber = yield* Effect.forkChild(Stream.runForEach(response.stream, () => Effect.sync(() => seen++)))
        yield* TestClock.adjust("999 millis")
        expect(seen).toBe(1)
        yield* TestClock.adjust("1 millis")
        expect(seen).toBe(2)
        yield* TestClock.adjust(`${all.length} seconds`)
        yield* Fiber.join(fiber)
        expect(seen).toBe(all.length)
        const [first, second] = yield* bills
        expect(second).toEqual(first)
      })
    )
  )

  it.effect("no-usage omits only the usage", () =>
    withBillingLog(
      Effect.gen(function* () {
        const more = { stream_options: { include_usage: true } }
        const whole = eventsOf((yield* stream(style, "", more)).text)
        const { text } = yield* stream(style, "no-usage", more)
        expect(hasUsage(whole.map(({ data }) => data).join(""))).toBe(true)
        expect(hasUsage(text)).toBe(false)
        expect(text).toMatch(finals[style])
        expect(textOf(eventsOf(text))).toBe(textOf(whole))
        const [first, second] = yield* bills
        expect(second).toEqual(first)
      })
    )
  )

  it.effect("garbage adds one event that is not JSON", () =>
    withBillingLog(
      Effect.gen(function* () {
        const all = yield* normal(style)
        const events = eventsOf((yield* stream(style, "garbage; after=3")).text)
        expect(() => JSON.parse(events[3]!.data) as unknown).toThrow()
        expect(events[3]!.event).toBe(events[4]!.event)
        expect(textOf(events.filter((_, index) => index !== 3))).toBe(textOf(all))
        expect(events).toHaveLength(all.length + 1)
        expect(eventsOf((yield* stream(style, "garbage")).text)).toHaveLength(all.length + 1)
        const [first, second] = yield* bills
        expect(second).toEqual(first)
      })
    )
  )

  it.effect("long has the given number of events, unless the output limit is reached", () =>
    withBillingLog(
      Effect.gen(function* () {
        const limit = { max_tokens: 10_000, max_output_tokens: 10_000, generationConfig: { maxOutputTokens: 10_000 } }
        const pieces = eventsOf((yield* stream(style, "long; events=321", limit)).text).filter(
          (event) => textOf([event]) !== ""
        )
        expect(pieces).toHaveLength(321)
        expect((yield* bills)[0]!.billed["output"]).toBe(tokens(textOf(pieces)).length)
        const small = { max_tokens: 20, max_output_tokens: 20, generationConfig: { maxOutputTokens: 20 } }
        yield* stream(style, "long; events=321", small)
        expect((yield* bills)[1]!.billed["output"]).toBe(20)
      })
    )
  )

  it.effect("a caller who disconnects is billed once, for the prompt and what was sent", () =>
    withBillingLog(
      Effect.gen(function* () {
        const limit = { max_tokens: 1_000_000, generationConfig: { maxOutputTokens: 1_000_000 } }
        const response = yield* opened(style, "long; events=100000", limit)
        expect(yield* bills).toEqual([])
        const chunks = yield* Stream.runCollect(Stream.take(response.stream, 50))
        const text = textOf(eventsOf(Buffer.concat(chunks).toString()))
        const [{ billed, operation } = { billed: {}, operation: "" }, ...more] = yield* bills
        expect([operation, billed["output"], more]).toEqual([styles[style].operation, tokens(text).length, []])
        yield* stream(style, "")
        expect((yield* bills)[1]!.billed["input"]).toBe(billed["input"])
      })
    )
  )
})

describe("a stream that is read twice", () => {
  it.effect("is billed once", () =>
    withBillingLog(
      Effect.gen(function* () {
        const response = yield* opened("chat", "")
        expect(yield* response.text).toBe(yield* response.text)
        expect(yield* bills).toHaveLength(1)
      })
    )
  )
})

describe("a long stream", () => {
  it.effect("is created as it is read, and never buffered", () =>
    withBillingLog(
      Effect.gen(function* () {
        const response = yield* opened("messages", "long; events=100000", { max_tokens: 10_000_000 })
        const events = yield* Stream.runCount(response.stream)
        expect(events).toBe(100_000 + 6)
        expect(yield* (yield* BillingLog).count).toBe(1)
      })
    )
  )
})

describe("a scenario in the model's name", () => {
  it.effect("works like the header", () =>
    withBillingLog(
      Effect.gen(function* () {
        const chat = { ...styles.chat.body(question), model: "sandbox:truncated; after=3", stream: true }
        expect(eventsOf((yield* post(styles.chat.path, chat)).text)).toHaveLength(3)
        const refused = { ...styles.messages.body(question), model: "sandbox:status; code=429; after=7" }
        const answer = yield* post(styles.messages.path, refused)
        expect([answer.status, answer.headers["retry-after"]]).toEqual([429, "7"])
        expect(JSON.parse(answer.text)).toMatchObject({ type: "error", error: { type: "rate_limit_error" } })
        const path = "/v1beta/models/sandbox:truncated%3Bafter=2:streamGenerateContent?alt=sse"
        expect(eventsOf((yield* post(path, styles.gemini.body(question))).text)).toHaveLength(2)
        const wins = yield* post(styles.chat.path, chat, header("status; code=418"))
        expect(wins.status).toBe(418)
        const unknown = yield* post(styles.chat.path, { ...chat, model: "sandbox:nonsense" })
        expect(eventsOf(unknown.text).at(-1)!.data).toBe("[DONE]")
        expect(unknown.text).toContain('"model":"sandbox"')
      })
    )
  )
})
