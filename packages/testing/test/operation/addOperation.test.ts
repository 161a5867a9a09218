import { expect, expectTypeOf, it } from "@effect/vitest"
import { call, Client, quote } from "@tollgate/client"
import * as HttpCarrier from "@tollgate/contract/carrier/HttpCarrier"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { usd } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import { Open } from "@tollgate/contract/Open"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import * as Operation from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { reference } from "@tollgate/contract/reference/reference"
import { limits } from "@tollgate/contract/Tier"
import { toRequest } from "@tollgate/gateway/faces/tools/catalogue/arguments"
import * as ToolCatalogue from "@tollgate/gateway/faces/tools/catalogue/Index"
import { NodeHttpServer } from "@tollgate/server"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

// Everything needed to add an operation. To have it in the client by name, add its function and types to
// `client/src/operations/`, and the promise's to `client/src/promises/functions/`: tests and the type check ask for them.
const shout = Operation.make({
  id: "{social_a}.shout",
  category: "social",
  summary: "Say it louder",
  method: "POST",
  path: "/apis/v1/{social_a}/shout/{volume}",
  request: {
    path: Schema.Struct({ volume: Schema.NonEmptyString }),
    body: Open({ text: Schema.NonEmptyString })
  },
  success: Open({ loud: Schema.String }),
  errors: [400, 401, 402, 429, 503],
  family: "data",
  price: { contract: "per_request", amount: usd("0.002") },
  limit: limits.standard,
  replay: "billed",
  upstream: "managed"
})

const upstream = Effect.gen(function* () {
  const request = yield* HttpServerRequest
  const { text } = (yield* request.json) as { readonly text: string }
  return HttpServerResponse.jsonUnsafe({ loud: text.toUpperCase(), path: request.url })
})

const all = [...operations, shout]

const host = Layer.unwrap(
  Effect.map(HttpServer.HttpServer, ({ address }) =>
    Host.layerInProcess.pipe(
      Layer.provide(
        TestGateway.layer({
          operations: all,
          providers: {
            "social_a.shout": {
              name: "shouter",
              baseUrl: HttpServer.formatAddress(address),
              protocol: "json",
              deadlineMillis: 5_000
            }
          }
        })
      )
    )
  )
).pipe(
  Layer.provideMerge(HttpServer.serve(upstream)),
  Layer.provide(NodeHttpServer.layer({ host: "127.0.0.1", port: 0 }))
)

const client = Layer.unwrap(
  Host.use(({ baseUrl, http }) =>
    Effect.succeed(
      Client.layer({ credential: key, baseUrl }).pipe(
        Layer.provide(HttpCarrier.layer),
        Layer.provide(Layer.succeed(HttpClient.HttpClient, http))
      )
    )
  )
)

it.live("an operation that is described once has a client function and a route", () =>
  Effect.gen(function* () {
    const louder = call(shout)
    const result = yield* louder({ path: { volume: "11/10" }, body: { text: "hello" } })
    expect(result).toEqual({ loud: "HELLO", path: "/apis/v1/social_a/shout/11%2F10" })
    expectTypeOf(louder).parameter(0).toEqualTypeOf<{
      path: { readonly volume: string }
      body: { readonly text: string }
    }>()
    expectTypeOf<Effect.Error<ReturnType<typeof louder>>["_tag"]>().extract<"UpstreamFailed">().toBeNever()
    const { max_micros_usd } = yield* quote(louder, { path: { volume: "1" }, body: { text: "x" } })
    expect(max_micros_usd).toBe(2_000)
    const invalid = yield* Effect.flip(louder({ path: { volume: "1" }, body: { text: "" } }))
    expect(invalid._tag).toBe("InputInvalid")
  }).pipe(Effect.provide(client), Effect.provide(host))
)

it.live("… a quote", () =>
  Effect.gen(function* () {
    const { baseUrl, http } = yield* Host
    const answer = yield* http.post(`${baseUrl}/apis/v1/social_a/shout/3`, {
      headers: { authorization: `Bearer ${key}`, "x-tollgate-cost-mode": "quote" },
      body: HttpBody.jsonUnsafe({ text: "x" })
    })
    expect(yield* answer.json).toMatchObject({
      operation_id: "social_a.shout",
      estimate_micros_usd: 2_000,
      max_micros_usd: 2_000,
      price_contract: "per_request"
    })
  }).pipe(Effect.provide(host))
)

it("… a part of the OpenAPI document, an entry of the catalogue, and a call on the reference page", () => {
  const before = Catalogue.make(operations, defaults)
  const after = Catalogue.make(all, defaults)
  expect(OpenApi.document(after).paths["/apis/v1/social_a/shout/{volume}"]).toMatchObject({
    post: { operationId: "social_a.shout", "x-price-contract": "per_request", "x-definition": { state: "complete" } }
  })
  expect(OpenApi.source(after)).not.toBe(OpenApi.source(before))
  expect(Catalogue.entries(after).at(-1)).toEqual({
    id: "social_a.shout",
    category: "social",
    summary: "Say it louder",
    state: "complete",
    method: "POST",
    path: "/apis/v1/social_a/shout/{volume}",
    price_contract: "per_request"
  })
  const call = "curl http://127.0.0.1:8787/apis/v1/social_a/shout/volume"
  expect(reference(after)).toContain(call)
  expect(reference(before)).not.toContain(call)
})

it("… a result of the agents' search, with arguments that make a request", () => {
  const catalogue = Catalogue.make(all, defaults)
  const index = Effect.runSync(ToolCatalogue.make(catalogue, { of: ({ price }) => price }))
  expect(index.search("make a text louder")[0]?.operationId).toBe("social_a.shout")
  const { example, inputSchema } = index.details("social_a.shout")!
  expect(inputSchema).toMatchObject({ required: ["volume", "text"] })
  expect(Result.getOrThrow(toRequest(catalogue.byId.get("social_a.shout")!, example))).toMatchObject({
    method: "POST",
    url: "/apis/v1/social_a/shout/volume"
  })
})
