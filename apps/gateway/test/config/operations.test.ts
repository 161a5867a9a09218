import * as Catalogue from "@tollgate/contract/Catalogue"
import { operations } from "@tollgate/contract/operations"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { customOperations } from "../../src/config/Config.ts"
import { decoded, messagesOf } from "./decoded.ts"

const forecast = {
  id: "weather.forecast",
  summary: "The weather of the next days",
  category: "web traffic",
  method: "GET",
  path: "/apis/v1/weather/forecast",
  parameters: [
    { name: "place", type: "string", required: true, description: "A town" },
    { name: "days", type: "integer" },
    { name: "height", type: "number" },
    { name: "rain", type: "boolean" }
  ],
  price: { amount: "0.002" },
  upstream: "weather"
}

const file = (...operations: ReadonlyArray<unknown>) => ({
  upstreams: { weather: { baseUrl: "https://weather.example", protocol: "json" } },
  bindings: { "images.generate": { path: "/v1/images" } },
  operations
})

const operation = (parts: object = {}) => {
  const [only] = customOperations(decoded(file({ ...forecast, ...parts })))
  if (only === undefined) throw new Error("no operation")
  return only
}

const decodes = (schema: Schema.Constraint | undefined, value: unknown): unknown =>
  Schema.decodeUnknownResult(schema as Schema.Codec<unknown>)(value).pipe(Result.getOrElse(() => "refused"))

describe("a custom operation", () => {
  it("is described like the built-in ones", () => {
    expect(operation()).toMatchObject({
      id: "weather.forecast",
      family: "data",
      upstream: "managed",
      access: "credential",
      replay: "billed",
      price: { contract: "per_request", amount: 2_000_000n }
    })
    expect(decoded(file(forecast)).operations.map(({ upstream }) => upstream)).toEqual(["weather"])
  })

  it.each([
    ["free", "GET", { contract: "free" }, "free"],
    ["free", "POST", { contract: "free" }, "create"],
    [{ amount: "1" }, "POST", { contract: "per_request", amount: 1_000_000_000n }, "billed"],
    [
      { perItem: "0.5", items: "days", most: 14 },
      "GET",
      { contract: "response_count", perItem: 500_000_000n, items: "days", most: 14 },
      "billed"
    ]
  ])("price %j by %s", (price, method, expected, replay) => {
    expect(operation({ price, method })).toMatchObject({ price: expected, replay })
  })

  it("reads typed parameters from the query and passes others through", () => {
    const { query } = operation().request
    expect(decodes(query, { place: "Ulm", days: "3", height: "-1.5", rain: "true", unit: "C" })).toEqual({
      place: "Ulm",
      days: 3,
      height: -1.5,
      rain: true,
      unit: "C"
    })
    for (const wrong of [
      {},
      { place: "" },
      { place: "a", days: "3.5" },
      { place: "a", height: "x" },
      { place: "a", rain: "1" }
    ])
      expect(decodes(query, wrong)).toBe("refused")
  })

  it("reads parameters of a POST from the body", () => {
    const { body, query } = operation({ method: "POST" }).request
    expect(query).toBeUndefined()
    const sent = { place: "Ulm", days: 3, height: 1.5, rain: true, deep: { x: [1] } }
    expect(decodes(body, sent)).toEqual(sent)
    for (const wrong of [{}, { place: 1 }, { place: "a", days: 3.5 }, { place: "a", rain: "true" }])
      expect(decodes(body, wrong)).toBe("refused")
  })

  it("appears in the catalogue and the OpenAPI document", () => {
    const config = decoded(file(forecast, { ...forecast, id: "weather.report", method: "POST" }))
    const catalogue = Catalogue.make([...operations, ...customOperations(config)], config.names, config.bindings)
    expect(Catalogue.entries(catalogue)).toContainEqual({
      id: "weather.forecast",
      category: "web traffic",
      summary: "The weather of the next days",
      state: "pending",
      method: "GET",
      path: "/apis/v1/weather/forecast",
      price_contract: "per_request"
    })
    const path = OpenApi.document(catalogue).paths["/apis/v1/weather/forecast"]
    expect(path?.get).toMatchObject({
      operationId: "weather.forecast",
      description: expect.stringContaining("$0.002 / call"),
      parameters: expect.arrayContaining([
        expect.objectContaining({ name: "place", in: "query", required: true }),
        expect.objectContaining({ name: "days", in: "query", required: false }),
        expect.objectContaining({ name: "X-Tollgate-Max-Price-Usd" })
      ])
    })
    expect(path?.post).toMatchObject({
      requestBody: {
        content: { "application/json": { schema: { required: ["place"], properties: { days: { type: "integer" } } } } }
      }
    })
  })

  it.each([
    ["an id that is taken", { id: "rerank" }, "operations[0].id: another operation has this id"],
    ["a template as its id", { id: "{social_a}.x" }, /^operations\[0\]\.id: expected an id such as/],
    ["a path that is taken", { path: "/v1/usage" }, "operations[0].path: usage already has GET on this path"],
    [
      "a path that matches another's pattern",
      { path: "/apis/v1/services/aigc/tasks/all" },
      "operations[0].path: task.get already has GET on this path"
    ],
    [
      "a path that is bound",
      { path: "/v1/images", method: "POST" },
      "operations[0].path: images.generate already has POST on this path"
    ],
    ["the path of the health check", { path: "/healthz" }, "operations[0].path: this path is reserved for the gateway"],
    ["a path of the reference", { path: "/docs/x" }, "operations[0].path: this path is reserved for the gateway"],
    ["a path of the admin API", { path: "/admin/v1/x" }, "operations[0].path: this path is reserved for the gateway"],
    ["a path with a query", { path: "/apis/v1/x?y" }, /^operations\[0\]\.path: expected a path such as/],
    [
      "an unknown method",
      { method: "TRACE" },
      /^operations\[0\]\.method: expected "GET" or "POST" or .*, found a string$/
    ],
    [
      "an unknown upstream",
      { upstream: "wether" },
      'operations[0].upstream: there is no such upstream; did you mean "weather"?'
    ],
    [
      "an amount with too many digits",
      { price: { amount: 1e-10 } },
      /^operations\[0\]\.price\.amount: expected an amount of USD in quotes/
    ],
    [
      "an unknown price",
      { price: "none" },
      /^operations\[0\]\.price: expected \{ "amount": … \}, .* or "free", found a string$/
    ],
    [
      "an unknown type",
      { parameters: [{ name: "a", type: "int" }] },
      /parameters\[0\]\.type: expected "string" or "integer"/
    ],
    [
      "a repeated parameter",
      { parameters: [forecast.parameters[0], forecast.parameters[0]] },
      "operations[0].parameters[1].name: another parameter has this name"
    ]
  ])("is rejected for %s", (_, parts, message) => {
    const [only, ...others] = messagesOf(file({ ...forecast, ...parts }))
    expect(others).toEqual([])
    if (typeof message === "string") expect(only).toBe(message)
    else expect(only).toMatch(message)
  })

  it("is rejected if id and path are repeated", () => {
    expect(messagesOf(file(forecast, forecast))).toEqual([
      "operations[1].id: another operation has this id",
      "operations[1].path: weather.forecast already has GET on this path"
    ])
    expect(customOperations(decoded(file(forecast, { ...forecast, id: "other", method: "POST" })))).toHaveLength(2)
  })
})
