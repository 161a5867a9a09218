import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import * as Schema from "effect/Schema"
import { expect, it } from "vitest"
import { functionsOf } from "../src/pages/playground/client/functions.ts"
import { customOperation } from "../src/pages/playground/client/customOperation.ts"

const offered: OfferedOperation = {
  id: "weather.forecast",
  template: "weather.forecast",
  category: "weather",
  summary: "The weather",
  description: null,
  method: "DELETE",
  path: "/apis/v1/weather/{city}",
  input_schema: {},
  parts: { city: "path", days: "query", "x-units": "header" },
  example: {},
  price: "free",
  is_free: true,
  streams: false,
  starts_task: false,
  replay: "create",
  family: "data",
  limits: "",
  pending: [],
  models: []
}

const encode = (schema: Schema.Constraint | undefined, value: unknown): unknown =>
  Schema.encodeUnknownSync(schema as Schema.Codec<unknown>)(value)

it("the playground writes what the form has into the address and the headers of an operator's operation", () => {
  const { body, header, path, query } = customOperation(offered).request
  expect(encode(path, { city: 5 })).toEqual({ city: "5" })
  expect(encode(query, { days: 3, all: true, tags: ["a", "b"], odd: ["a,b"], deep: { x: 1 } })).toEqual({
    days: "3",
    all: "true",
    tags: "a,b",
    odd: '["a,b"]',
    deep: '{"x":1}'
  })
  expect(encode(header, { "x-units": "metric" })).toEqual({ "x-units": "metric" })
  expect(body).toBeUndefined()
  expect(customOperation({ ...offered, method: "PUT" }).request.body).toBeDefined()
})

it("the playground tells an operator's operation, which no scenario of the sandbox changes, from those of the client", () => {
  expect(functionsOf(offered).isOwn).toBe(true)
  expect(functionsOf({ ...offered, id: "rerank", template: "rerank" }).isOwn).toBe(false)
})
