import { describe, expect, it } from "@effect/vitest"
import * as Address from "@tollgate/contract/Address"
import * as Catalogue from "@tollgate/contract/Catalogue"
import type { Family } from "@tollgate/contract/errors/Family"
import { errorFamilies } from "@tollgate/contract/errors/families"
import { decode } from "@tollgate/contract/errors/decode"
import { defaults } from "@tollgate/contract/Names"
import type { Bound } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { estimate } from "@tollgate/contract/price/contracts"
import { sample } from "@tollgate/contract/reference/sample"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ask, question } from "@tollgate/testing/ask"

const { bound } = Catalogue.make(operations, defaults)
const layer = Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer()))
const bearer = { authorization: `Bearer ${key}` }

const sampled = (schema: Schema.Constraint | undefined) =>
  (schema === undefined ? {} : sample(schema)) as Readonly<Record<string, string>>

/** A body that the operation accepts: one for all of them, as all are open, with its own required fields. */
const fittingBody = ({ request }: Bound) => ({ query: "q", documents: ["a"], model: "m", ...sampled(request.body) })

/** For operations whose parameters are not any text. */
const fittingQuery: Readonly<Record<string, string>> = {
  usage: "?start_time=1",
  "contracts.source": "?hash=x&bundled=1",
  "social_a.tweet_quotes": "?tweetId=1"
}

const call = (operation: Bound, headers: Record<string, string>, body = JSON.stringify(fittingBody(operation))) => {
  const path = operation.path.replaceAll(/\{[^}]+\}/g, "some")
  const required = operation.request.headers ?? {}
  return ask(
    operation.method,
    path + (fittingQuery[operation.id] ?? Address.query(sampled(operation.request.query))),
    { ...required, ...headers },
    operation.method === "POST" ? body : undefined
  )
}

const expectShape = (family: Family, answer: { readonly json: () => unknown; readonly headers: object }) => {
  const body = answer.json()
  expect(
    Schema.is(errorFamilies[family].shape as Schema.Schema<unknown>)(body),
    `${family}: ${JSON.stringify(body)}`
  ).toBe(true)
  expect(answer.headers).toMatchObject({ "content-type": expect.stringContaining("application/json") })
}

const codeOf = (answer: { readonly status: number; readonly headers: object; readonly text: string }) =>
  decode({ status: answer.status, headers: answer.headers as Record<string, string>, body: answer.text }, defaults, 0)
    .code

const closed = bound.filter(({ access }) => access === "credential")

