import * as Catalogue from "@tollgate/contract/Catalogue"
import { operations } from "@tollgate/contract/operations"
import { toRequest } from "@tollgate/gateway/endpoints/catalogue/arguments"
import * as Index from "@tollgate/tools/ToolCatalogue"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { customOperations } from "../../src/config/Config.ts"
import { decoded } from "./decoded.ts"

const forecast = {
  id: "weather.forecast",
  summary: "The weather of the next days",
  category: "web traffic",
  method: "GET",
  path: "/apis/v1/weather/forecast",
  parameters: [
    { name: "place", type: "string", required: true, description: "A town or a village" },
    { name: "days", type: "integer", required: true },
    { name: "height", type: "number", required: true },
    { name: "rain", type: "boolean", required: true }
  ],
  price: { amount: "0.002" },
  upstream: "weather"
}

const config = decoded({
  upstreams: { weather: { baseUrl: "https://weather.example", protocol: "json" } },
  prices: { models: { "small-*": { input: "0.1", output: "0.4" }, big: { input: "3", output: "15" } } },
  models: [{ id: "small-1" }, { id: "unpriced" }],
  operations: [forecast, { ...forecast, id: "weather.alarm", summary: "Warn of storms", method: "POST", price: "free" }]
})

const catalogue = Catalogue.make([...operations, ...customOperations(config)], config.names, config.bindings)
const index = Effect.runSync(Index.make(catalogue, config.prices, config.models))

describe("agents learn about a configured operation", () => {
  it("by searching its summary, its fields and words that mean the same", () => {
    for (const query of ["weather tomorrow", "will it rain", "what is the temperature in my village"]) {
      expect(index.search(query).results[0]?.operation_id, query).toMatch(/^weather\./)
    }
    expect(index.categories().find(({ name }) => name === "web traffic")).toMatchObject({
      count: 3,
      free: 1,
      pending: 1
    })
  })

  it.each([
    ["weather.forecast", "/apis/v1/weather/forecast?place=place&days=1&height=1&rain=true", undefined],
    ["weather.alarm", "/apis/v1/weather/forecast", { place: "place", days: 1, height: 1, rain: true }]
  ])("by the details of %s, whose example makes a request", (id, url, body) => {
    const operation = catalogue.byId.get(id)
    const details = index.details(id)
    if (operation === undefined || details === undefined) throw new Error("no operation")
    expect(details.input_schema).toMatchObject({
      properties: { place: { type: "string", description: "A town or a village" }, days: { type: "integer" } },
      required: ["place", "days", "height", "rain"]
    })
    const request = Result.getOrThrow(toRequest(operation, details.example))
    expect(request.url).toBe(url)
    expect(request.body === undefined ? undefined : JSON.parse(new TextDecoder().decode(request.body))).toEqual(body)
  })

  it("and about the models with a price, those of a pattern by the model list", () => {
    expect(index.details("chat.completions")?.price.models.map(({ model }) => model)).toEqual(["big", "small-1"])
  })
})
