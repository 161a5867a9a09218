import { describe, expect, it } from "@effect/vitest"
import {
  chatCompletions,
  chatCompletionsStream,
  type Client,
  createClient,
  generateContent,
  generateContentStream,
  messages,
  quote,
  responses,
  tweetQuotes,
  withBudget
} from "@tollgate/client"
import { observe } from "@tollgate/client/observe"
import { call, pages, quote as quoteById, stream } from "@tollgate/client/discovered"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import { operations } from "@tollgate/contract/operations"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { json, respond, scripted } from "./scripted.ts"

const itself = (name: string) => {
  const value: Record<string, unknown> = {}
  value[name] = value
  return value
}

const nested = (inner: unknown, levels: number, around: (value: unknown) => unknown): unknown => {
  let value = inner
  for (let level = 0; level < levels; level++) value = around(value)
  return value
}

const throwing = (thrown: unknown) => ({
  get field(): unknown {
    throw thrown
  }
})

const thrower = (): never => {
  throw new Error("not now")
}

/** Values that no JSON can hold. */
const values: Readonly<Record<string, unknown>> = {
  "an object that contains itself": itself("self"),
  "one that contains itself as a limit of the output": itself("max_tokens"),
  "one that contains itself as Gemini's": itself("generationConfig"),
  "100,000 lists in each other": nested(1, 100_000, (value) => [value]),
  "100,000 objects in each other": nested(1, 100_000, (generationConfig) => ({ generationConfig })),
  "a getter that throws": throwing(new Error("not now")),
  "a getter that throws nothing": throwing(undefined),
  "a toJSON that throws": { toJSON: thrower },
  "a bigint": 1n,
  "a proxy that refuses": new Proxy({}, { ownKeys: thrower, get: thrower })
}

const contract = OpenApi.source(
  Catalogue.make(
    operations.filter(({ id }) => id === "chat.completions"),
    defaults
  )
)

/** Answers whatever is sent, and counts what is not the contract. */
const outcome = (called: Effect.Effect<unknown, unknown, Client>, more: Layer.Layer<never> = Layer.empty) => {
  let calls = 0
  const { layer } = scripted((request, url, signal) => {
    if (url.pathname === "/api/contracts/version") return respond(200, "{}", json)(request, url, signal)
    if (url.pathname === "/api/contracts/source") return respond(200, contract, json)(request, url, signal)
    calls++
    return respond(200, JSON.stringify({ max_micros_usd: 1 }), json)(request, url, signal)
  })
  const failed = Effect.flip(called.pipe(Effect.provide(Layer.merge(layer, more))))
  return Effect.map(failed, (error) => ({ error, calls }))
}

const said = { role: "user" as const, content: "?" }
const chat = (value: unknown) => ({ model: "m", messages: [said], max_tokens: value }) as never
const gemini = (value: unknown) =>
  ({ path: { model: "m" }, body: { contents: [{ parts: [{ text: "?" }] }], generationConfig: value } }) as never

const ways: Readonly<Record<string, (value: unknown) => Effect.Effect<unknown, unknown, Client>>> = {
  "a call": (value) => chatCompletions(chat(value)),
  "a call to Anthropic's protocol": (value) => messages(chat(value)),
  "a call of responses": (value) => responses({ model: "m", input: "?", metadata: value } as never),
  "a call to Gemini's protocol": (value) => generateContent(gemini(value)),
  "a field that is not defined": (value) => chatCompletions({ model: "m", messages: [said], more: value } as never),
  "a message": (value) => chatCompletions({ model: "m", messages: [{ role: "user", content: value }] } as never),
  "an extra field": (value) => chatCompletions({ model: "m", messages: [said] }, { extra: { more: value } }),
  "an extra parameter": (value) => tweetQuotes({ tweet_id: "1" } as never, { extra: { more: value } }),
  "a stream": (value) => Stream.runDrain(chatCompletionsStream(chat(value))),
  "a stream of Gemini's protocol": (value) => Stream.runDrain(generateContentStream(gemini(value))),
  "a quote": (value) => quote(chatCompletions, chat(value)),
  "a call within a budget": (value) => withBudget("1")(chatCompletions(chat(value))),
  "a call by id": (value) => call("chat.completions", chat(value)),
  "a quote by id": (value) => quoteById("chat.completions", chat(value)),
  "a stream by id": (value) => Stream.runDrain(stream("chat.completions", chat(value))),
  "pages by id": (value) => Stream.runDrain(pages("chat.completions", chat(value)))
}

const refused = { _tag: "InputInvalid", outcome: "not executed", message: expect.stringMatching(/^.+$/) }

describe("an input that cannot be written is refused before anything is sent:", () => {
  for (const [name, value] of Object.entries(values)) {
    it.effect.each(Object.keys(ways))(`${name}, in %s`, (way) =>
      Effect.gen(function* () {
        expect(yield* outcome(Effect.suspend(() => ways[way]?.(value) ?? Effect.void))).toMatchObject({
          error: refused,
          calls: 0
        })
      })
    )
  }
})

describe("an input that throws itself", () => {
  const input = (name: string) =>
    Object.defineProperty({ model: "m", messages: [said] } as Record<string, unknown>, name, {
      enumerable: true,
      get: thrower
    }) as never

  it.effect.each<[string, () => Effect.Effect<unknown, unknown, Client>]>([
    ["a call", () => chatCompletions(input("stream"))],
    ["a stream", () => Stream.runDrain(chatCompletionsStream(input("stream_options")))],
    ["a call by id", () => call("chat.completions", input("model"))],
    ["a stream by id", () => Stream.runDrain(stream("chat.completions", input("model")))]
  ])("%s", ([, called]) =>
    Effect.gen(function* () {
      expect(yield* outcome(Effect.suspend(called))).toMatchObject({ error: refused, calls: 0 })
    })
  )

  it.effect("is told to observers", () =>
    Effect.gen(function* () {
      const ended: Array<unknown> = []
      const observer = observe(() => ({ ended: (call) => void ended.push(call) }))
      expect(yield* outcome(chatCompletions(input("model")), observer)).toMatchObject({ error: refused, calls: 0 })
      expect(ended).toMatchObject([{ result: "failed", failed: { type: "InputInvalid" }, charge: { state: "none" } }])
    })
  )

  it("rejects a promise", async () => {
    const client = createClient({ credential: "k", baseUrl: "http://127.0.0.1:9" })
    await expect(client.chatCompletions(input("model"))).rejects.toMatchObject(refused)
    await client.close()
  })
})
