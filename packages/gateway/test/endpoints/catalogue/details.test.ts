import { describe, expect, it } from "@effect/vitest"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { usd } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import type { Bound } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import type { ModelPrice, Price } from "@tollgate/contract/price/Price"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { toRequest } from "../../../src/endpoints/catalogue/arguments.ts"
import type { OperationDetails } from "../../../src/endpoints/catalogue/details.ts"
import { decode } from "../../../src/internal/decode.ts"
import { parseJson } from "../../../src/internal/jsonValue.ts"
import { parseQuery } from "../../../src/internal/query.ts"
import * as Router from "../../../src/call/router/Router.ts"
import { bound, builtIn, indexOf, requesting } from "./catalogues.ts"
import { distractors } from "./distractors.ts"

const index = indexOf(builtIn)

const detailsOf = (id: string) => index.details(id)!

const others = Catalogue.make(distractors, defaults)

const decoded = (schema: Schema.Constraint | undefined, value: unknown) =>
  schema === undefined ? undefined : Result.getOrThrow(decode(schema, value))

/** Decodes a request as the gateway does. */
const accept = (operation: Bound, given: unknown): void => {
  const { body, method, url } = Result.getOrThrow(toRequest(operation, given))
  const [path = "", query = ""] = url.split("?")
  const match = Router.make([operation]).match(path)
  expect(match?.operations.get(method)?.id).toBe(operation.id)
  decoded(operation.request.path, match?.parameters)
  decoded(operation.request.query, Object.fromEntries(parseQuery(query) ?? []))
  // A form was checked when it was written.
  if (body !== undefined && operation.request.bodyType === undefined)
    decoded(operation.request.body, Result.getOrThrow(parseJson(body)))
}

const accepted = (operation: Bound, { example, input_schema }: OperationDetails): void => {
  accept(operation, example)
  const given = Object.keys(example)
  const { additionalProperties, properties, required = [] } = input_schema
  expect(given).toEqual(expect.arrayContaining(required as Array<string>))
  if (additionalProperties === false) expect(Object.keys(properties as object)).toEqual(expect.arrayContaining(given))
}

describe("the example", () => {
  it.each(builtIn.bound.map((operation) => [operation.id, operation] as const))(
    "of %s is accepted",
    (id, operation) => {
      accepted(operation, detailsOf(id))
    }
  )

  it("has values of the types that the schema asks for", () => {
    expect(detailsOf("usage").example).toEqual({ start_time: 1_767_225_600 })
    expect(detailsOf("models.list_gemini").example).toEqual({ pageSize: 10 })
    expect(detailsOf("reseller.social_c.creator_search_insights_videos").example).toEqual({
      keyword: "rivers",
      offset: 0,
      page_size: 5
    })
  })

  it("is accepted without the operator's names for pending parameters, and under other names", () => {
    const plain = Catalogue.make(
      operations,
      { ...defaults, social_b: "photos" },
      {
        "photos.post_comments": { parameters: { cursor: "after" } }
      }
    )
    const index = indexOf(plain)
    for (const operation of plain.bound) accepted(operation, index.details(operation.id)!)
    expect(index.details("reseller.social_c.creator_search_insights_videos")?.example).toEqual({ keyword: "rivers" })
    expect(index.details("photos.post_comments")?.input_schema).toMatchObject({
      properties: {
        url: { type: "string" },
        after: { type: "string", description: "Bound by the operator: cursor. That of the page before." }
      }
    })
  })

  it("of an operator's own operation is accepted", () => {
    const index = indexOf(others)
    for (const operation of others.bound) accepted(operation, index.details(operation.id)!)
  })
})

