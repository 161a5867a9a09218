import { describe, expect, it } from "@effect/vitest"
import { fromJsonSchema } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import { fromText } from "@tollgate/contract/jsonSchema/fromText"
import type { JsonSchema } from "@tollgate/contract/jsonSchema/JsonSchemaDocument"
import { OpenQuery } from "@tollgate/contract/QueryStyle"
import { TestGateway } from "@tollgate/testing"
import { Served } from "@tollgate/testing/hostile/Served"
import { priced } from "@tollgate/testing/models"
import { customOperation } from "@tollgate/testing/operation/customOperation"
import { bearer, callTool } from "@tollgate/testing/tools/agent"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const statusOf = (path: string, body?: string) =>
  Effect.flatMap(Served, ({ baseUrl }) =>
    Effect.promise(async () => {
      const headers = { ...bearer, "content-type": "application/json" }
      const sent = body === undefined ? {} : { method: "POST", body }
      const response = await fetch(baseUrl + path, { headers, ...sent })
      await response.arrayBuffer()
      return response.status
    })
  )

/** Schemas that refer to the one before several times: the ways through them multiply, 40 levels deep. */
const multiplied = (level: (before: ReadonlyArray<JsonSchema>, depth: number) => JsonSchema) =>
  Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      i === 39 ? "Top" : `N${i}`,
      i === 0
        ? { type: "object", properties: { a: { type: "integer" } }, required: ["a"] }
        : level(
            Array.from({ length: 4 }, () => ({ $ref: `#/$defs/N${i - 1}` })),
            i
          )
    ])
  )

const documents: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  anyOf: multiplied((anyOf) => ({ anyOf })),
  oneOf: multiplied((oneOf) => ({ oneOf })),
  allOf: multiplied((allOf) => ({ allOf })),
  mixed: multiplied((members, i) => ({ [["allOf", "anyOf", "oneOf"][i % 3] ?? ""]: members })),
  properties: multiplied((members) => ({
    type: "object",
    properties: Object.fromEntries(members.map((member, i) => [`p${i}`, member])),
    required: members.map((_, i) => `p${i}`)
  })),
  items: multiplied(([member]) => ({ type: "array", items: { anyOf: [member, member, { type: "null" }] } })),
  itself: {
    Top: { anyOf: [{ type: "array", items: { $ref: "#/$defs/Top" } }, { $ref: "#/$defs/Top" }, { type: "string" }] }
  },
  list: { Top: { type: "array", items: { $ref: "#/$defs/Top" } } },
  pattern: { Top: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } } }
}

const operationOf = (name: string) => {
  const definitions = documents[name] ?? {}
  const top = fromJsonSchema({ schema: { $ref: "#/$defs/Top" }, definitions })
  const inText = fromText({ schema: { $ref: "#/$defs/Top" }, definitions })
  return customOperation({
    id: `hostile.${name.toLowerCase()}`,
    method: "POST",
    path: `/hostile/${name}`,
    request: { query: OpenQuery({ q: Schema.optionalKey(inText) }), body: top },
    success: top
  })
}

const bodies = ['{"a":"b"}', '{"a":1}', '"x"', "[[[[1]]]]", `{"a":"${"a".repeat(10_000)}!"}`, '{"p0":{"p0":{}}}', "[]"]

describe("a schema of somebody else's document", () => {
  // A check that tries all ways would not end, so no time is measured.
  it.live.each(Object.keys(documents))("does not hold the gateway, whatever it multiplies: %s", (name) =>
    Effect.gen(function* () {
      const operation = operationOf(name)
      const { port } = yield* httpUpstream((res) => res.setHeader("content-type", "application/json").end('{"a":1}'))
      const routes = [{ operation: operation.id, to: [{ provider: providerAt(port), weight: 1 }] }]
      yield* Effect.gen(function* () {
        for (const body of bodies) {
          for (const query of ["", "?q=a,b", "?q=%7B%22a%22:1%7D", "?q=%5B%5B%5D%5D"]) {
            expect([200, 400], body).toContain(yield* statusOf(`/hostile/${name}${query}`, body))
          }
        }
        for (const path of [`/docs/${operation.id}`, "/api/contracts/version", "/docs?q=hostile"]) {
          expect(yield* statusOf(path), path).toBe(200)
        }
        for (const [tool, input] of [
          ["get_details", { operation_id: operation.id }],
          ["search", { query: "hostile" }],
          ["use", { operation_id: operation.id, arguments: { a: 1 }, max_price_usd: 1 }]
        ] as const) {
          expect(yield* callTool(tool, input), tool).toBeDefined()
        }
      }).pipe(
        Effect.provide(
          Layer.provideMerge(Served.layer(), TestGateway.layer({ routes, operations: [...priced, operation] }))
        )
      )
    }).pipe(Effect.scoped)
  )
})
