import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { type BudgetExceeded, createClient, type NotFound, OutcomeUnknown, Policy, withBudget } from "@tollgate/client"
import {
  call,
  described,
  describedPages,
  describedStream,
  onPromises,
  quote,
  resume,
  stream
} from "@tollgate/client/discovered"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { usd } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import { Open } from "@tollgate/contract/Open"
import * as Operation from "@tollgate/contract/Operation"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import { operations } from "@tollgate/contract/operations"
import * as limits from "@tollgate/contract/limits"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { fail, json, respond, scripted } from "./scripted.ts"

const forecast = Operation.make({
  id: "weather.forecast",
  category: "weather",
  summary: "The weather of the next days",
  method: "POST",
  path: "/apis/v1/weather/{city}",
  request: {
    path: Schema.Struct({ city: Schema.NonEmptyString }),
    query: Schema.Struct({ days: Schema.optionalKey(Schema.String) }),
    body: Open({ units: Schema.optionalKey(Schema.String), city: Schema.optionalKey(Schema.String) })
  },
  success: Open({}),
  errors: [400, 401, 402, 404, 429, 503],
  family: "data",
  price: { contract: "per_request", amount: usd("0.002") },
  limit: limits.standard,
  replay: "billed",
  upstream: "managed"
})

const moved = { ...forecast, path: "/apis/v2/weather/{city}" }

const some = operations.filter(({ id }) => ["rerank", "chat.completions", "responses"].includes(id))

const contract = (...own: ReadonlyArray<Operation.Operation>) =>
  OpenApi.source(Catalogue.make([...some, ...own], defaults))

type Handler = Parameters<typeof scripted>[0]

interface Gateway {
  contract: string
  reads: number
  answer: Handler
}

/** A gateway whose contract and answers a test can change while it runs. */
const gateway = (parts: Partial<Gateway> = {}) => {
  const state: Gateway = {
    contract: contract(forecast),
    reads: 0,
    answer: respond(200, '{"degrees":21}', json),
    ...parts
  }
  const handler: Handler = (request, url, signal) => {
    if (url.pathname === "/api/contracts/version") {
      const hash = `h${state.contract.length}`
      return respond(200, JSON.stringify({ contentHash: hash, docsRevision: "d" }), json)(request, url, signal)
    }
    if (url.pathname !== "/api/contracts/source") return state.answer(request, url, signal)
    state.reads++
    return respond(200, state.contract, json)(request, url, signal)
  }
  return { state, ...scripted(handler) }
}

const refusal = (status: number, code: string): Handler =>
  respond(status, JSON.stringify({ error: { code, message: "no", type: "t", request_id: "r" } }), json)

const bodyOf = (request: { readonly body: object }): unknown =>
  "body" in request.body && request.body.body instanceof Uint8Array
    ? JSON.parse(new TextDecoder().decode(request.body.body))
    : undefined

const rome = { city: "Rome", days: 3, units: "C" }

