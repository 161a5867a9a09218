import { countOf } from "@tollgate-tooling/programs/counts.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compare } from "../../src/operations/import/compare.ts"
import { formatFile, parseFile, recordOf } from "../../src/operations/import/OperationsFile.ts"
import * as Result from "effect/Result"
import { decoded } from "../config/decoded.ts"
import { readDocument } from "../../src/operations/import/document.ts"
import { uniqueIn } from "../../src/operations/import/names.ts"
import { get, imported, openapi } from "./documents.ts"

const runs = countOf("IMPORT_RUNS", 15, 60)

const Pet = { $ref: "#/components/schemas/Pet" }
const json = (schema: object) => ({ "application/json": { schema, example: {} } })

/** Has a little of everything. */
const document = openapi(
  {
    "/pets/{petId}": {
      parameters: [{ $ref: "#/components/parameters/petId" }],
      ...get({
        tags: ["Pets"],
        operationId: "getPet",
        summary: "A pet",
        deprecated: true,
        servers: [{ url: "https://{host}/", variables: { host: { default: "pets.example" } } }],
        parameters: [
          {
            name: "size",
            in: "query",
            required: true,
            schema: { type: "integer", minimum: 1, exclusiveMinimum: true }
          },
          { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "X-Trace", in: "header", style: "simple", explode: false, schema: { type: "string" } }
        ],
        responses: { "200": { content: json({ type: "array", items: Pet }) }, "404": {} }
      }),
      post: { requestBody: { $ref: "#/components/requestBodies/pet" }, responses: { "2XX": { content: json(Pet) } } }
    },
    "/forms": {
      put: {
        requestBody: { required: true, content: { "application/x-www-form-urlencoded": { schema: Pet } } },
        responses: { "204": {} },
        callbacks: {}
      }
    }
  },
  {
    openapi: "3.0.3",
    servers: [{ url: "https://pets.example" }],
    components: {
      parameters: {
        petId: { name: "petId", in: "path", required: true, schema: { type: "string", pattern: "^[a-z]+$" } }
      },
      requestBodies: { pet: { required: true, content: json(Pet) } },
      schemas: {
        Base: { type: "object", nullable: true, additionalProperties: { type: "string", enum: ["a"] } },
        Pet: {
          allOf: [{ $ref: "#/components/schemas/Base" }],
          required: ["id", "name"],
          properties: { id: { type: "integer", readOnly: true }, name: { type: "string" }, friend: Pet },
          example: { a: 1 },
          discriminator: { propertyName: "name" }
        }
      }
    }
  }
)

const words =
  "$ref type properties items allOf required enum pattern name in schema content __proto__ constructor toString get post path query header cookie object array #/components/schemas/Pet #/components/schemas/Base #/paths # other.json (a+)+$ provider {x}"
    .split(" ")
    .concat("")

const junk = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e300, [], {}, [[]], [null], ...words),
  fc.dictionary(
    fc.constantFrom(...words),
    fc.constantFrom<unknown>(null, {}, [], "string", "#/components/schemas/Pet", 1)
  ),
  fc.string()
)

interface Change {
  readonly at: number
  readonly value: unknown
  /** Renames the key instead of replacing the value. */
  readonly key: string | undefined
}

const change = fc.record<Change>({
  at: fc.nat(400),
  value: junk,
  key: fc.option(fc.oneof(fc.constantFrom(...words), fc.string()), { nil: undefined })
})

/** Every object and list in the document, with each of its keys. */
const placesIn = (root: unknown): ReadonlyArray<readonly [Record<string, unknown>, string]> => {
  const found: Array<readonly [Record<string, unknown>, string]> = []
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      found.push([value as Record<string, unknown>, key])
      walk(inner)
    }
  }
  walk(root)
  return found
}

const define = (target: object, key: string, value: unknown) =>
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })

const broken = (changes: ReadonlyArray<Change>) => {
  const copy = structuredClone(document) as Record<string, unknown>
  for (const { at, key, value } of changes) {
    const places = placesIn(copy.paths).concat(placesIn(copy.components))
    const place = places[at % Math.max(1, places.length)]
    if (place === undefined) continue
    const [around, old] = place
    if (key === undefined || Array.isArray(around)) define(around, old, structuredClone(value))
    else {
      const moved = around[old]
      delete around[old]
      define(around, key, moved)
    }
  }
  return copy
}

describe("a document that is broken somewhere", () => {
  it(
    "is imported as far as it goes, and what is written is a valid configuration",
    { timeout: 300_000 + runs * 1_000 },
    () => {
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
          const result = imported(broken(changes))
          const file = formatFile({ ...result, record: recordOf(result) })
          const { operations, schemas } = JSON.parse(file) as object & Record<"operations" | "schemas", unknown>
          const upstreams = { pets: { baseUrl: "https://pets.example", protocol: "json" } }
          expect(decoded({ upstreams, operations, schemas })).toMatchObject({ upstreams: {} })
          const old = Result.getOrThrow(parseFile(file))
          const again = compare(old, result, "pets")
          expect([again.operations, again.schemas]).toEqual([[], []])
          expect(formatFile(again.file)).toBe(file)
        }),
        { numRuns: runs }
      )
    }
  )
})

it("a document in YAML with a key twice is refused, also deep in it", () => {
  for (const [text, key] of [
    ['openapi: 3.1.0\npaths: { /a: {}, "/a": {} }', '"/a"'],
    ["openapi: 3.1.0\npaths: {}\nx: [{ __proto__: 1, b: { 1: 2, c: 3, 1: 4 } }]", '"1"']
  ] as const) {
    const read = readDocument(text)
    expect(Result.isFailure(read) && read.failure).toBe(`is neither JSON nor YAML: the key ${key} is there twice`)
  }
})

it("operations that all have one name get numbers, in time", () => {
  const taken = new Set(["x_3"])
  expect(["x", "x", "x", "x_3", "x"].map((name) => uniqueIn(taken, name))).toEqual(["x", "x_2", "x_4", "x_3_2", "x_5"])
  for (let i = 0; i < 60_000; i++) uniqueIn(taken, "x")
  expect(taken.has("x_60005")).toBe(true)
}, 20_000)
