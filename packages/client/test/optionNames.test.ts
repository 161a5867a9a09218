import { afterEach, describe, expect, expectTypeOf, it, vi } from "@effect/vitest"
import {
  awaitVideo,
  type CallOptions,
  type Client,
  chatCompletionsStream,
  createClient,
  generateVideo,
  type Options,
  quote,
  rerank,
  type StreamOptions,
  tweetQuotesPages
} from "@tollgate/client"
import { call } from "@tollgate/client/discovered"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { callNames, clientNames } from "../src/options/names.ts"
import { credential, json, question, ranking, respond, scripted } from "./scripted.ts"
import { data, events } from "./streamScripted.ts"

afterEach(() => void vi.unstubAllEnvs())

/** As a program without types may write it. */
const untyped = (options: object) => options as never

describe("createClient throws at once", () => {
  it.each<[string, object, string]>([
    ["for a misspelt option", { maxprice: "1" }, "Unknown option maxprice. Did you mean maxPrice?"],
    ["also if it is undefined", { base_url: undefined }, "Unknown option base_url. Did you mean baseUrl?"],
    [
      "and lists the options if none is near",
      { organization: "o" },
      "Unknown option organization. There are: timeout, "
    ],
    ["for the credential under another name", { apiKey: "k" }, "Unknown option apiKey. Did you mean credential?"],
    ["for a misspelt option of the transport", { fetsh: fetch }, "Unknown option fetsh. Did you mean fetch?"],
    ["for a fetch that is no function", { fetch: 3 }, "fetch must be a function"],
    ["for an option of a call", { extra: {} }, "Unknown option extra."],
    ["for an option of another transport", { proxy: "http://127.0.0.1:1" }, "Unknown option proxy."],
    ["for a misspelt field of retry", { retry: { retrys: 1 } }, "Unknown option retrys. Did you mean retries?"],
    ["for an address that is none", { baseUrl: "gateway.example" }, "baseUrl must be http:// or https://"],
    ["for a text as a time", { timeout: "soon" }, "A timeout is milliseconds"],
    ["for no number as a time", { timeout: Number.NaN }, "A timeout is milliseconds"],
    ["for a negative time", { timeout: -1 }, "A timeout is milliseconds"],
    ["for a list as a silence", { idleTimeout: [] }, "A timeout is milliseconds"]
  ])("%s", (_, options, message) => {
    expect(() => createClient(untyped({ credential, ...options }))).toThrow(message)
  })

  it("for a text instead of options, and does not show it", () => {
    expect(() => createClient(credential as never)).toThrow(/^Unknown option 0\. There are: /)
  })

  it("for an address in the environment that is none", () => {
    vi.stubEnv("TOLLGATE_BASE_URL", "gateway.example")
    expect(() => createClient({ credential })).toThrow("baseUrl must be http:// or https://")
  })
})

it.effect("a layer with a misspelt option cannot be built", () =>
  Effect.gen(function* () {
    const { layer, sent } = scripted(respond(200, JSON.stringify(ranking), json), untyped({ maxprice: "1" }))
    const exit = yield* Effect.exit(rerank(question).pipe(Effect.provide(layer)))
    expect([String(exit), sent]).toEqual([expect.stringContaining("Did you mean maxPrice?"), []])
  })
)

