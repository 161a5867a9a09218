import { describe, expect, it } from "@effect/vitest"
import {
  type CallOptions,
  chatCompletions,
  rerank,
  tweetQuotes,
  tweetQuotesPages,
  usage,
  withIdempotencyKey,
  withMaxPrice
} from "@tollgate/client"
import { clientOf } from "@tollgate/client/promises/createClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { answer, attempts, refusal } from "./attempts.ts"
import { question, ranking, scripted } from "./scripted.ts"

const hang = () => Effect.never
const ok = answer(200, ranking)

const headersOf = ({ sent }: { readonly sent: ReadonlyArray<{ readonly request: { readonly headers: object } }> }) =>
  sent[0]?.request.headers

const bodyOf = ({ sent }: ReturnType<typeof scripted>): unknown => {
  const { body } = sent[0]!.request
  return body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(body.body)) : undefined
}

describe("the options of one call", () => {
  it.effect("set its time, and win over those of the client", () =>
    Effect.gen(function* () {
      for (const [timeout, message] of [
        ["5 seconds", "5000"],
        [200, "200"]
      ] as const) {
        const made = yield* attempts(rerank(question, { timeout }), hang, { timeout: "1 minute" })
        expect(made.result).toMatchObject({
          failure: { message: expect.stringMatching(`^No whole answer within ${message} ms \\(`) }
        })
      }
    })
  )

  it.effect("replace the tags of the client", () =>
    Effect.gen(function* () {
      const client = { tags: { team: "search" } }
      for (const [call, tags] of [
        [rerank(question), "team=search"],
        [rerank(question, { tags: { job: "a b", team: "ads" } }), "job=a b,team=ads"]
      ] as const) {
        expect(headersOf(yield* attempts(call, ok, client))).toMatchObject({ "x-tollgate-tags": tags })
      }
      expect(headersOf(yield* attempts(rerank(question), ok))).not.toHaveProperty("x-tollgate-tags")
      const wrong = yield* attempts(rerank(question, { tags: { team: "a\nb" } }), ok)
      expect([wrong.count, wrong.result]).toMatchObject([0, { failure: { _tag: "InputInvalid" } }])
    })
  )

  it.effect("ask for kept answers", () =>
    Effect.gen(function* () {
      for (const [cache, header] of [
        ["use", "use"],
        ["refresh", "refresh"],
        [{ maxAge: 60 }, "use; max-age=60"],
        [{ maxAge: 0 }, "use; max-age=0"]
      ] as const) {
        const made = yield* attempts(rerank(question, { cache }), ok)
        expect(headersOf(made)).toMatchObject({ "x-tollgate-cache": header })
      }
      expect(headersOf(yield* attempts(rerank(question), ok))).not.toHaveProperty("x-tollgate-cache")
    })
  )

  it.effect("override the retries and the cap of the client", () =>
    Effect.gen(function* () {
      const client = { retries: 1, maxPrice: "0.10" }
      const failing = refusal(503, "upstream_unavailable")
      expect((yield* attempts(rerank(question), failing, client)).count).toBe(2)
      expect((yield* attempts(rerank(question, { retries: 2 }), failing, client)).count).toBe(3)
      for (const [call, cap] of [
        [rerank(question), "0.1"],
        [rerank(question, { maxPrice: "0.20" }), "0.2"],
        [rerank(question).pipe(withMaxPrice("0.03")), "0.03"]
      ] as const) {
        expect(headersOf(yield* attempts(call, ok, client))).toMatchObject({ "x-tollgate-max-price-usd": cap })
      }
      const wrong = yield* attempts(rerank(question), ok, { maxPrice: "much" })
      expect([wrong.count, wrong.result]).toMatchObject([0, { failure: { _tag: "InputInvalid" } }])
    })
  )

  it.effect("that are undefined leave those around the call in force", () =>
    Effect.gen(function* () {
      // A program without `exactOptionalPropertyTypes` may write this.
      const options = { maxPrice: undefined } as object as CallOptions
      const call = rerank(question, options).pipe(withMaxPrice("0.02"))
      expect(headersOf(yield* attempts(call, ok))).toMatchObject({ "x-tollgate-max-price-usd": "0.02" })
    })
  )

  it.effect("refuse a time that is none, before anything is sent", () =>
    Effect.gen(function* () {
      const made = yield* attempts(rerank(question, { timeout: "soon" as never }), ok)
      expect([made.count, made.result]).toMatchObject([0, { failure: { _tag: "InputInvalid" } }])
    })
  )

  it.effect("set how often it is retried", () =>
    Effect.gen(function* () {
      for (const retries of [0, 1, 5]) {
        expect((yield* attempts(rerank(question, { retries }), refusal(503, "shutting_down"))).count).toBe(retries + 1)
      }
    })
  )

  it.effect("add headers to those of the client, and never replace the client's own", () =>
    Effect.gen(function* () {
      const headers = { "X-Team": "rivers", Authorization: "Bearer other", "Content-Type": "text/plain" }
      const made = yield* attempts(rerank(question, { headers, idempotencyKey: "order 7" }), ok, {
        headers: { "x-team": "seas", "x-app": "atlas", "idempotency-key": "wrong" }
      })
      expect(headersOf(made)).toMatchObject({
        "x-team": "rivers",
        "x-app": "atlas",
        "content-type": "application/json",
        "idempotency-key": "order 7"
      })
      expect(JSON.stringify(headersOf(made))).not.toContain("Bearer other")
    })
  )

  it.effect("refuse a header that cannot be sent, and do not show its value", () =>
    Effect.gen(function* () {
      for (const headers of [{ "x-a": "1\r\nx-b: 2" }, { "x a": "1" }, { "x-a": "河" }]) {
        const made = yield* attempts(rerank(question, { headers }), ok)
        expect([made.count, made.result]).toMatchObject([0, { failure: { _tag: "InputInvalid" } }])
        expect(JSON.stringify(made.result)).not.toMatch(/x-b|河/)
      }
    })
  )

  it.effect("add fields to the body, and never replace those of the input", () =>
    Effect.gen(function* () {
      const made = scripted(ok)
      yield* rerank(question, { extra: { seed: 7, query: "other" } }).pipe(Effect.provide(made.layer))
      expect(bodyOf(made)).toEqual({ ...question, seed: 7 })
    })
  )

  it.effect("add parameters to the query if there is no body", () =>
    Effect.gen(function* () {
      const made = yield* attempts(
        tweetQuotes({ tweetId: "7" }, { extra: { lang: "de", n: 3, on: true, none: undefined, tweetId: "8" } }),
        answer(200, { tweets: [], has_next_page: false })
      )
      const query = Object.fromEntries(made.sent[0]!.url.searchParams)
      expect(query).toEqual({ lang: "de", n: "3", on: "true", tweetId: "7" })
    })
  )

  it.effect("are of that call only, and win over what surrounds it", () =>
    Effect.gen(function* () {
      const calls = Effect.andThen(rerank(question, { idempotencyKey: "inner" }), rerank(question))
      const made = yield* attempts(calls.pipe(withIdempotencyKey("outer")), ok)
      expect(made.keys).toEqual(["inner", "outer"])
    })
  )

  it.effect("are of every page of a list", () =>
    Effect.gen(function* () {
      let page = 0
      const made = scripted((request, url, signal) =>
        answer(200, { tweets: [], has_next_page: page === 0, next_cursor: String(++page) })(request, url, signal)
      )
      const pages = tweetQuotesPages({ tweetId: "7" }, { maxPrice: "0.01", headers: { "x-team": "rivers" } })
      yield* Stream.runDrain(pages).pipe(Effect.provide(made.layer))
      const sent = made.sent.map(({ request: { headers } }) => [headers["x-tollgate-max-price-usd"], headers["x-team"]])
      expect(sent).toEqual([
        ["0.01", "rivers"],
        ["0.01", "rivers"]
      ])
    })
  )

  it("are the same with promises", async () => {
    const made = scripted(ok)
    const client = clientOf(made.layer)
    await client.rerank(question, {
      headers: { "x-team": "rivers" },
      extra: { seed: 7 },
      retries: 0,
      timeout: "5 seconds"
    })
    expect([headersOf(made), bodyOf(made)]).toMatchObject([{ "x-team": "rivers" }, { seed: 7 }])
    await client.close()
  })
})

