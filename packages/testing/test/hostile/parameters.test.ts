import { describe, expect, it } from "@effect/vitest"
import * as Catalogue from "@tollgate/contract/Catalogue"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import { fromJsonSchema } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import { fromText } from "@tollgate/contract/jsonSchema/fromText"
import { usd } from "@tollgate/contract/Money"
import { defaults, fill } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { OpenQuery } from "@tollgate/contract/QueryStyle"
import type { Target } from "@tollgate/gateway/upstream/Route"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { bindings, calls, priced } from "@tollgate/testing/models"
import { Document, isJson, listAt, textAt } from "@tollgate/testing/openapi/Document"
import { exampleCalls } from "@tollgate/testing/openapi/exampleCalls"
import { anyObject, customOperation } from "@tollgate/testing/operation/customOperation"
import { httpUpstream, providerAt, type Received } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { ServerResponse } from "node:http"

const bearer = { authorization: `Bearer ${key}` }

/** What paid APIs do with parameters that nobody described: the proof of cost disappears, and the data does not. */
const asAsked = (res: ServerResponse, { url }: Received) => {
  const query = new URL(url, "http://upstream").searchParams
  const quotes = [{ n: 1, url: "https://paid" }]
  if (query.get("format") === "csv")
    return void res.setHeader("content-type", "text/csv").end("n,url\n1,https://paid\n")
  if (query.has("callback")) {
    return void res.setHeader("content-type", "application/javascript").end(`cb(${JSON.stringify({ quotes })})`)
  }
  res.setHeader("content-type", "application/json")
  res.end(
    query.has("fields") ? JSON.stringify({ data: quotes }) : JSON.stringify({ quotes, credits: 3, code: 0, ok: 1 })
  )
}

interface World {
  readonly operations: ReadonlyArray<Operation>
  readonly target?: Partial<Target>
  readonly answer?: (res: ServerResponse, received: Received) => void
}

const world = <A, E>(
  { answer = asAsked, operations, target = {} }: World,
  use: (received: ReadonlyArray<Received>) => Effect.Effect<A, E, Host | TestGateway>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream(answer)
      const routes = operations.map(({ id }) => ({
        operation: fill(id, defaults),
        to: [{ provider: providerAt(port), weight: 1, ...target }]
      }))
      return yield* use(received).pipe(
        Effect.provide(
          Host.layerSockets(1_000_000).pipe(Layer.provideMerge(TestGateway.layer({ routes, operations, bindings })))
        )
      )
    })
  )

const schema = (type: string) => fromText({ schema: { type }, definitions: {} })
const query = OpenQuery({ symbol: Schema.optionalKey(schema("string")), tags: Schema.optionalKey(schema("array")) })

const prices = {
  "per call": { contract: "per_request", amount: usd("0.01") },
  "per item": { contract: "response_count", perItem: usd("0.01"), items: "quotes", most: 10 },
  "per unit": { contract: "answer_field", perUnit: usd("0.01"), field: ["credits"], most: 10 },
  "by a code": { contract: "body_code", amount: usd("0.01"), field: "code", equals: 0 }
} as const

const quotes = (own: Partial<Operation> = {}): Operation =>
  customOperation({
    id: "market.quotes",
    method: "GET",
    path: "/market/quotes",
    request: { query },
    success: fromJsonSchema({ schema: { type: "object" }, definitions: {} }),
    pending: [],
    ...own
  })

const messageOf = ({ text }: { readonly text: string }) =>
  (JSON.parse(text) as { readonly error: { readonly message: string } }).error.message

const attacks = ["format=csv", "callback=cb", "fields=n,url"]