describe("the schema of the arguments", () => {
  it("is flat, with the types that a caller writes", () => {
    expect(detailsOf("usage").input_schema).toEqual({
      type: "object",
      properties: {
        start_time: { type: "integer", exclusiveMinimum: 0, format: "int64", description: "Unix seconds." },
        end_time: { type: "integer", format: "int64", description: "Unix seconds. Defaults to now." }
      },
      required: ["start_time"],
      additionalProperties: false
    })
    expect(detailsOf("models.generate_content").input_schema).toEqual({
      type: "object",
      description: "Fields that are not named here are sent in the body unchanged.",
      properties: { model: { type: "string", minLength: 1 } },
      required: ["model"],
      additionalProperties: true
    })
    expect(detailsOf("traffic_analytics.traffic_engagement").input_schema).toEqual({
      type: "object",
      description: "Parameters that are not named here are sent in the query unchanged.",
      properties: {},
      additionalProperties: { type: ["string", "number", "boolean"] }
    })
  })

  it("shows where a name goes that several parts have, and the example follows it", () => {
    const operation = requesting(
      { path: Schema.Struct({ id: Schema.NonEmptyString }), body: Schema.Struct({ id: Schema.Int }) },
      "/v1/things/{id}"
    )
    const catalogue = { ...builtIn, operations: [operation], bound: [operation], byId: new Map([["any", operation]]) }
    const details = indexOf(catalogue).details("any")!
    expect(details.input_schema).toMatchObject({
      properties: { id: { type: "string" }, "body.id": { type: "integer", description: "Sent as id in the body." } },
      required: ["id", "body.id"]
    })
    expect(details.example).toEqual({ id: "id", "body.id": 1 })
    accepted(operation, details)
  })

  it("names the definitions that it refers to", () => {
    const item = Schema.Struct({ name: Schema.String }).annotate({ identifier: "Item" })
    const operation = requesting({ body: Schema.Struct({ first: item, second: item }) })
    const catalogue = { ...builtIn, operations: [operation], bound: [operation], byId: new Map([["any", operation]]) }
    expect(indexOf(catalogue).details("any")?.input_schema).toMatchObject({
      properties: { first: { $ref: "#/$defs/Item" }, second: { $ref: "#/$defs/Item" } },
      $defs: { Item: { type: "object", required: ["name"] } }
    })
  })
})

const modelPrice = (input: string, output: string): ModelPrice => ({
  input: usd(input),
  output: usd(output),
  cacheRead: usd(input),
  cacheWrite: usd(input)
})

const priced = (id: string, price: Price) =>
  indexOf(builtIn, { of: (operation) => (operation.id === id ? price : operation.price) }).details(id)!.price

describe("the price", () => {
  it("of a free operation is free", () => {
    expect(detailsOf("usage").price).toMatchObject({ state: "free", words: "free", ranges: [] })
  })

  it("that the operator has not set says so", () => {
    const words = "pending: no price is set, and calls are refused until the operator sets one"
    expect(detailsOf("images.generate").price).toMatchObject({ state: "pending", words, fields: ["n"] })
    expect(detailsOf("chat.completions").price).toMatchObject({
      state: "pending",
      words: "pending: no model is offered at a price, and calls are refused",
      fields: ["model", "max_completion_tokens", "max_tokens", "n"]
    })
  })

  it("of items says what one costs and how many are assumed", () => {
    expect(detailsOf("social_b.post_comments").price).toMatchObject({
      state: "priced",
      words: "$0.00188 / item in comments; the estimate assumes 1 item, the maximum 50",
      ranges: [{ per: "item in comments", from: 0.00188, to: 0.00188 }]
    })
  })

  it("that depends on the request shows each amount", () => {
    const variants = [
      { amount: usd("0.04"), where: [{ field: ["size"], values: ["small", null] }] },
      { amount: usd("0.08"), where: [{ field: ["size"], values: ["large"] }] }
    ]
    const times = { field: ["n"], unit: "image", otherwise: 1 }
    expect(priced("images.generate", { contract: "per_request", amount: usd("0.1"), times, variants })).toMatchObject({
      words: "$0.04 – $0.10 / image, by what is asked for",
      ranges: [{ per: "image", from: 0.04, to: 0.1 }],
      fields: ["n", "size"],
      variants: [
        { usd: 0.04, where: { size: ["small", null] } },
        { usd: 0.08, where: { size: ["large"] } }
      ]
    })
  })

  it("by model lists the models, also those that only a pattern prices, and the example takes the first", () => {
    const chat = bound("chat.completions").price
    if (chat.contract !== "model_tokens") throw new Error("another price")
    const big = { ...modelPrice("3", "15"), maxOutput: 8_192 }
    const long = { above: 1_000, ...modelPrice("6", "20") }
    const listed = { "big-1": big, "other-1": big }
    const prices = {
      of: (operation: Bound, model?: string): Price =>
        operation.id === "chat.completions"
          ? {
              ...chat,
              models:
                model?.startsWith("small-") === true
                  ? { [model]: { ...modelPrice("0.1", "0.4"), longPrompt: long } }
                  : listed
            }
          : operation.price
    }
    const models = [
      { id: "small-1" },
      { id: "small-2", operations: ["messages"] },
      { id: "other-1", operations: ["messages"] },
      { id: "clips-1", operations: ["video.create"] }
    ]
    const index = indexOf(builtIn, prices, models)
    const { example, price } = index.details("chat.completions")!
    expect(price.words).toBe("$0.10 – $6 in, $0.40 – $20 out / 1M tokens, by model and by the length of the prompt")
    expect(price.models).toEqual([
      { model: "big-1", input: 3, output: 15, cacheRead: 3, cacheWrite: 3, maxOutput: 8_192 },
      {
        model: "small-1",
        input: 0.1,
        output: 0.4,
        cacheRead: 0.1,
        cacheWrite: 0.1,
        longPrompt: { above: 1_000, input: 6, output: 20, cacheRead: 6, cacheWrite: 6 }
      }
    ])
    expect(example).toMatchObject({ model: "big-1" })
    // A plain price depends on no field that asks for more.
    expect(price.fields).toEqual(["model", "max_completion_tokens", "max_tokens", "n"])
    expect(index.details("video.create")?.example).toMatchObject({ model: "clips-1" })
  })
})

