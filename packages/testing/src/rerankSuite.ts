import { describe, expect, it } from "@effect/vitest"
import { Client, rerank } from "@tollgate/client"
import * as HttpCarrier from "@tollgate/contract/carrier/HttpCarrier"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpBody from "effect/http/HttpBody"
import * as Layer from "effect/Layer"
import { Host } from "./Host.ts"
import { key, TestGateway } from "./TestGateway.ts"

const documents = [
  "Mount Everest is the highest mountain above sea level.",
  "The Nile is the longest river in Africa.",
  "Rivers carry water to the sea; the longest of them cross whole continents."
] as const

const question = { query: "which river is the longest?", documents }

const clientAs = (credential: string) =>
  Layer.unwrap(
    Host.use(({ baseUrl, http }) =>
      Effect.succeed(
        Client.layer({ credential, baseUrl }).pipe(
          Layer.provide(HttpCarrier.layer),
          Layer.provide(Layer.succeed(HttpClient.HttpClient, http))
        )
      )
    )
  )

const post = (body: string, headers: Record<string, string> = {}) =>
  Host.use(({ baseUrl, http }) =>
    http
      .post(`${baseUrl}/v1/rerank`, {
        body: HttpBody.text(body, "application/json"),
        headers: { authorization: `Bearer ${key}`, ...headers }
      })
      .pipe(
        Effect.flatMap((response) =>
          Effect.map(response.text, (text) => ({
            status: response.status,
            headers: response.headers,
            text,
            json: (): unknown => JSON.parse(text)
          }))
        )
      )
  )

const code = (answer: { readonly json: () => unknown }): unknown =>
  (answer.json() as { readonly error: { readonly code: unknown } }).error.code

