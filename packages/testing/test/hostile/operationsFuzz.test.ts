import { describe, expect, it } from "@effect/vitest"
import { fromJsonSchema } from "@tollgate/contract/described/fromJsonSchema"
import { fromText } from "@tollgate/contract/described/fromText"
import type { JsonSchema } from "@tollgate/contract/described/JsonSchemaDocument"
import { usd } from "@tollgate/contract/Money"
import { one, type Price } from "@tollgate/contract/price/Price"
import { OpenQuery } from "@tollgate/contract/Query"
import { TestGateway } from "@tollgate/testing"
import { Served } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import { ownOperation } from "@tollgate/testing/operation/ownOperation"
import { bearer } from "@tollgate/testing/tools/agent"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import { countOf } from "@tollgate-tooling/programs/counts.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"

const operations = 10
const rounds = countOf("OPERATION_FUZZ", 2, 50)

const names = ["a", "b", "c", "__proto__", "toString"]
const definitionNames = ["A", "B", "C"]

const scalar = fc.constantFrom<JsonSchema>(
  { type: "string" },
  { type: "string", minLength: 1, maxLength: 5 },
  { type: "string", pattern: "^[a-z]+$" },
  { type: "string", pattern: "^(a+)+$" },
  { type: "integer", minimum: 0 },
  { type: "number", multipleOf: 0.1 },
  { type: ["boolean", "null"] },
  { enum: ["a", 1, null] },
  { const: "a" },
  { not: {} },
  {}
)

/** Any schema, referring to definitions that may refer back. */
const schema: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    scalar,
    fc.constantFrom(...definitionNames).map((name) => ({ $ref: `#/$defs/${name}` })),
    fc
      .tuple(fc.constantFrom("allOf", "anyOf", "oneOf"), fc.array(tie("schema"), { minLength: 1, maxLength: 4 }))
      .map(([key, members]) => ({ [key]: members })),
    fc.array(tie("schema"), { maxLength: 2 }).map((items) => ({ type: "array", items: items[0] ?? true, maxItems: 5 })),
    fc
      .tuple(fc.dictionary(fc.constantFrom(...names), tie("schema")), fc.subarray(names), fc.boolean())
      .map(([properties, required, isOpen]) => ({
        type: "object",
        properties,
        required,
        ...(isOpen ? {} : { additionalProperties: false })
      }))
  )
})).schema

const definitions = fc.record(Object.fromEntries(definitionNames.map((name) => [name, schema])))

/** Whatever an upstream may write where a price reads items, units or a cost. */
const proof = fc.oneof(
  fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }).map((items) => JSON.stringify(items)),
  fc.nat({ max: 5 }).map(String),
  fc.constantFrom(
    "0.002",
    "0.0000004",
    "-1",
    "1.5",
    "1e3",
    "1e300",
    '"3"',
    '"0.002"',
    "null",
    "true",
    "{}",
    "9007199254740993"
  )
)

/** What an upstream may answer to a call, also against its own description. */
const answer = fc.record({
  status: fc.constantFrom(200, 200, 200, 201, 204, 400, 429, 500),
  type: fc.constantFrom("application/json", "application/json", "text/html", "application/octet-stream", ""),
  body: fc.oneof(
    fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
    { weight: 4, arbitrary: proof.map((value) => `{"a":${value}}`) },
    fc.constantFrom("", "{", '{"error":{"message":"no"}}', "<html>", '{"a":1}{"a":2}')
  )
})

const most = 5
const micros = 1_000

/** How an operation is priced. Each reads the field `a` of the answer, or nothing of it. */
const prices = {
  free: { contract: "free" },
  call: { contract: "per_request", amount: usd("0.001") },
  items: { contract: "response_count", perItem: usd("0.001"), items: "a", most },
  units: { contract: "answer_field", perUnit: usd("0.001"), field: ["a"], most },
  cost: { contract: "reported_cost", cost: { field: ["a"] }, factor: one, most: usd("0.005") }
} satisfies Record<string, Price>

type Kind = keyof typeof prices
const kinds = Object.keys(prices) as ReadonlyArray<Kind> as readonly [Kind, ...Array<Kind>]

const fieldIn = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && Object.hasOwn(value, "a") ? Object(value).a : undefined
  } catch {
    return undefined
  }
}

/** Micro-USD that the answer proves. Undefined: it proves nothing. */
const provenBy = (kind: Kind, text: string): number | undefined => {
  const value = fieldIn(text)
  if (kind === "free") return 0
  if (kind === "call") return micros
  if (kind === "items") return Array.isArray(value) ? value.length * micros : undefined
  const number = typeof value === "number" && value >= 0 ? value : undefined
  if (kind === "units")
    return number !== undefined && number <= 1e9 && Number.isInteger(number) ? number * micros : undefined
  const usd = typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : number
  return usd !== undefined && usd <= 1e6 ? Math.round(usd * 1e6) : undefined
}