describe("a call with a misspelt option is refused before anything is sent", () => {
  const wrong = untyped({ maxprice: "1" })
  const asked = { model: "m", messages: [{ role: "user", content: "?" }] } as const
  const calls: Readonly<Record<string, Effect.Effect<unknown, unknown, Client>>> = {
    call: rerank(question, wrong),
    stream: Stream.runDrain(chatCompletionsStream(asked, wrong)),
    quote: quote(rerank, question, wrong),
    pages: Stream.runDrain(tweetQuotesPages({ tweetId: "7" }, wrong)),
    generateVideo: generateVideo({ model: "v", input: { prompt: "A river" } }, wrong),
    "a call by id": call("weather.forecast", {}, wrong)
  }

  it.effect.each(Object.keys(calls))("%s", (name) =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(respond(200, "{}", json))
      expect(yield* Effect.flip(calls[name]!.pipe(Effect.provide(layer)))).toMatchObject({
        _tag: "InputInvalid",
        outcome: "not executed",
        message: "Unknown option maxprice. Did you mean maxPrice?"
      })
      expect(sent).toEqual([])
    })
  )

  it.effect("the wait for a video", () =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(respond(200, "{}", json))
      const exit = yield* Effect.exit(awaitVideo("t1", untyped({ timout: 1 })).pipe(Effect.provide(layer)))
      expect([String(exit), sent]).toEqual([expect.stringContaining("Did you mean timeout?"), []])
    })
  )

  it("also if it is one of a stream, or of a promise", async () => {
    const client = createClient({ credential, fetch: async () => new Response("{}", { headers: json }) })
    const failure = (run: Promise<unknown>) => run.then(String, (error: Error) => error.message)
    const streamed = (options: object) => failure(client.chatCompletionsStream(asked, untyped(options)).text())
    expect(await streamed({ sginal: 1 })).toBe("Unknown option sginal. Did you mean signal?")
    expect(await streamed({ oncharge: 1 })).toBe("Unknown option oncharge. Did you mean onCharge?")
    expect(await streamed({ organization: 1 })).toMatch(/signal, onCharge, resumable$/)
    expect(await failure(client.rerank(question, untyped({ organization: 1 })))).toMatch(/extra, signal$/)
    await client.close()
  })

  it("with promises", async () => {
    const sent: Array<unknown> = []
    const fetch = async (url: string) => {
      sent.push(url)
      return new Response("{}", { headers: json })
    }
    const client = createClient({ credential, fetch })
    await expect(client.rerank(question, wrong)).rejects.toMatchObject({ _tag: "InputInvalid" })
    await expect(client.chatCompletionsStream(asked, wrong).text()).rejects.toMatchObject({ _tag: "InputInvalid" })
    // It is one of streams only: nobody would call it.
    await expect(client.rerank(question, untyped({ onCharge: () => {} }))).rejects.toMatchObject({
      _tag: "InputInvalid"
    })
    expect(sent).toEqual([])
    await client.close()
  })
})

describe("a stream with an option that is not what a function made", () => {
  const asked = { model: "m", messages: [{ role: "user", content: "?" }] } as const

  it.effect.each<[string, object, string]>([
    ["resumable", { resumable: true }, "resumable: pass resumable() of @tollgate/client/resumable"]
  ])("is refused: %s", ([, options, message]) =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(respond(200, "{}", json))
      const run = Stream.runDrain(chatCompletionsStream(asked, untyped(options)))
      expect(yield* Effect.flip(run.pipe(Effect.provide(layer)))).toMatchObject({ _tag: "InputInvalid", message })
      expect(sent).toEqual([])
    })
  )

  it.effect("is sent if it is false", () =>
    Effect.gen(function* () {
      const { layer, sent } = events([data("[DONE]")])
      const options = untyped({ resumable: false })
      yield* Stream.runDrain(chatCompletionsStream(asked, options)).pipe(Effect.provide(layer))
      expect(sent.length).toBe(1)
    })
  )
})

it("an effect without a layer names one", async () => {
  const run = Effect.runPromise(rerank(question) as Effect.Effect<unknown, unknown>)
  await expect(run).rejects.toThrow(
    "Service not found: @tollgate/client/Client. Provide a layer, such as NodeClient.layer()"
  )
})

it("the names are those of the types", () => {
  expectTypeOf<(typeof clientNames)[number]>().toEqualTypeOf<keyof Options>()
  expectTypeOf<(typeof callNames)[number]>().toEqualTypeOf<
    keyof CallOptions | Exclude<keyof StreamOptions, "onCharge" | "resumable">
  >()
})
