import { describe, expect, it } from "@effect/vitest"
import type { Bound } from "@tollgate/contract/Operation"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { toRequest } from "../../src/faces/tools/catalogue/arguments.ts"
import * as Index from "../../src/faces/tools/catalogue/Index.ts"
import { decode } from "../../src/internal/decode.ts"
import { parseJson } from "../../src/internal/parseJson.ts"
import { parseQuery } from "../../src/internal/query.ts"
import * as Router from "../../src/Router.ts"
import { builtIn, contractPrices } from "./catalogues.ts"

const index = Index.make(builtIn, contractPrices)

const detailsOf = (id: string) => index.details(id)!

const decoded = (schema: Schema.Constraint | undefined, value: unknown) =>
  schema === undefined ? undefined : Result.getOrThrow(decode(schema, value))

/** Decodes a request as the gateway does. */
const accepts = (operation: Bound, given: unknown): void => {
  const { body, method, url } = Result.getOrThrow(toRequest(operation, given))
  const [path = "", query = ""] = url.split("?")
  const match = Router.make(builtIn.bound).match(path)
  expect(match?.operations.get(method)?.id).toBe(operation.id)
  decoded(operation.request.path, match?.parameters)
  decoded(operation.request.query, Object.fromEntries(parseQuery(query) ?? []))
  if (body !== undefined) decoded(operation.request.body, Result.getOrThrow(parseJson(body)))
}

describe("the details of every operation", () => {
  it.each(builtIn.bound.map((operation) => [operation.id, operation] as const))(
    "%s: the example is accepted, and has every required argument and no undeclared one of a closed schema",
    (id, operation) => {
      const { example, inputSchema } = detailsOf(id)
      accepts(operation, example)
      const {
        additionalProperties,
        properties,
        required = []
      } = inputSchema as {
        readonly properties: object
        readonly required?: ReadonlyArray<string>
        readonly additionalProperties: unknown
      }
      expect(Object.keys(example)).toEqual(expect.arrayContaining([...required]))
      if (additionalProperties === false) {
        expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(example)))
      }
    }
  )
})