it.effect("the time of a call is shared by its attempts and the waits between", () =>
  Effect.gen(function* () {
    const slow: Parameters<typeof scripted>[0] = (request, url, signal) =>
      Effect.delay(refusal(503)(request, url, signal), "4 minutes")
    const made = yield* attempts(usage({ start_time: 1 }), slow)
    expect(made.count).toBe(3)
    expect(made.result).toMatchObject({
      failure: { _tag: "TransportFailed", message: "No whole answer within 600000 ms" }
    })
    const own = yield* attempts(chatCompletions({ model: "m", messages: [] }, { timeout: "Infinity" as never }), ok)
    expect(own.count).toBe(1)
  })
)

it.effect("a credential that never arrives ends with the call's time", () =>
  Effect.gen(function* () {
    const made = yield* attempts(rerank(question, { timeout: "5 seconds" }), ok, { credential: Effect.never })
    expect([made.count, made.result]).toMatchObject([0, { failure: { _tag: "CredentialUnavailable" } }])
  })
)

it.effect("a wait for the rate limit ends with the call's time", () =>
  Effect.gen(function* () {
    const calls = Effect.andThen(
      Effect.all([rerank(question), rerank(question)]),
      rerank(question, { timeout: "5 seconds" })
    )
    const made = yield* attempts(calls, ok, { pace: { rpm: 2 }, baseUrl: "http://slow-pace.invalid" })
    expect([made.count, made.result]).toMatchObject([2, { failure: { _tag: "PaceExceeded" } }])
  })
)