describe("a parameter that nobody described", () => {
  it.live.each(Object.keys(prices) as Array<keyof typeof prices>)("is refused, and nothing is sent: %s", (name) =>
    world({ operations: [quotes({ price: prices[name] })] }, (received) =>
      Effect.gen(function* () {
        expect((yield* ask("GET", "/market/quotes?symbol=X", bearer)).headers["x-tollgate-cost-state"]).toBe("settled")
        for (const attack of [...attacks, "fo%72mat=csv", "SYMBOL=X", "%73ymbol%00=X", "=x"]) {
          const answer = yield* ask("GET", `/market/quotes?symbol=X&${attack}`, bearer)
          expect(answer.status, attack).toBe(400)
          expect(answer.text, attack).not.toContain("paid")
        }
        expect(messageOf(yield* ask("GET", "/market/quotes?format=csv", bearer))).toBe(
          '"format": the operation has no such parameter; it has symbol, tags.'
        )
        expect(received).toHaveLength(1)
      })
    )
  )

  it.live.each(Object.keys(prices) as Array<keyof typeof prices>)(
    "passes if the operator says so, and never makes paid data cost nothing: %s",
    (name) =>
      world({ operations: [quotes({ price: prices[name], otherParameters: true })] }, (received) =>
        Effect.gen(function* () {
          for (const attack of attacks) {
            const { headers, status, text } = yield* ask("GET", `/market/quotes?${attack}`, bearer)
            const isPaid = Number(headers["x-tollgate-cost-micros-usd"] ?? 0) > 0
            expect(text.includes("paid"), attack).toBe(isPaid)
            expect(status, attack).toBe(isPaid ? 200 : 502)
          }
          expect(received).toHaveLength(attacks.length)
          expect((yield* ask("GET", "/market/quotes?Symbol=X", bearer)).status).toBe(400)
        })
      )
  )

  it.live("passes where the definition is pending, and for the SDKs of models", () =>
    world({ operations: priced, answer: (res) => res.writeHead(404).end() }, (received) =>
      Effect.gen(function* () {
        for (const path of [
          "/apis/v1/traffic_analytics/website/traffic-engagement?any=1&any=2",
          "/apis/v1/social_b/post/comments?url=x&after=1"
        ]) {
          expect((yield* ask("GET", path, bearer)).status, path).toBe(404)
        }
        const message = '{"model":"sandbox","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}'
        expect((yield* ask("POST", "/v1/messages?beta=true", bearer, message)).status).toBe(404)
        expect(received.map(({ url }) => url.replace(/.*\?/, ""))).toEqual([
          "any=1&any=2",
          "url=x&after=1",
          "beta=true"
        ])
        const complete = yield* ask("GET", "/apis/v1/social_a/tweet/quotes?tweetId=1&format=csv", bearer)
        expect([complete.status, messageOf(complete)]).toEqual([400, expect.stringContaining("tweetId, cursor")])
        expect(received).toHaveLength(3)
      })
    )
  )
})

describe("the document and the gateway say the same of a parameter that nobody described", () => {
  const bound = Catalogue.make(priced, defaults, bindings)
  const document = new Document(OpenApi.document(bound))
  const examples = new Map(exampleCalls(document).map(({ call, id }) => [id, call]))
  const undeclared = "zz_undeclared=1"

  it.live.each(document.operations.map((found) => ({ ...found, id: textAt(found.operation, "operationId") })))(
    "$id",
    ({ id, method, operation, path }) =>
      world({ operations: priced, answer: (res) => res.writeHead(404).end() }, (received) =>
        Effect.gen(function* () {
          const takesOthers = listAt(operation, "parameters").some((one) => isJson(one) && one["x-others"] === true)
          const { body, headers, path: sent } = examples.get(id) ?? { headers: {}, path: path.replace(/\{\w+\}/g, "x") }
          const text = body === undefined ? undefined : JSON.stringify(body)
          const query = `${sent.includes("?") ? "&" : "?"}${undeclared}`
          const how = method.toUpperCase() as "GET" | "POST"
          const answer = yield* ask(how, sent + query, { ...bearer, ...headers }, text)
          expect(answer.text.includes("zz_undeclared")).toBe(!takesOthers)
          if (!takesOthers) expect(answer.status).toBe(400)
          // Nobody has linked an account, without which this one is not sent.
          const isOwn = bound.byId.get(id)?.upstream === "gateway"
          // A form is written by its SDK.
          const isForm = bound.byId.get(id)?.request.bodyType !== undefined
          const isSent = takesOthers && !isOwn && !isForm && id !== "social_a.follow"
          // A platform may add parameters to those of OAuth.
          if (isOwn) expect(takesOthers).toBe(id === "social_a.oauth_callback")
          expect(received.map(({ url }) => url.endsWith(undeclared))).toEqual(isSent ? [true] : [])
        })
      )
  )

  it.live("and the nearest name is told, in the form of errors that the operation has", () =>
    world({ operations: priced }, () =>
      Effect.gen(function* () {
        const message = "the operation has no such parameter"
        const usage = (query: string) => ask("GET", `/v1/usage?start_time=1&${query}`, bearer)
        expect((yield* usage("end=2")).json()).toEqual({
          error: `"end": ${message}; did you mean end_time? It has start_time, end_time.`
        })
        expect((yield* usage("bucket_width=1h")).json()).toEqual({
          error: `"bucket_width": ${message}; it has start_time, end_time.`
        })
        expect((yield* ask("GET", "/v1/usage?end=2")).status).toBe(401)
        expect((yield* usage("end_time=2")).status).toBe(200)
        // As Anthropic's SDKs ask for models.
        const anthropic = { ...bearer, "anthropic-version": "2023-06-01" }
        expect((yield* ask("GET", "/v1/models?beta=true&limit=3", anthropic)).status).toBe(200)
        expect((yield* ask("GET", "/v1/models/none?beta=true", anthropic)).status).toBe(404)
      })
    )
  )
})