/** What a caller of rerank sees, on any host of the gateway. */
export const rerankSuite = (name: string, host: Layer.Layer<Host, never, TestGateway>) =>
  describe(`rerank over ${name}`, () => {
    const layer = () => host.pipe(Layer.provideMerge(TestGateway.layer()))
    const test = (what: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
      it.live(what, () => effect().pipe(Effect.provide(layer())))

    test("the client returns the documents in order of relevance", () =>
      Effect.gen(function* () {
        const result = yield* rerank(question)
        expect(result.results.map(({ index }) => index)).toEqual([1, 2, 0])
        expect(result.results[0]?.document.text).toBe(documents[1])
        expect(result.usage.total_tokens).toBeGreaterThan(0)
        expect((yield* (yield* TestGateway).billingLog.entries)[0]?.billed.tokens).toBe(result.usage.total_tokens)
      }).pipe(Effect.provide(clientAs(key))))

    test("top_n limits the result to the best documents", () =>
      rerank({ ...question, top_n: 1 }).pipe(
        Effect.map((result) => expect(result.results.map(({ index }) => index)).toEqual([1])),
        Effect.provide(clientAs(key))
      ))

    test("a wrong credential fails with a typed error, and nothing runs", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(rerank(question))
        expect(error).toMatchObject({
          _tag: "Unauthenticated",
          status: 401,
          code: "invalid_credential",
          outcome: "not executed"
        })
        expect(yield* (yield* TestGateway).billingLog.count).toBe(0)
      }).pipe(Effect.provide(clientAs("tg_wrong"))))

    test("an invalid body is refused with the field's name and reaches no upstream", () =>
      Effect.gen(function* () {
        for (const [body, message] of [
          ["{", "The body is not valid JSON in UTF-8."],
          ["", "A JSON body is required."],
          ["null", "The body must be a JSON object."],
          [`{"query":"","documents":["x"]}`, "query: must not be empty"],
          [`{"query":"x","documents":[]}`, "documents: must not be empty"],
          [`{"query":"x","documents":["a",5]}`, "documents.1: must be a string"],
          [`{"query":"x","documents":["a"],"documents":["b","c"]}`, `Two fields of the body are called "documents".`],
          [`{"query":"x","documents":["a"],"quer\\u0079":"y"}`, `Two fields of the body are called "query".`],
          [`{"query":"x","documents":["a"],"Query":"y"}`, `Two fields of the body are called "query".`],
          [`{"query":"x","documents":["a"],"top_n":0}`, "top_n: must be a value greater than or equal to 1"]
        ] as const) {
          const answer = yield* post(body)
          expect({ status: answer.status, error: answer.json() }).toMatchObject({
            status: 400,
            error: { error: { message, type: "invalid_request_error", code: "invalid_request" } }
          })
        }
        expect(yield* (yield* TestGateway).billingLog.count).toBe(0)
      }))

    test("undeclared fields reach the upstream unchanged", () =>
      Effect.gen(function* () {
        const answer = yield* post(JSON.stringify({ ...question, return_documents: true, "x-extra": { deep: [1] } }))
        expect(answer.status).toBe(200)
      }))

    test("every answer has its own request id", () =>
      Effect.gen(function* () {
        const first = yield* post(JSON.stringify(question))
        const second = yield* post("{")
        expect(first.headers["x-request-id"]).toMatch(/^req_/)
        expect(second.headers["x-request-id"]).not.toBe(first.headers["x-request-id"])
      }))

    test("a quote returns the price and executes nothing", () =>
      Effect.gen(function* () {
        const answer = yield* post(JSON.stringify(question), { "x-tollgate-cost-mode": "quote" })
        const bytes = documents.reduce((sum, text) => sum + text.length, question.query.length * documents.length)
        expect(answer.status).toBe(200)
        expect(answer.json()).toMatchObject({
          operation_id: "rerank",
          currency: "USD",
          estimate_micros_usd: Math.round((Math.ceil(bytes / 4) * 50) / 1000),
          max_micros_usd: Math.round((bytes * 50) / 1000),
          price_contract: "per_token",
          request_id: answer.headers["x-request-id"]
        })
        expect(yield* (yield* TestGateway).billingLog.count).toBe(0)
      }))

    test("an unknown cost mode is refused", () =>
      Effect.map(post(JSON.stringify(question), { "x-tollgate-cost-mode": "guess" }), (answer) =>
        expect(answer.status).toBe(400)
      ))

    test("a call that can cost more than its cap is refused before it runs; a higher cap allows it", () =>
      Effect.gen(function* () {
        const refused = yield* post(JSON.stringify(question), { "x-tollgate-max-price-usd": "0.000001" })
        expect([refused.status, code(refused)]).toEqual([402, "over_cap"])
        expect(yield* (yield* TestGateway).billingLog.count).toBe(0)
        for (const cap of ["-1", "1e3", "free", ""]) {
          expect((yield* post(JSON.stringify(question), { "x-tollgate-max-price-usd": cap })).status, cap).toBe(400)
        }
        expect((yield* post(JSON.stringify(question), { "x-tollgate-max-price-usd": "0.01" })).status).toBe(200)
      }))

    test("quote-mode authentication errors have an error object", () =>
      Effect.map(post("{}", { authorization: "Bearer tg_no", "x-tollgate-cost-mode": "quote" }), (answer) =>
        expect([answer.status, answer.json()]).toMatchObject([
          401,
          { error: { code: "invalid_credential", request_id: answer.headers["x-request-id"] } }
        ])
      ))

    test("an upstream's rate limit, error, page and broken connection reach the caller as such", () =>
      Effect.gen(function* () {
        const scenario = (value: string) => post(JSON.stringify(question), { "x-tollgate-scenario": value })
        const limited = yield* scenario("status; code=429; after=7")
        expect([limited.status, code(limited), limited.headers["retry-after"]]).toEqual([
          429,
          "upstream_rate_limit",
          "7"
        ])
        const own = yield* scenario("status; code=401")
        expect([own.status, code(own)]).toEqual([503, "upstream_misconfigured"])
        expect(own.text).not.toContain("as the scenario asked")
        const fault = yield* scenario("status; code=500")
        expect([fault.status, fault.text]).toEqual([500, expect.stringContaining("Status 500, as the scenario asked.")])
        const html = yield* scenario("html")
        expect([html.status, code(html), html.headers["x-tollgate-cost-state"]]).toEqual([
          502,
          "answer_not_metered",
          "none"
        ])
        const broken = yield* scenario("reset")
        expect([broken.status, code(broken)]).toEqual([502, "upstream_failed"])
      }))

    test("HTML with status 200 is an error without the page, and nothing is charged for what was executed", () =>
      Effect.gen(function* () {
        const { baseUrl, http } = yield* Host
        const withScenario = HttpClient.mapRequest(
          http,
          (request) =>
            ({
              ...request,
              headers: { ...request.headers, "x-tollgate-scenario": "html" }
            }) as typeof request
        )
        const error = yield* Effect.flip(
          rerank(question).pipe(
            Effect.provide(
              Client.layer({ credential: key, baseUrl }).pipe(
                Layer.provide(HttpCarrier.layer),
                Layer.provide(Layer.succeed(HttpClient.HttpClient, withScenario))
              )
            )
          )
        )
        expect(error).toMatchObject({
          _tag: "UpstreamFailed",
          code: "answer_not_metered",
          outcome: "executed",
          charge: { state: "none" },
          body: expect.not.stringContaining("Welcome") as unknown
        })
      }))

    test("an unknown path is 404 after authentication; a wrong method is 405 with Allow", () =>
      Effect.gen(function* () {
        const { baseUrl, http } = yield* Host
        const get = (path: string, headers: Record<string, string> = {}) =>
          Effect.map(http.get(`${baseUrl}${path}`, { headers }), (response) => response)
        expect((yield* get("/v1/nothing")).status).toBe(401)
        const bearer = { authorization: `Bearer ${key}` }
        expect((yield* get("/v1/nothing", bearer)).status).toBe(404)
        const wrong = yield* get("/v1/rerank", bearer)
        expect([wrong.status, wrong.headers.allow]).toEqual([405, "POST"])
        expect((yield* get("/apis/v1/traffic_analytics/website/traffic-engagement")).status).toBe(404)
      }))

    test("the contract is served by its hash, complete or for one operation", () =>
      Effect.gen(function* () {
        const { baseUrl, http } = yield* Host
        const get = (path: string) =>
          Effect.flatMap(http.get(`${baseUrl}/api/contracts/${path}`), (response) =>
            Effect.map(response.json, (json) => ({ status: response.status, headers: response.headers, json }))
          )
        const version = yield* get("version")
        const { contentHash } = version.json as { readonly contentHash: string }
        expect(version.headers["x-tollgate-contract-hash"]).toBe(contentHash)
        const whole = yield* get(`source?hash=${contentHash}&bundled=1`)
        expect(whole.json).toMatchObject({ openapi: "3.0.3", info: { version: "1.0.0" } })
        const one = yield* get(`source?hash=${contentHash}&operation_id=rerank`)
        expect(Object.keys((one.json as { readonly paths: object }).paths)).toEqual(["/v1/rerank"])
        expect((yield* get(`source?hash=other&bundled=1`)).status).toBe(409)
        expect((yield* get(`source?hash=${contentHash}&operation_id=none`)).status).toBe(404)
        expect((yield* get(`source?hash=${contentHash}`)).status).toBe(400)
        expect((yield* get(`source`)).status).toBe(400)
      }))

    test("CORS allows every origin", () =>
      Effect.gen(function* () {
        const { baseUrl, http } = yield* Host
        const answer = yield* http.options(`${baseUrl}/v1/rerank`, {
          headers: { origin: "http://page.invalid", "access-control-request-headers": "authorization" }
        })
        expect([answer.status, answer.headers["access-control-allow-headers"]]).toEqual([204, "authorization"])
      }))
  })