const world = fc.record({
  all: fc.array(fc.record({ definitions, body: schema, query: schema, answer, priced: fc.constantFrom(...kinds) }), {
    minLength: operations,
    maxLength: operations
  }),
  bodies: fc.array(
    fc.oneof(
      fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
      fc.constantFrom("", "{", "[[[[")
    ),
    { minLength: 4, maxLength: 4 }
  ),
  query: fc.constantFrom("", "?q=1", "?q=a,b", "?q=%7B%22a%22:1%7D", "?q=1&q=2", "?Q=1", "?q=%FF")
})

/** A text that an answer which is not delivered must not show. */
const mark = "only-for-who-pays"

describe("operations of any description", () => {
  it.live(`deliver what is paid, charge what is delivered, and never fail: ${rounds} rounds of ${operations}`, () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(world, ({ all, bodies, query }) => Effect.runPromise(check(all, bodies, query))),
        { numRuns: rounds, seed: 30, endOnFailure: true }
      )
    )
  )
})

type World = typeof world extends fc.Arbitrary<infer A> ? A : never

const check = (all: World["all"], bodies: World["bodies"], query: string) =>
  Effect.gen(function* () {
    const { port, received } = yield* httpUpstream((res, { url }) => {
      const { body, status, type } = all[Number(/\d+/.exec(url)?.[0])]?.answer ?? { body: "", status: 500, type: "" }
      res.statusCode = status
      if (type !== "") res.setHeader("content-type", type)
      res.end(status === 204 ? undefined : body === "<html>" ? `<html>${mark}` : body)
    })
    const own = all.map(({ body, definitions, priced, query }, i) =>
      ownOperation({
        id: `fuzz.n${i}`,
        method: "POST",
        path: `/fuzz/${i}`,
        request: {
          query: OpenQuery({ q: Schema.optionalKey(fromText({ schema: query, definitions })) }),
          body: fromJsonSchema({ schema: body, definitions })
        },
        success: fromJsonSchema({ schema: body, definitions }),
        price: prices[priced],
        ...(priced === "free" ? { replay: "free" } : {})
      })
    )
    const routes = own.map(({ id }) => ({ operation: id, to: [{ provider: providerAt(port), weight: 1 }] }))
    yield* Effect.gen(function* () {
      const { baseUrl } = yield* Served
      let paid = 0
      for (const [i, { priced }] of all.entries()) {
        for (const body of bodies) {
          const ask = (more: Record<string, string> = {}) =>
            fetch(`${baseUrl}/fuzz/${i}${query}`, {
              method: "POST",
              headers: { ...bearer, "content-type": "application/json", ...more },
              body
            })
          const response = yield* Effect.promise(() => ask())
          const text = yield* Effect.promise(() => response.text())
          const cost = Number(response.headers.get("x-tollgate-cost-micros-usd") ?? 0)
          paid += cost
          const told = `${i} ${priced} ${body} ${query}: ${response.status} ${text.slice(0, 200)}`
          if (priced === "free") expect(cost, told).toBe(0)
          // What failed is free.
          if (response.status >= 300) expect(cost, told).toBe(0)
          // The gateway itself never fails, and shows nothing of what it does not deliver.
          if (text.includes("internal_error")) expect.fail(told)
          if (text.includes("answer_not_metered"))
            expect([response.status, text.includes(mark)], told).toEqual([502, false])
          // What is charged is proven by the answer, and what is delivered is paid, if there is something to deliver.
          if (cost > 0) expect(cost, told).toBe(provenBy(priced, text))
          if (response.status === 200 && text !== "" && !text.includes('"error"'))
            expect(cost, told).toBe(provenBy(priced, text))
          // A quote costs nothing, and calls nobody.
          const before = received.length
          const quote = yield* Effect.promise(() => ask({ "x-tollgate-cost-mode": "estimate" }))
          yield* Effect.promise(() => quote.text())
          expect([quote.status < 500, received.length], `quote of ${told}`).toEqual([true, before])
        }
      }
      const recorded = yield* calls
      expect(recorded.every(({ state }) => state !== "open")).toBe(true)
      expect(recorded.reduce((sum, { charged }) => sum + (charged ?? 0), 0)).toBe(paid)
    }).pipe(Effect.provide(Layer.provideMerge(Served.layer(), TestGateway.layer({ routes, operations: own }))))
  }).pipe(Effect.scoped)
