import Anthropic, { APIError as AnthropicError } from "@anthropic-ai/sdk"
import { describe, expect, layer } from "@effect/vitest"
import { ApiError as GeminiError, GoogleGenAI } from "@google/genai"
import { key } from "@tollgate/testing"
import { askServed } from "@tollgate/testing/hostile/askServed"
import {
  breaks,
  type Break,
  brokenAs,
  brokenUpstream,
  forwardedHeaders,
  hello
} from "@tollgate/testing/hostile/brokenUpstream"
import { socketBuffers } from "@tollgate/testing/hostile/endlessUpstream"
import { Served, servedTo, streamProviders } from "@tollgate/testing/hostile/Served"
import { type Call, calls, streams } from "@tollgate/testing/models"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import OpenAI, { APIError as OpenAIError } from "openai"

const eventBytes = 20_000

class Upstream extends Context.Service<Upstream, Effect.Success<ReturnType<typeof brokenUpstream>>>()("Upstream") {}

const upstream = Layer.effect(Upstream, brokenUpstream(eventBytes))
const gateway = Layer.unwrap(
  Upstream.useSync(({ port }) =>
    servedTo(streamProviders(port, { eventBytes, idleMillis: 2_000, breaker: false, forwardedHeaders }))
  )
)

/** The call that `run` makes. */
const callOf = Effect.fnUntraced(function* <A, E, R>(run: Effect.Effect<A, E, R>) {
  const before = new Set((yield* calls).map(({ id }) => id))
  const result = yield* run
  const [call, ...more] = (yield* calls).filter(({ id }) => !before.has(id))
  expect(more).toEqual([])
  return [result, call] as const
})

const expectDelivered = (call: Call | undefined) => {
  expect(call).toMatchObject({ state: "settled", cost_state: "estimated" })
  expect(call?.output_tokens).toBeGreaterThan(0)
}

/** Reads a stream with an official SDK and returns what it got before it raised, and what it raised. */
const collect = async <A>(open: () => Promise<AsyncIterable<A>>, textOf: (part: A) => string | null | undefined) => {
  let text = ""
  try {
    for await (const part of await open()) text += textOf(part) ?? ""
  } catch (error) {
    return { text, error }
  }
  return { text, error: undefined }
}

const message = [{ role: "user" as const, content: "Why?" }]

const sdks = {
  openai: (baseUrl: string, defaultHeaders: Record<string, string>) =>
    collect(
      () =>
        new OpenAI({
          apiKey: key,
          baseURL: `${baseUrl}/v1`,
          maxRetries: 0,
          logLevel: "off",
          defaultHeaders
        }).chat.completions.create({
          model: "sandbox",
          stream: true,
          messages: message
        }),
      ({ choices }) => choices[0]?.delta.content
    ),
  responses: (baseUrl: string, defaultHeaders: Record<string, string>) =>
    collect(
      () =>
        new OpenAI({
          apiKey: key,
          baseURL: `${baseUrl}/v1`,
          maxRetries: 0,
          logLevel: "off",
          defaultHeaders
        }).responses.create({
          model: "sandbox",
          stream: true,
          input: "Why?"
        }),
      (event) => (event.type === "response.output_text.delta" ? event.delta : "")
    ),
  anthropic: (baseUrl: string, defaultHeaders: Record<string, string>) =>
    collect(
      () =>
        new Anthropic({
          apiKey: key,
          baseURL: baseUrl,
          maxRetries: 0,
          logLevel: "off",
          defaultHeaders
        }).messages.create({
          model: "sandbox",
          max_tokens: 50,
          stream: true,
          messages: message
        }),
      (event) => (event.type === "content_block_delta" && event.delta.type === "text_delta" ? event.delta.text : "")
    ),
  gemini: (baseUrl: string, defaultHeaders: Record<string, string>) =>
    collect(
      () =>
        new GoogleGenAI({
          apiKey: key,
          httpOptions: { baseUrl, headers: defaultHeaders }
        }).models.generateContentStream({
          model: "sandbox",
          contents: "Why?"
        }),
      ({ text }) => text
    )
}

const errorTypes = { openai: OpenAIError, responses: OpenAIError, anthropic: AnthropicError, gemini: GeminiError }

const codeOf = (how: Break): string => (how === "falls silent" ? "upstream_timeout" : "upstream_failed")

layer(Layer.provideMerge(gateway, upstream))("a stream that breaks", (it) => {
  describe.each(Object.keys(sdks) as Array<keyof typeof sdks>)("of %s", (name) => {
    it.effect.each(breaks)("raises in the official SDK, with what arrived before: %s", (how) =>
      Effect.gen(function* () {
        const { baseUrl } = yield* Served
        const [{ error, text }, call] = yield* callOf(Effect.promise(() => sdks[name](baseUrl, brokenAs(name, how))))
        expect(text).toBe(hello)
        expect(error).toBeInstanceOf(errorTypes[name])
        const shown = JSON.stringify([error, String(error)])
        expect(shown).toContain(codeOf(how))
        expect(shown).toContain(call?.id)
        expectDelivered(call)
      })
    )
  })

  it.effect.each(breaks)("of gemini, as an array, is an array whose last item is the error: %s", (how) =>
    Effect.gen(function* () {
      const { body, headers, path } = streams["gemini, as an array"]
      const [answer, call] = yield* callOf(
        askServed(path, body("Why?", {}), { ...headers, ...brokenAs("gemini, as an array", how) })
      )
      expect(answer.complete).toBe(true)
      const items = answer.json() as ReadonlyArray<object>
      expect(items).toHaveLength(2)
      expect(JSON.stringify(items[0])).toContain(hello)
      expect(items[1]).toMatchObject({
        error: { code: 502, status: "UNAVAILABLE" },
        code: codeOf(how),
        request_id: call?.id
      })
      expectDelivered(call)
    })
  )

  it.effect.each(Object.keys(streams) as Array<keyof typeof streams>)(
    "before anything arrived is an error, and nothing is charged: %s",
    (name) =>
      Effect.gen(function* () {
        const { body, headers, path } = streams[name]
        const [answer, call] = yield* callOf(
          askServed(path, body("Why?", {}), { ...headers, ...brokenAs(name, "is empty") })
        )
        expect(answer.status).toBe(502)
        expect(answer.text).toContain("answer is not delivered")
        expect(call).toMatchObject({ state: "released", charged: 0 })
      })
  )

  it.effect("by an event without end closes the upstream's connection", () =>
    Effect.gen(function* () {
      const { accepted } = yield* Upstream
      for (const bytes of yield* accepted) expect(bytes).toBeLessThan(socketBuffers)
    })
  )
})