describe("the price of a model with dimensions", () => {
  const chat = bound("chat.completions").price
  if (chat.contract !== "model_tokens") throw new Error("another price")
  const rich: ModelPrice = {
    ...modelPrice("3", "15"),
    audioInput: usd("32"),
    cacheWriteLong: usd("6"),
    tiers: { batch: 500_000n, flex: 500_000n, fast: { input: usd("12.5") } },
    speeds: { fast: 2_000_000n },
    regions: { us: 1_100_000n },
    tools: { web_search: { amount: usd("0.01") }, googleSearch: { amount: usd("0.035"), perCall: true } },
    periods: [
      { from: Date.parse("2026-12-01"), rates: 2_000_000n },
      { hours: [[60, 240]], days: [1, 2], rates: 3_000_000n }
    ]
  }
  const price = priced("chat.completions", { ...chat, models: { rich, plain: modelPrice("1", "1") } })

  it("has each of them as a field, and in words", () => {
    expect(price.words).toContain("by model, by how it is served, by the tools that it uses and by the time")
    expect(price.fields).toEqual(expect.arrayContaining(["service_tier", "web_search_options", "modalities"]))
    const [first, second] = price.models
    expect(first).toMatchObject({ audioInput: 32, cacheWriteLong: 6 })
    expect(first?.dimensions).toEqual({
      fields: {
        tiers: { batch: 0.5, flex: 0.5, fast: { input: 12.5 } },
        speeds: { fast: 2 },
        regions: { us: 1.1 },
        tools: { web_search: 0.01, googleSearch: { perCall: 0.035 } },
        periods: [
          { from: "2026-12-01", rates: 2 },
          { hours: ["01:00-04:00"], days: ["mon", "tue"], rates: 3 }
        ]
      },
      words: [
        "served as batch or flex, 0.5 times that",
        "served as fast, $12.50 / 1M input tokens",
        "at the speed fast, 2 times that",
        "in the region us, 1.1 times that",
        "$0.01 for each use of web_search",
        "$0.035 for a call that uses googleSearch",
        "from 2026-12-01, 2 times that",
        "on mon, tue at 01:00-04:00 UTC, 3 times that"
      ]
    })
    expect(second).toEqual({ model: "plain", input: 1, output: 1, cacheRead: 1, cacheWrite: 1 })
  })
})

describe("the details", () => {
  it("say how often an operation may be called, whether it may be repeated, and what is pending", () => {
    expect(detailsOf("deep_research.search")).toMatchObject({
      limits: {
        words:
          "the tier's requests per minute; in addition 5 requests per minute, the tier's tokens per minute, the tier's calls at once",
        group: "deep_research",
        requests_per_minute: 5,
        counts_tokens: true,
        counts_concurrency: true,
        max_body_bytes: 20 * 1024 * 1024
      },
      replay: { class: "billed" },
      streams: true,
      state: "pending",
      pending: ["path (bound here)", "request body", "response body"]
    })
    expect(detailsOf("task.get")).toMatchObject({
      limits: { words: "the tier's requests per minute", group: "standard" },
      replay: { class: "free" },
      state: "complete",
      pending: []
    })
  })

  it("exist only for operations that can be called", () => {
    for (const id of ["", "nothing", "__proto__", "{social_a}.follow"]) expect(index.details(id)).toBeUndefined()
    expect(indexOf(Catalogue.make(operations, defaults)).details("images.generate")).toBeUndefined()
  })
})
