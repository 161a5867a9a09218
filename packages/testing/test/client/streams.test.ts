import { describe, expect, it } from "@effect/vitest"
import {
  chatCompletionsStream,
  Client,
  deepResearchStream,
  generateContentStream,
  generateVideo,
  messagesStream,
  postCommentsItems,
  type StreamOptions,
  textOf,
  tweetQuotesItems,
  tweetQuotesPages,
  type Usage,
  usageOf,
  withBudget
} from "@tollgate/client"
import * as HttpCarrier from "@tollgate/contract/carrier/HttpCarrier"
import type { Charge } from "@tollgate/contract/Outcome"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { isAll } from "@tollgate-tooling/programs/counts.ts"
import { bindings, calls, priced } from "@tollgate/testing/models"

const gateway = TestGateway.layer({ operations: priced, bindings, sandbox: "all" })

/** A client whose requests set a scenario of the sandbox. */
const client = (scenario: string) =>
  Layer.unwrap(
    Host.use(({ baseUrl, http }) =>
      Effect.succeed(
        Client.layer({
          credential: key,
          baseUrl,
          // These gateways share an address and a key, so the client shares their limits.
          pace: false,
          bindings: { ...bindings, "social_b.post_comments": { parameters: { cursor: "cursor" } } }
        }).pipe(
          Layer.provide(HttpCarrier.layer),
          Layer.provide(
            Layer.succeed(
              HttpClient.HttpClient,
              HttpClient.mapRequest(http, HttpClientRequest.setHeader("x-tollgate-scenario", scenario))
            )
          )
        )
      )
    )
  )

const hosts = { "over sockets": Host.layerNode, ...(isAll ? { "in process": Host.layerInProcess } : {}) }

const text = "Why do rivers bend, and where?"
const messages = [{ role: "user" as const, content: text }]

const protocols = {
  chatCompletions: (options?: StreamOptions) => chatCompletionsStream({ model: "sandbox", messages }, options),
  deepResearch: (options?: StreamOptions) => deepResearchStream({ model: "sandbox", messages }, options),
  messages: (options?: StreamOptions) => messagesStream({ model: "sandbox", max_tokens: 500, messages }, options),
  generateContent: (options?: StreamOptions) =>
    generateContentStream(
      { path: { model: "sandbox" }, body: { contents: [{ role: "user", parts: [{ text }] }] } },
      options
    )
}

/** Waits until the only call has ended, because its caller may leave earlier. */
const ended = Effect.gen(function* () {
  for (;;) {
    const [call, another] = yield* calls
    expect(another).toBeUndefined()
    if (call !== undefined && call.state !== "open") return call
    yield* Effect.sleep("5 millis")
  }
})

