import { describe, expect, it } from "@effect/vitest"
import { call, Client, rerank } from "@tollgate/client"
import * as HttpCarrier from "@tollgate/contract/carrier/HttpCarrier"
import { defaults, type Names } from "@tollgate/contract/Names"
import { userStories } from "@tollgate/contract/operations/userStories"
import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { ask, question } from "@tollgate/testing/ask"

const names: Names = {
  social_a: "birds",
  social_b: "pics",
  social_c: "clips",
  reseller: "shop",
  traffic_analytics: "counter",
  provider: "Acme"
}

const host = Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ names })))
const clientWith = (names: Names) =>
  Layer.unwrap(
    Host.use(({ baseUrl, http }) =>
      Effect.succeed(
        Client.layer({ credential: key, baseUrl, names }).pipe(
          Layer.provide(HttpCarrier.layer),
          Layer.provide(Layer.succeed(HttpClient.HttpClient, http))
        )
      )
    )
  )
const long = JSON.stringify({ query: "a question of some length", documents: ["a document", "another document"] })
const bearer = { authorization: `Bearer ${key}` }

describe("with other names configured", () => {
  it.live("paths change, and the old ones are gone", () =>
    Effect.gen(function* () {
      expect((yield* ask("GET", "/apis/v1/shop/pics/v2/fetch_user_stories", bearer)).status).toBe(503)
      expect((yield* ask("GET", "/apis/v1/reseller/social_b/v2/fetch_user_stories", bearer)).status).toBe(404)
      expect((yield* ask("GET", "/apis/v1/counter/website/traffic-engagement")).status).toBe(404)
      expect((yield* ask("POST", "/apis/v1/birds/follow_birds", bearer, "{}")).status).toBe(503)
    }).pipe(Effect.provide(host))
  )

  it.live("headers change, and the old ones mean nothing", () =>
    Effect.gen(function* () {
      const quote = yield* ask("POST", "/v1/rerank", { ...bearer, "x-acme-cost-mode": "quote" }, question)
      expect(quote.json()).toMatchObject({ operation_id: "rerank", estimate_micros_usd: expect.any(Number) })
      const old = yield* ask("POST", "/v1/rerank", { ...bearer, "x-tollgate-cost-mode": "quote" }, question)
      expect(old.json()).toMatchObject({ results: expect.any(Array) })
      expect(old.headers).toHaveProperty("x-acme-cost-state")
      expect(old.headers).not.toHaveProperty("x-tollgate-cost-state")
      expect((yield* ask("POST", "/v1/rerank", { ...bearer, "x-acme-max-price-usd": "0" }, long)).status).toBe(402)
      const page = yield* ask("POST", "/v1/rerank", { ...bearer, "x-acme-scenario": "html" }, question)
      expect(page.text).toContain("answer_not_metered")
      const version = yield* ask("GET", "/api/contracts/version")
      expect(version.headers).toHaveProperty("x-acme-contract-hash")
    }).pipe(Effect.provide(host))
  )

  it.live("the published contract has the new names", () =>
    Effect.gen(function* () {
      const { contentHash } = (yield* ask("GET", "/api/contracts/version")).json() as { readonly contentHash: string }
      const source = yield* ask("GET", `/api/contracts/source?hash=${contentHash}&bundled=1`)
      expect(source.text).toContain("/apis/v1/shop/pics/v2/fetch_user_stories")
      // The names themselves are there, by what they stand for.
      const text = source.text.replace(/"x-names":\{[^}]*\}/, "")
      expect(text).not.toMatch(/social_a|\{reseller\}|X-Tollgate/)
      const one = yield* ask("GET", `/api/contracts/source?hash=${contentHash}&operation_id=shop.pics.user_stories`)
      expect(one.status).toBe(200)
    }).pipe(Effect.provide(host))
  )

  it.live("a client with the same names understands the gateway", () =>
    Effect.gen(function* () {
      yield* rerank({ query: "q", documents: ["a"] })
      const stories = yield* Effect.flip(call(userStories)({}))
      expect(stories).toMatchObject({ _tag: "Unavailable", code: "upstream_misconfigured", outcome: "not executed" })
      const video = yield* Effect.flip(call(videoCreate)({ model: "m", input: { prompt: "p" } }))
      expect(video).toMatchObject({ _tag: "Unavailable", code: "billing_misconfigured" })
    }).pipe(Effect.provide(Layer.provideMerge(clientWith(names), host)))
  )

  it.live("a client with other names gets a typed error", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(call(userStories)({}))).toMatchObject({ _tag: "NotFound", code: "route_not_found" })
      expect(yield* Effect.flip(call(videoCreate)({ model: "m", input: { prompt: "p" } }))).toMatchObject({
        _tag: "InvalidRequest",
        message: "The header X-Acme-Async: enable is required."
      })
    }).pipe(Effect.provide(Layer.provideMerge(clientWith(defaults), host)))
  )
})