describe("a parameter or header that shapes the answer of a model", () => {
  const paths = {
    "/v1beta/models/sandbox:generateContent": { contents: [{ parts: [{ text: "Hi" }] }] },
    "/v1beta/models/sandbox:streamGenerateContent": { contents: [{ parts: [{ text: "Hi" }] }] },
    "/v1/chat/completions": { model: "sandbox", messages: [{ role: "user", content: "Hi" }] },
    "/v1/responses": { model: "sandbox", input: "Hi" },
    "/v1/messages": { model: "sandbox", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }
  }
  const queries = [
    "fields=candidates",
    "$fields=candidates",
    "%24fields=candidates",
    "f%69elds=candidates",
    "Fields=x",
    "fie_lds=x",
    "alt=json",
    "alt=media",
    "alt",
    "ALT=sse",
    "$alt=sse",
    "alt=sse&alt=json",
    "alt=SSE",
    "al%74=proto",
    "prettyPrint=false",
    "pp=1",
    "callback=f",
    "$.xgafv=1",
    "$httpHeaders=x-goog-fieldmask:candidates",
    "fieldMask=x",
    "upload_protocol=raw",
    "access_token=x",
    "KEY=x"
  ]

  it.live.each(Object.entries(paths))("is refused by name, and nothing is sent: %s", ([path, body]) =>
    world({ operations: priced, answer: (res) => res.writeHead(404).end() }, (received) =>
      Effect.gen(function* () {
        const text = JSON.stringify(body)
        for (const query of queries) {
          const answer = yield* ask("POST", `${path}?beta=true&${query}`, bearer, text)
          expect(answer.status, query).toBe(400)
          expect(messageOf(answer), query).toMatch(/this changes what is answered/)
        }
        const masked = yield* ask("POST", path, { ...bearer, "X-Goog-FieldMask": "candidates" }, text)
        expect([masked.status, messageOf(masked)]).toEqual([400, expect.stringContaining('"x-goog-fieldmask"')])
        expect(received).toEqual([])
        expect((yield* ask("POST", `${path}?beta=true&alt=sse`, bearer, text)).status).toBe(404)
        expect(received.map(({ url }) => url)).toEqual([`${path}?beta=true&alt=sse`])
      })
    )
  )
})

describe("a parameter that is sent twice", () => {
  it.live("is refused, unless it is a list", () =>
    world({ operations: [quotes({ price: prices["per call"] })] }, (received) =>
      Effect.gen(function* () {
        const twice = yield* ask("GET", "/market/quotes?symbol=A&symbol=B", bearer)
        expect([twice.status, messageOf(twice)]).toEqual([400, expect.stringContaining('"symbol": this parameter')])
        expect((yield* ask("GET", "/market/quotes?symbol=A&%73ymbol=B", bearer)).status).toBe(400)
        expect((yield* ask("GET", "/market/quotes?tags=a&tags=b", bearer)).status).toBe(200)
        expect((yield* ask("GET", "/market/quotes?tags[]=a&tags[]=b", bearer)).status).toBe(200)
        expect(received).toHaveLength(2)
      })
    )
  )
})