for (const [host, layer] of Object.entries(hosts)) {
  const test = (
    name: string,
    scenario: string,
    effect: () => Effect.Effect<unknown, unknown, Client | Host | TestGateway>
  ) =>
    it.live(name, () =>
      effect().pipe(Effect.provide(client(scenario)), Effect.provide(layer.pipe(Layer.provideMerge(gateway))))
    )

  for (const [protocol, ask] of Object.entries(protocols)) {
    describe(`${protocol} ${host}`, () => {
      test("streams its text, usage and charge", "cached; tokens=3", () =>
        Effect.gen(function* () {
          const charges: Array<Charge> = []
          const onCharge = (charge: Charge) => Effect.sync(() => void charges.push(charge))
          const seen = yield* Stream.runFold(
            ask({ onCharge }),
            () => ({ text: "", used: {} as Usage }),
            ({ text, used }, event) => ({ text: text + textOf(event), used: { ...used, ...usageOf(event) } })
          )
          expect(seen.text.length).toBeGreaterThan(20)
          const [call] = yield* calls
          expect(seen.used).toMatchObject({
            input: call?.input_tokens,
            output: call?.output_tokens,
            cacheRead: 3
          })
          expect(charges).toMatchObject([{ state: "settled", micros: call?.charged }])
        })
      )

      test("is left half way: the upstream stops and the call is settled", "interval; ms=5", () =>
        Effect.gen(function* () {
          const taken = yield* Stream.runCollect(Stream.take(ask(), 5))
          expect(taken).toHaveLength(5)
          const { state } = yield* ended
          expect(state).toBe("settled")
          const { billingLog } = yield* TestGateway
          while ((yield* billingLog.count) === 0) yield* Effect.sleep("5 millis")
          const [entry] = yield* billingLog.entries
          const whole = yield* Stream.runFold(
            ask(),
            () => ({}) as Usage,
            (used, event) => ({ ...used, ...usageOf(event) })
          )
          expect(entry?.billed["output"]).toBeLessThan(whole.output ?? 0)
        })
      )

      test("fails with the upstream's error", "stream-error; after=4", () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Stream.runDrain(ask()))
          expect(error).toMatchObject({ _tag: "StreamFailed", events: 4, outcome: "executed" })
          expect(error).toMatchObject({ charge: { state: "estimated" } })
        })
      )

      test("is truncated", "truncated; after=4", () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Stream.runDrain(ask()))
          expect(error).toMatchObject({ _tag: "StreamFailed", code: "upstream_failed", events: 4, outcome: "executed" })
          expect(error).toHaveProperty("requestId")
        })
      )

      test("is reset", "reset; after=4", () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Stream.runDrain(ask()))
          expect(error).toMatchObject({ _tag: "StreamFailed", code: "upstream_failed", outcome: "executed" })
          expect((yield* ended).state).toBe("settled")
        })
      )

      test("times out when no event comes", "stall; after=4", () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Stream.runDrain(ask({ idleTimeout: 600 })))
          expect(error).toMatchObject({ _tag: "StreamTimedOut", events: 4, outcome: "executed" })
          expect((yield* ended).state).toBe("settled")
        })
      )

      test("fails on an event that is not JSON", "garbage; after=4", () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Stream.runDrain(ask()))
          expect(error).toMatchObject({ _tag: "EventInvalid", events: 4, data: '{"sandbox": not JSON' })
        })
      )

      test("is refused", "status; code=500", () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Stream.runDrain(ask()))
          expect(error).toMatchObject({ _tag: "ServerFault", status: 500 })
        })
      )

      test("fails on an HTML page", "html", () =>
        Effect.gen(function* () {
          expect(yield* Effect.flip(Stream.runDrain(ask()))).toMatchObject({ code: "answer_not_metered" })
        })
      )

      test("is refused over the budget", "", () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(withBudget("0.000001")(Stream.runDrain(ask())))
          expect(error._tag).toBe("BudgetExceeded")
          expect(yield* calls).toHaveLength(0)
          yield* withBudget("1")(Stream.runDrain(ask()))
        })
      )
    })
  }

  describe(`lists ${host}`, () => {
    test("quotes are fetched page by page, to the end", "", () =>
      Effect.gen(function* () {
        const { billingLog } = yield* TestGateway
        yield* Stream.runDrain(Stream.take(tweetQuotesItems({ tweetId: "3" }), 5))
        expect(yield* billingLog.count).toBe(1)
        const pages = yield* Stream.runCollect(tweetQuotesPages({ tweetId: "3" }))
        expect(pages.length).toBeGreaterThan(1)
        expect(yield* billingLog.count).toBe(1 + pages.length)
        const ids = new Set(pages.flatMap(({ tweets }) => tweets.map(({ id }) => id)))
        expect(ids.size).toBe(pages.reduce((sum, { tweets }) => sum + tweets.length, 0))
      })
    )

    test("comments are fetched to the end", "", () =>
      Effect.gen(function* () {
        const comments = yield* Stream.runCollect(postCommentsItems({ url: "https://example.com/p/2" }))
        expect(new Set(comments.map(({ id }) => id)).size).toBe(comments.length)
        expect(comments.length).toBeGreaterThan(15)
      })
    )
  })

  describe(`a video ${host}`, () => {
    const soon = { firstMillis: 500, betweenMillis: [500, 500] } as const
    const make = (prompt: string, options = {}) =>
      generateVideo({ model: "sandbox-video", input: { prompt } }, { ...soon, ...options })

    test("is awaited", "", () =>
      Effect.gen(function* () {
        const { output } = yield* make("a river [task 200ms]")
        expect(output).toMatchObject({ task_status: "SUCCEEDED", orig_prompt: "a river [task 200ms]" })
        expect(output.video_url).toMatch(/^http/)
      })
    )

    test("fails, is canceled, or takes too long", "", () =>
      Effect.gen(function* () {
        const [failed, canceled, late] = yield* Effect.all(
          [
            Effect.flip(make("a [task fails] [task 100ms]")),
            Effect.flip(make("b [task canceled] [task 100ms]")),
            Effect.flip(make("c [task never]", { timeout: 2_200 }))
          ],
          { concurrency: 3 }
        )
        expect(failed).toMatchObject({ _tag: "VideoFailed", code: "InternalError.Generation" })
        expect(canceled).toMatchObject({ _tag: "VideoCanceled" })
        expect(late).toMatchObject({ _tag: "VideoTimedOut", task: { output: { task_status: "RUNNING" } } })
        for (const error of [failed, canceled, late]) expect(error).toHaveProperty("taskId")
      })
    )
  })
}
