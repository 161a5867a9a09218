import { describe, expect, it } from "@effect/vitest"
import { fromJsonSchema } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import { fromText } from "@tollgate/contract/jsonSchema/fromText"
import { defaults } from "@tollgate/contract/Names"
import type { Bound, Request } from "@tollgate/contract/Operation"
import { OpenQuery } from "@tollgate/contract/QueryStyle"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { toRequest } from "../../../src/endpoints/catalogue/arguments.ts"
import { detailsOf } from "../../../src/endpoints/catalogue/details.ts"
import { bound } from "./catalogues.ts"

const definitions = { Place: { type: "object", properties: { city: { type: "string" } } } }
const text = fromText({ schema: { type: "string" }, definitions })
const days = fromText({ schema: { type: "integer", description: "How many days" }, definitions })
const body = (schema: Readonly<Record<string, unknown>>) => fromJsonSchema({ schema, definitions })

const described = (request: Request): Bound => ({
  ...bound("rerank"),
  family: "data",
  id: "weather.forecast",
  method: "PUT",
  path: "/weather/{city}",
  request: { path: Schema.Struct({ city: text }), ...request },
  names: defaults,
  parameters: {}
})

const made = (operation: Bound, given: unknown) => {
  const { body, ...rest } = Result.getOrThrowWith(toRequest(operation, given), (message) => new Error(message))
  return { ...rest, body: body === undefined ? undefined : Utf8.decode(body) }
}

describe("arguments of an operation that an operator described", () => {
  const all = described({
    query: OpenQuery({ days: Schema.optionalKey(days) }),
    header: Schema.Struct({ "x-units": Schema.optionalKey(text), days: Schema.optionalKey(days) }),
    body: body({
      type: "object",
      required: ["place"],
      properties: { place: { $ref: "#/$defs/Place" }, city: { type: "string" } },
      additionalProperties: false
    })
  })

  it("reach all parts of the request", () => {
    const given = {
      city: "São Paulo",
      days: 3,
      "x-units": "si",
      "header.days": 4,
      place: { city: "x" },
      "body.city": "y"
    }
    expect(made(all, given)).toEqual({
      method: "PUT",
      url: "/weather/S%C3%A3o%20Paulo?days=3",
      headers: { "x-units": "si", days: "4" },
      contentType: "application/json",
      body: '{"place":{"city":"x"},"city":"y"}'
    })
  })

  it("cannot smuggle a header into another", () => {
    for (const value of ["a\r\nx-evil: 1", "a\nb", "\u0000", "€"]) {
      const refused = toRequest(all, { city: "oslo", place: {}, "x-units": value })
      expect(Result.isFailure(refused) && refused.failure).toContain("x-units: a header cannot hold")
    }
  })

  it("have the operator's schemas, with the definitions that they refer to", () => {
    const { input_schema } = detailsOf(all, all, { of: ({ price }) => price }, [])
    expect(input_schema).toMatchObject({
      type: "object",
      required: ["city", "place"],
      additionalProperties: false,
      properties: {
        days: { type: "integer", description: "How many days" },
        "header.days": { description: "How many days Sent as days in the headers." },
        place: { $ref: "#/$defs/Place" }
      },
      $defs: definitions
    })
  })

  it("may have other names only if the operation takes other parameters", () => {
    const given = { city: "oslo", place: {}, colour: "red" }
    expect(Result.isFailure(toRequest(all, given))).toBe(true)
    const open = { ...all, otherParameters: true }
    expect(made(open, given).url).toBe("/weather/oslo?colour=red")
    expect(detailsOf(open, open, { of: ({ price }) => price }, []).input_schema).toMatchObject({
      additionalProperties: { type: ["string", "number", "boolean"] }
    })
  })

  it("are the whole body if that is a list", () => {
    const list = described({ body: body({ type: "array", items: { type: "string" } }) })
    expect(made(list, { city: "oslo", body: ["a"] }).body).toBe('["a"]')
    expect(detailsOf(list, list, { of: ({ price }) => price }, []).input_schema).toMatchObject({
      properties: { body: { type: "array", description: "The whole body." } },
      required: ["city", "body"],
      additionalProperties: false
    })
  })

  it("may leave the body out if it is optional", () => {
    const optional = described({ body: body({ type: "object" }), optionalBody: true })
    expect(made(optional, { city: "oslo" }).body).toBeUndefined()
    expect(made(optional, { city: "oslo", extra: 1 }).body).toBe('{"extra":1}')
  })
})