describe("a field in another spelling", () => {
  const times = { field: ["n"], unit: "item", otherwise: 1 } as const
  const paint = customOperation({
    id: "paint",
    method: "POST",
    path: "/paint",
    request: { body: anyObject },
    price: { contract: "per_request", amount: usd("0.01"), times },
    otherParameters: true
  })
  const nested = { ...paint, price: { ...paint.price, times: { ...times, field: ["options", "n"] } } } as Operation
  const target = { names: { body: { n: "count" }, query: { size: "dimension" } } }
  /** What some reader takes for the same name: other cases, Unicode, padding. */
  const spellings = (name: string) => [
    name.toUpperCase(),
    `${name[0]?.toUpperCase()}${name.slice(1)}`,
    `_${name}`,
    `${name}\u200b`,
    ` ${name}`,
    `${name}\0x`,
    name.replace("n", "\uff4e"),
    ...(name === "count" ? ["\u212aount".replace("\u212a", "C"), "coun\u0287".replace("\u0287", "T")] : [])
  ]

  it.live("that decides the price, here or at the upstream, is refused", () =>
    world({ operations: [paint], target }, (received) =>
      Effect.gen(function* () {
        for (const name of [...spellings("n"), ...spellings("count"), "count"]) {
          const answer = yield* ask("POST", "/paint", bearer, JSON.stringify({ [name]: 100 }))
          expect(answer.status, JSON.stringify(name)).toBe(400)
        }
        for (const body of ['{"n":1,"n":100}', '{"n":1,"\\u006e":100}', '{"n":1,"N":100}']) {
          expect((yield* ask("POST", "/paint", bearer, body)).status, body).toBe(400)
        }
        for (const name of ["dimension", "Dimension", "DIMENSION", "SIZE"]) {
          expect((yield* ask("POST", `/paint?${name}=9`, bearer, '{"n":1}')).status, name).toBe(400)
        }
        expect(received).toEqual([])
        const right = yield* ask("POST", "/paint?size=9", bearer, '{"n":100}')
        expect([right.status, right.headers["x-tollgate-cost-micros-usd"]]).toEqual([200, "1000000"])
        expect([received[0]?.url, received[0]?.body]).toEqual(["/paint?dimension=9", '{"count":100}'])
      })
    )
  )

  it.live("is refused inside of objects too", () =>
    world({ operations: [nested] }, (received) =>
      Effect.gen(function* () {
        for (const body of ['{"options":{"N":100}}', '{"Options":{"n":100}}', '{"options":{"n":1,"n":100}}']) {
          expect((yield* ask("POST", "/paint", bearer, body)).status, body).toBe(400)
        }
        expect(received).toEqual([])
      })
    )
  )
})

describe("the caller's own credential", () => {
  const paint = customOperation({
    id: "paint",
    method: "POST",
    path: "/paint/{name}",
    request: {
      path: Schema.Struct({ name: Schema.NonEmptyString }),
      header: Schema.Struct({ "x-note": Schema.optionalKey(Schema.String) }),
      body: anyObject
    },
    price: prices["per call"],
    otherParameters: true
  })
  const target = { forwardedHeaders: ["x-other"] }
  const escaped = [...key].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join("")
  const encoded = [...key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join("")

  it.live("never reaches an upstream, wherever it is and however it is written", () =>
    world({ operations: [paint], target }, (received) =>
      Effect.gen(function* () {
        const send = (path: string, body = "{}", headers = {}) => ask("POST", path, { ...bearer, ...headers }, body)
        for (const value of [
          key,
          `Bearer%20${key}`,
          `Bearer+${key}`,
          encoded,
          encoded.replaceAll("%", "%25"),
          `a${key}b`
        ]) {
          const answer = yield* send(`/paint/x?x=${value}`)
          expect([answer.status, answer.text.includes(key)], value).toEqual([400, false])
          expect((yield* send(`/paint/x?${value}=1`)).status, value).toBe(400)
        }
        expect((yield* send(`/paint/${key}`)).status).toBe(400)
        expect((yield* send(`/paint/${encoded}`)).status).toBe(400)
        for (const value of [key, `Bearer ${key}`, escaped, encoded, `https://x.example/?key=${key}`]) {
          const body = `{"a":{"b":["${value}"]}}`
          expect((yield* send("/paint/x", body)).status, value).toBe(400)
          expect((yield* send("/paint/x", `{"${value}":1}`)).status, value).toBe(400)
        }
        expect((yield* send("/paint/x", `{"a":"${"x".repeat(200_000)}${key}"}`)).status).toBe(400)
        for (const name of ["x-note", "x-other", "openai-beta", "anthropic-beta"]) {
          for (const value of [key, `Bearer ${key}`, `a=${key};b`, encoded]) {
            expect((yield* send("/paint/x", "{}", { [name]: value })).status, `${name} ${value}`).toBe(400)
          }
        }
        expect(received).toEqual([])
        expect((yield* calls).every(({ charged, state }) => charged === 0 && state === "released")).toBe(true)
        expect(
          (yield* send("/paint/x?x=tg_nothing", '{"a":"tg_ is 100 % fine \\u003c"}', { "x-note": "tg_" })).status
        ).toBe(200)
      })
    )
  )
})