describe("without a credential", () => {
  it.effect("every operation answers 401 in its family's shape, with a request id and a challenge", () =>
    Effect.gen(function* () {
      expect(closed.length).toBeGreaterThan(15)
      for (const operation of closed) {
        for (const headers of [{}, { authorization: "Bearer nobody" }]) {
          const answer = yield* call(operation, headers)
          expect([answer.status, answer.headers["www-authenticate"]], operation.id).toEqual([401, "Bearer"])
          expect(answer.headers["x-request-id"]).toMatch(/^req_/)
          expectShape(operation.family, answer)
        }
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("the error bodies, word for word", () =>
    Effect.gen(function* () {
      const message = "Send a credential: Authorization: Bearer <key>."
      const at = (id: string) =>
        call(
          bound.find((operation) => operation.id === id)!,
          {}
        )
      expect((yield* at("rerank")).json()).toEqual({
        error: { message, type: "authentication_error", param: null, code: "missing_credential" }
      })
      const anthropic = yield* at("messages")
      expect(anthropic.json()).toEqual({
        type: "error",
        error: { type: "authentication_error", message, code: "missing_credential" },
        request_id: anthropic.headers["x-request-id"]
      })
      expect((yield* at("models.generate_content")).json()).toEqual({
        error: { code: 401, message, status: "UNAUTHENTICATED" },
        code: "missing_credential"
      })
      const task = yield* at("task.get")
      expect(task.json()).toEqual({ code: "missing_credential", message, request_id: task.headers["x-request-id"] })
      expect((yield* at("usage")).json()).toEqual({ error: message })
      const data = yield* at("reseller.social_b.user_stories")
      expect(data.json()).toEqual({
        error: {
          code: "missing_credential",
          message,
          type: "authentication_error",
          request_id: data.headers["x-request-id"]
        }
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("in quote mode every family's error is an object with a code", () =>
    Effect.gen(function* () {
      for (const operation of closed) {
        const answer = yield* call(operation, { "x-tollgate-cost-mode": "quote" })
        expect(answer.status).toBe(401)
        expect(answer.json()).toMatchObject({ error: { code: "missing_credential", message: expect.any(String) } })
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("an unknown path answers in the shape of the paths next to it", () =>
    Effect.gen(function* () {
      for (const [path, family] of [
        ["/v1beta/models/m:countTokens", "gemini"],
        ["/v1/nothing", "openai"],
        ["/apis/v1/nothing", "data"],
        ["/", "data"],
        ["/apis/v1/services/aigc/tasks/%", "task"]
      ] as const) {
        const missing = yield* ask("GET", path)
        expect(missing.status).toBe(401)
        expectShape(family, missing)
        const found = yield* ask("GET", path, bearer)
        expect([found.status, codeOf(found)], path).toEqual([404, "route_not_found"])
        expectShape(family, found)
      }
    }).pipe(Effect.provide(layer))
  )
})

describe("an operation that is not configured", () => {
  const priced = (operation: Bound) => Option.isSome(estimate(operation.price, fittingBody(operation)))

  it.effect("without an upstream answers 503 upstream_misconfigured", () =>
    Effect.gen(function* () {
      const without = bound.filter(
        (operation) => priced(operation) && operation.id !== "rerank" && operation.upstream !== "gateway"
      )
      expect(without.map(({ id }) => id)).toContain("reseller.social_b.user_stories")
      for (const operation of without) {
        const answer = yield* call(operation, bearer)
        expect(answer.status, `${operation.id} ${answer.text}`).toBe(503)
        if (operation.family !== "usage") expect(codeOf(answer), operation.id).toBe("upstream_misconfigured")
        expectShape(operation.family, answer)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("without a price answers 503 billing_misconfigured, also in quote mode", () =>
    Effect.gen(function* () {
      const without = bound.filter((operation) => !priced(operation))
      expect(without.map(({ id }) => id)).toEqual(
        expect.arrayContaining(["video.create", "messages", "models.generate_content"])
      )
      // A form is read before its price is known.
      for (const operation of without.filter(({ request }) => request.bodyType === undefined)) {
        for (const mode of [{}, { "x-tollgate-cost-mode": "quote" }]) {
          const answer = yield* call(operation, { ...bearer, ...mode })
          expect([answer.status, codeOf(answer)], operation.id).toEqual([503, "billing_misconfigured"])
          expectShape(operation.family, answer)
          expect(answer.headers).not.toHaveProperty("x-tollgate-cost-micros-usd")
        }
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("that is free has no quote", () =>
    Effect.gen(function* () {
      for (const operation of bound.filter(({ price }) => price.contract === "free")) {
        const answer = yield* call(operation, { ...bearer, "x-tollgate-cost-mode": "quote" })
        expect(answer.status, operation.id).toBe(400)
        expectShape(operation.family, answer)
      }
    }).pipe(Effect.provide(layer))
  )
})

describe("an invalid request", () => {
  it.effect("creating a video needs the asynchronous header", () =>
    Effect.gen(function* () {
      const path = "/apis/v1/services/aigc/video-generation/video-synthesis"
      const body = JSON.stringify({ model: "m", input: { prompt: "p" } })
      for (const headers of [
        {},
        { "x-tollgate-async": "yes" },
        { "x-tollgate-async": "" },
        { "x-acme-async": "enable" }
      ]) {
        const answer = yield* ask("POST", path, { ...bearer, ...headers }, body)
        expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_request"])
        expect(answer.text).toContain("X-Tollgate-Async")
        expectShape("task", answer)
      }
      expect((yield* ask("POST", path, { ...bearer, "X-Tollgate-Async": "enable" }, body)).status).toBe(503)
    }).pipe(Effect.provide(layer))
  )

  it.effect("an invalid or badly encoded query gets 400 in the shape of the route", () =>
    Effect.gen(function* () {
      for (const query of [
        "",
        "?start_time=",
        "?start_time=0",
        "?start_time=1e3",
        "?start_time=x",
        "?start_time=%zz",
        "?start_time=-1"
      ]) {
        const answer = yield* ask("GET", `/v1/usage${query}`, bearer)
        expect(answer.status, query).toBe(400)
        expectShape("usage", answer)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("the error names the field and does not repeat its value", () =>
    Effect.gen(function* () {
      const secret = "s3cr3t-value"
      for (const body of [
        { query: "q", documents: [{ secret }] },
        { query: { secret }, documents: ["a"] },
        { query: "q", documents: ["a"], top_n: secret },
        { query: "q", documents: ["a"], model: [secret] }
      ]) {
        const answer = yield* ask("POST", "/v1/rerank", bearer, JSON.stringify(body))
        expect(answer.status).toBe(400)
        expect(answer.text).not.toContain(secret)
      }
      const broken = yield* ask("POST", "/v1/rerank", bearer, `{"query": ${secret}`)
      expect([broken.status, broken.text.includes(secret)]).toEqual([400, false])
    }).pipe(Effect.provide(layer))
  )

  it.effect("no JSON body makes the gateway fail", () =>
    Effect.gen(function* () {
      const deep = "[".repeat(20_000) + "]".repeat(20_000)
      for (const body of [
        "[]",
        `"text"`,
        "1e999",
        "true",
        `{"__proto__":{"query":"q","documents":["a"]}}`,
        `{"query":"q","documents":{"0":"a","length":1}}`,
        `{"query":"q","documents":["\\ud800"],"top_n":1e400}`,
        "\u00ff\u00fe",
        "\ufeff{}",
        `{"query":"q","documents":["a"],"top_n":${deep}}`
      ]) {
        expect((yield* ask("POST", "/v1/rerank", bearer, body)).status, body.slice(0, 60)).toBe(400)
      }
      const extra = yield* ask("POST", "/v1/rerank", bearer, `{"query":"q","documents":["a"],"extra":${deep}}`)
      expect(extra.status).toBe(200)
    }).pipe(Effect.provide(layer))
  )
})

describe("a body over the limit, over Node's server", () => {
  const node = Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer()))
  const large = JSON.stringify({ query: "q", documents: ["x".repeat(100_000)] })

  it.live("gets 413 in the shape of the route, and the next request is served", () =>
    Effect.gen(function* () {
      for (const [path, family] of [
        ["/v1/rerank", "openai"],
        ["/v1/messages", "anthropic"],
        ["/v1beta/models/m:generateContent", "gemini"],
        ["/apis/v1/social_a/follow_social_a", "data"]
      ] as const) {
        const answer = yield* ask("POST", path, bearer, large)
        expect([answer.status, codeOf(answer)], path).toEqual([413, "body_too_large"])
        expectShape(family, answer)
      }
      expect((yield* ask("POST", "/v1/rerank", bearer, question)).status).toBe(200)
      expect(yield* (yield* TestGateway).billingLog.count).toBe(1)
    }).pipe(Effect.provide(node))
  )

  it.live("is not read before the credential is accepted", () =>
    Effect.gen(function* () {
      expect((yield* ask("POST", "/v1/rerank", {}, large)).status).toBe(401)
    }).pipe(Effect.provide(node))
  )
})