describe("a call by id", () => {
  it.effect("sends each argument in its part, with a key and the caller's cap", () =>
    Effect.gen(function* () {
      const { layer, sent } = gateway()
      const answer = yield* call("weather.forecast", { ...rome, "body.city": "Ostia" }, { maxPrice: "0.01" }).pipe(
        Effect.provide(layer)
      )
      expect(answer).toEqual({ degrees: 21 })
      const { request, url } = sent.at(-1)!
      expect([request.method, url.pathname, url.search]).toEqual(["POST", "/apis/v1/weather/Rome", "?days=3"])
      expect(bodyOf(request)).toEqual({ units: "C", city: "Ostia" })
      expect(request.headers).toMatchObject({
        "x-tollgate-max-price-usd": "0.01",
        "idempotency-key": expect.any(String)
      })
    })
  )

  it.effect("reads the contract once for a client, without a credential", () =>
    Effect.gen(function* () {
      const { layer, sent, state } = gateway()
      yield* Effect.gen(function* () {
        yield* Effect.all([call("weather.forecast", rome), call("weather.forecast", rome)], { concurrency: 2 })
        yield* call("rerank", { query: "q", documents: ["a"] })
      }).pipe(Effect.provide(layer))
      expect(state.reads).toBe(1)
      expect(sent.slice(0, 2).map(({ request }) => request.headers["authorization"])).toEqual([undefined, undefined])
    })
  )

  it.effect("names the nearest operations if there is none of this id", () =>
    Effect.gen(function* () {
      const { layer } = gateway()
      const error = yield* Effect.flip(call("wether.forcast").pipe(Effect.provide(layer)))
      expect(error).toMatchObject({
        _tag: "InputInvalid",
        message: 'The gateway does not offer "wether.forcast". Did you mean weather.forecast?'
      })
    })
  )

  it.effect("names a missing path argument before anything is sent", () =>
    Effect.gen(function* () {
      const { layer, sent } = gateway()
      const error = yield* Effect.flip(call("weather.forecast", { days: 1 }).pipe(Effect.provide(layer)))
      expect(error).toMatchObject({ _tag: "InputInvalid", message: 'Missing field at ["city"]' })
      expect(sent.length).toBe(2)
    })
  )

  it.effect("finds an operation that was added since, and one that moved", () =>
    Effect.gen(function* () {
      const { layer, sent, state } = gateway({ contract: contract() })
      yield* Effect.gen(function* () {
        yield* call("rerank", { query: "q", documents: ["a"] })
        state.contract = contract(forecast)
        yield* call("weather.forecast", rome)
        state.contract = contract(moved, { ...forecast, id: "weather.other", path: "/apis/v1/other" })
        state.answer = (request, url, signal) =>
          (url.pathname.startsWith("/apis/v1") ? refusal(404, "route_not_found") : respond(200, "{}", json))(
            request,
            url,
            signal
          )
        yield* call("weather.forecast", rome)
      }).pipe(Effect.provide(layer))
      expect(sent.at(-1)?.url.pathname).toBe("/apis/v2/weather/Rome")
      expect(state.reads).toBe(3)
    })
  )

  it.effect("says that an operation was removed", () =>
    Effect.gen(function* () {
      const { layer, state } = gateway()
      const error = yield* Effect.gen(function* () {
        yield* call("weather.forecast", rome)
        state.contract = contract()
        state.answer = refusal(404, "route_not_found")
        return yield* Effect.flip(call("weather.forecast", rome))
      }).pipe(Effect.provide(layer))
      expect(error).toMatchObject({ message: expect.stringContaining("no longer offers") })
    })
  )

  it.effect("fails with the operation's own errors, and the gateway's 404 stays a 404", () =>
    Effect.gen(function* () {
      for (const [status, code, tag] of [
        [402, "over_cap", "OverBudget"],
        [404, "route_not_found", "NotFound"],
        [429, "rate_limit_exceeded", "RateLimited"],
        [409, "idempotency_mismatch", "UnexpectedStatus"]
      ] as const) {
        const { layer } = gateway({ answer: refusal(status, code) })
        const error = yield* Effect.flip(call("weather.forecast", rome).pipe(Effect.provide(layer)))
        expect([status, error._tag]).toEqual([status, tag])
      }
    })
  )

  it.effect("is quoted, and counts in a budget", () =>
    Effect.gen(function* () {
      const price = {
        operation_id: "weather.forecast",
        estimate_micros_usd: 2000,
        max_micros_usd: 2000,
        currency: "USD",
        basis: "b",
        price_contract: "per_request",
        expires_at: "2030-01-01T00:00:00Z",
        request_id: "r"
      }
      const { layer, sent } = gateway({ answer: respond(200, JSON.stringify(price), json) })
      yield* Effect.gen(function* () {
        expect(yield* quote("weather.forecast", rome)).toMatchObject({ max_micros_usd: 2000 })
        expect(sent.at(-1)?.request.headers["x-tollgate-cost-mode"]).toBe("quote")
        const error = yield* Effect.flip(call("weather.forecast", rome).pipe(withBudget("0.001")))
        expect(error._tag).toBe("BudgetExceeded")
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("that may have run is resumed under its key", () =>
    Effect.gen(function* () {
      const { layer, sent, state } = gateway({ answer: fail(new Error("broken")) })
      yield* Effect.gen(function* () {
        const error = yield* Effect.flip(call("weather.forecast", rome))
        expect(error).toBeInstanceOf(OutcomeUnknown)
        state.answer = respond(200, '{"degrees":21}', json)
        expect(yield* resume(error)).toEqual({ degrees: 21 })
      }).pipe(Effect.provide(layer))
      const keys = sent.slice(-2).map(({ request }) => request.headers["idempotency-key"])
      expect(keys[0]).toBeDefined()
      expect(keys[0]).toBe(keys[1])
    })
  )

  it.effect("checks the answer by a schema", () =>
    Effect.gen(function* () {
      const { layer } = gateway()
      const degrees = Schema.Struct({ degrees: Schema.Finite })
      const checked = call("weather.forecast", rome, { schema: degrees })
      expectTypeOf<Effect.Success<typeof checked>>().toEqualTypeOf<{ readonly degrees: number }>()
      expectTypeOf<Effect.Error<typeof checked>>().extract<NotFound | BudgetExceeded>().not.toBeNever()
      expect(yield* Effect.provide(checked, layer)).toEqual({ degrees: 21 })
      const wrong = call("weather.forecast", rome, { schema: Schema.Struct({ degrees: Schema.String }) })
      expect((yield* Effect.flip(Effect.provide(wrong, layer)))._tag).toBe("AnswerInvalid")
    })
  )

  it.effect("has no value if the answer has no body", () =>
    Effect.gen(function* () {
      const { layer } = gateway({ answer: respond(204, null) })
      expect(yield* call("weather.forecast", rome).pipe(Effect.provide(layer))).toBeUndefined()
      const wanted = call("weather.forecast", rome, { schema: Open({}) })
      expect((yield* Effect.flip(Effect.provide(wanted, layer)))._tag).toBe("AnswerInvalid")
    })
  )

  it.effect("streams, if the operation has events", () =>
    Effect.gen(function* () {
      const events = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n'
      const { layer, sent } = gateway({ answer: respond(200, events, { "content-type": "text/event-stream" }) })
      const read = yield* Stream.runCollect(stream("chat.completions", { model: "m", messages: [] })).pipe(
        Effect.provide(layer)
      )
      expect(read).toEqual([{ choices: [{ delta: { content: "a" } }] }])
      expect(bodyOf(sent.at(-1)!.request)).toMatchObject({ stream: true })
      const none = yield* Effect.flip(Stream.runCollect(stream("weather.forecast", rome)).pipe(Effect.provide(layer)))
      expect(none._tag).toBe("InputInvalid")
    })
  )

  it.effect("streams what the Responses API answers, which asks and ends in its own way", () =>
    Effect.gen(function* () {
      const events = 'data: {"type":"response.completed"}\n\n'
      const { layer, sent } = gateway({ answer: respond(200, events, { "content-type": "text/event-stream" }) })
      const read = yield* Stream.runCollect(stream("responses", { model: "m", input: "Why?" })).pipe(
        Effect.provide(layer)
      )
      expect(read).toEqual([{ type: "response.completed" }])
      expect(bodyOf(sent.at(-1)!.request)).toEqual({ model: "m", input: "Why?", stream: true })
    })
  )
})

describe("with promises", () => {
  const fetching = (answer: () => Response) =>
    createClient({
      credential: "tg_c4n4rysecretsecretsecretsecretsecretsecr",
      baseUrl: "http://gateway.invalid",
      retry: Policy.none,
      fetch: async (input) => {
        const { pathname } = new URL(String(input))
        if (pathname === "/api/contracts/version") return Response.json({ contentHash: "h", docsRevision: "d" })
        return pathname === "/api/contracts/source" ? new Response(contract(forecast), { headers: json }) : answer()
      }
    })

  it("the client comes first", async () => {
    const client = fetching(() => Response.json({ degrees: 21 }))
    expect(await call<{ readonly degrees: number }>(client, "weather.forecast", rome)).toEqual({ degrees: 21 })
    const { cost, value } = await call(client, "weather.forecast", rome, { schema: Open({}) }).withResponse()
    expect([value, cost.state]).toEqual([{ degrees: 21 }, "unknown"])
    await expect(call(client, "weather.forcast")).rejects.toMatchObject({ _tag: "InputInvalid" })
    await client.close()
  })

  it("an abort says what is known of the call", async () => {
    const client = fetching(() => Response.json({}))
    const aborted = call(client, "weather.forecast", rome, { signal: AbortSignal.abort() })
    await expect(aborted).rejects.toMatchObject({ _tag: "CallAborted", outcome: "not executed" })
    await client.close()
  })

  it("described functions stream", async () => {
    const talk = describedStream<{ readonly topic: string }, { readonly type: string }, Error>({
      id: "talk",
      method: "POST",
      path: "/talk",
      body: "fields",
      family: "anthropic",
      price: "model_tokens",
      replay: "billed"
    })
    const events = 'data: {"type":"a"}\n\ndata: {"type":"message_stop"}\n\n'
    const client = fetching(() => new Response(events, { headers: { "content-type": "text/event-stream" } }))
    const types: Array<string> = []
    for await (const { type } of onPromises({ talk })(client).talk({ topic: "rivers" })) types.push(type)
    expect(types).toEqual(["a", "message_stop"])
    await client.close()
  })

  it("described functions read pages, and files", async () => {
    const description = {
      id: "files",
      method: "PUT",
      path: "/files",
      query: ["page"],
      body: "value",
      bodyType: "application/octet-stream",
      price: "per_request",
      replay: "billed"
    } as const
    const files = described<{ readonly body: Blob }, number, Error>(description)
    const filesPages = describedPages(files, description)
    const links = ['<?page=2>; rel="next"', ""].values()
    const client = fetching(() => Response.json(1, { headers: { link: links.next().value ?? "" } }))
    const found: Array<number> = []
    for await (const page of onPromises({ filesPages })(client).filesPages({ body: new Blob(["a"]) })) found.push(page)
    expect(found).toEqual([1, 1])
    await client.close()
  })

  it("described functions have quotes and resumed calls", async () => {
    const weather = described<{ readonly city: string }, { readonly degrees: number }, Error>({
      id: "weather.forecast",
      method: "POST",
      path: "/apis/v1/weather/{city}",
      body: "fields",
      price: "per_request",
      replay: "billed"
    })
    const client = fetching(() => Response.json({ degrees: 21 }))
    const api = onPromises({ weather })(client)
    expect((await api.weather({ city: "Rome" })).degrees).toBe(21)
    expect(Object.keys(api.quote)).toEqual(["weather"])
    expect(Object.keys(api.resume)).toEqual(["weather"])
    await client.close()
  })
})

it("hostile documents and names reach nothing but their own place", async () => {
  const { layer, sent } = gateway({
    contract: JSON.stringify({
      paths: {
        "/x/{a}": {
          post: {
            operationId: "__proto__",
            "x-replay-class": "free",
            "x-price-contract": "free",
            "x-limit-group": { id: 5 },
            "x-declared-errors": ["constructor", 400, null],
            parameters: [{ in: "path", name: "a" }, null, 5, { in: "query", name: "__proto__" }],
            requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/%E0%A4%A" } } } }
          },
          get: null,
          trace: { operationId: "t" }
        },
        "no slash": { get: { operationId: "u", "x-replay-class": "free", "x-price-contract": "free" } }
      }
    })
  })
  const input = JSON.parse('{ "a": "../..", "__proto__": "q" }') as Record<string, unknown>
  await Effect.runPromise(call("__proto__", input).pipe(Effect.provide(layer)))
  expect(sent.at(-1)?.url.href).toBe("http://gateway.invalid/x/..%2F..?__proto__=q")
  expect(Object.prototype).not.toHaveProperty("q")
})
