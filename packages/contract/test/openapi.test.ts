import { describe, expect, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Catalogue from "../src/Catalogue.ts"
import { defaults } from "../src/Names.ts"
import * as OpenApi from "../src/openapi/OpenApi.ts"
import { schema30 } from "../src/openapi/jsonSchema.ts"
import { operations } from "../src/operations.ts"

const catalogue = Catalogue.make(operations, defaults)
const hash = (source: string) =>
  Effect.runPromise(OpenApi.contentHash(source).pipe(Effect.provide(Digest.layerWebCrypto)))

describe("the document", () => {
  it("is OpenAPI 3.0.3, interface version 1.0.0, with every operation that has a path", () => {
    const document = OpenApi.document(catalogue)
    expect(document).toMatchObject({ openapi: "3.0.3", info: { version: "1.0.0" } })
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => (operation as { readonly operationId: string }).operationId)
    )
    expect(ids.toSorted()).toEqual(catalogue.bound.map(({ id }) => id).toSorted())
    expect(document["x-unbound-operations"]?.map(({ operationId }) => operationId)).toEqual([
      "deep_research.search",
      "images.generate"
    ])
  })

  it("is written in steps: others get a turn after every twenty operations or schemas, to its end", async () => {
    const fresh = Catalogue.make(operations, defaults)
    const { components, paths } = OpenApi.document(fresh)
    const most = catalogue.bound.length + Object.values(paths).length + Object.keys(components.schemas).length
    let turns = 0
    const waiting = Effect.forever(
      Effect.tap(Effect.yieldNow, () => Effect.sync(() => turns++)),
      { disableYield: true }
    )
    const text = await Effect.runPromise(Effect.raceFirst(OpenApi.sourceInSteps(fresh), waiting))
    expect(turns).toBeGreaterThanOrEqual(Math.floor(most / 20))
    expect(text).toBe(OpenApi.source(catalogue))
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(OpenApi.document(catalogue))))
  })

  it("marks pending parts and invents no fields for them", () => {
    const { paths } = OpenApi.document(catalogue)
    expect(paths["/v1/chat/completions"]?.post).toMatchObject({
      "x-definition": { state: "pending", open: ["request: body", "response: body"] },
      requestBody: { content: { "application/json": { schema: { type: "object" } } } }
    })
    expect(paths["/v1/rerank"]?.post).toMatchObject({ "x-definition": { state: "complete" } })
  })

  it("contains an operator's bindings", () => {
    const bound = Catalogue.make(operations, defaults, {
      "deep_research.search": { path: "/v1/deep-research" },
      "social_b.post_comments": { parameters: { cursor: "next" } }
    })
    const { paths } = OpenApi.document(bound)
    expect(paths["/v1/deep-research"]?.post).toMatchObject({ operationId: "deep_research.search" })
    expect(paths["/apis/v1/social_b/post/comments"]?.get).toMatchObject({
      parameters: expect.arrayContaining([expect.objectContaining({ name: "next", in: "query", "x-role": "cursor" })])
    })
  })

  it("has a hash that changes only with the contract", async () => {
    const first = await hash(OpenApi.source(catalogue))
    expect(first).toMatch(/^[0-9a-f]{64}$/)
    expect(await hash(OpenApi.source(Catalogue.make(operations.toReversed(), defaults)))).toBe(first)
    expect(await hash(OpenApi.source(Catalogue.make(operations, { ...defaults, social_a: "chirp" })))).not.toBe(first)
  })

  it("can be limited to one operation and the parts it refers to", () => {
    for (const { id } of catalogue.bound) {
      const text = OpenApi.source(catalogue, id)
      const document = OpenApi.document(catalogue, id)
      expect(Object.keys(document.paths)).toHaveLength(1)
      for (const kind of ["schemas", "headers", "responses"] as const) {
        const referred = [...text.matchAll(/#\/components\/(\w+)\/([\w.-]+)/g)].flatMap(([, of, name]) =>
          of === kind ? [name] : []
        )
        expect(new Set(referred), `${id} ${kind}`).toEqual(new Set(Object.keys(document.components[kind])))
      }
    }
  })
})

describe("each operation of the document", () => {
  const document = OpenApi.document(catalogue)
  const at = (path: string, method: string) => document.paths[path]?.[method]
  const schemaOf = (schema: object) => ({ schema: expect.objectContaining(schema) })

  it("names every place where its key may stand", () => {
    expect(at("/v1/rerank", "post")).toMatchObject({ security: [{ bearer: [] }] })
    expect(at("/v1/messages", "post")).toMatchObject({ security: [{ bearer: [] }, { "x-api-key": [] }] })
    expect(at("/v1beta/models", "get")).toMatchObject({
      security: [{ bearer: [] }, { "x-goog-api-key": [] }, { key: [] }]
    })
    expect(at("/api/contracts/version", "get")).toMatchObject({ security: [] })
    expect(Object.keys(OpenApi.document(catalogue, "rerank").components.securitySchemes)).toEqual(["bearer"])
  })

  it("has the quote among its answers, unless it is free", () => {
    const ref = { $ref: "#/components/schemas/Quote" }
    for (const { bytes, id, method, path, price } of catalogue.bound) {
      const quote = bytes === "always" ? ref : { anyOf: expect.arrayContaining([ref]) }
      const expected = { responses: { "200": { content: { "application/json": schemaOf(quote) } } } }
      if (price.contract === "free") expect(at(path, method.toLowerCase()), id).not.toMatchObject(expected)
      else expect(at(path, method.toLowerCase()), id).toMatchObject(expected)
    }
  })

  it("describes an array where all events come at once", () => {
    expect(at("/v1beta/models/{model}:streamGenerateContent", "post")).toMatchObject({
      responses: {
        "200": {
          content: {
            "application/json": schemaOf({
              anyOf: expect.arrayContaining([expect.objectContaining({ type: "array" })])
            }),
            "text/event-stream": { "x-item-schema": expect.anything() }
          }
        }
      }
    })
  })

  it("names the parameters of the callback, and lets others through", () => {
    const { parameters } = at("/apis/v1/social_a/oauth_callback", "get") as {
      readonly parameters: ReadonlyArray<{ readonly name: string; readonly style?: string }>
    }
    expect(parameters.map(({ name, style }) => [name, style])).toEqual([
      ["state", undefined],
      ["code", undefined],
      ["error", undefined],
      ["others", "form"]
    ])
  })

  it("leads to the operations that continue it", () => {
    expect(at("/api/contracts/version", "get")).toMatchObject({
      responses: {
        "200": {
          links: {
            "contracts.source": { parameters: { hash: "$response.body#/contentHash", bundled: "1" } }
          }
        }
      }
    })
    expect(OpenApi.source(catalogue, "contracts.version")).not.toContain("links")
  })

  it("has the operator's names of parameters in its examples", () => {
    const id = "reseller.social_c.creator_search_insights_videos"
    const bound = Catalogue.make(operations, defaults, { [id]: { parameters: { offset: "from" } } })
    const [item] = Object.values(OpenApi.document(bound, id).paths)
    const parameter = (name: string, value: unknown) =>
      expect.objectContaining({ name, examples: { example: { value } } })
    expect(item?.get).toMatchObject({
      parameters: expect.arrayContaining([
        parameter("from", 0),
        parameter("keyword", "rivers"),
        parameter("others", { page_size: "5" })
      ])
    })
  })
})

describe("converting a schema to OpenAPI 3.0", () => {
  it.each([
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, { type: "string", nullable: true }],
    [
      { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] },
      { type: "string", enum: ["a", null], nullable: true }
    ],
    [
      { anyOf: [{ $ref: "#/$defs/Thing" }, { type: "null" }] },
      { anyOf: [{ $ref: "#/components/schemas/Thing" }, { type: "string", enum: [null], nullable: true }] }
    ],
    [{ const: 1 }, { enum: [1] }],
    [{ exclusiveMinimum: 0 }, { minimum: 0, exclusiveMinimum: true }],
    [{ type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 }, { type: "integer" }],
    [{ $ref: "#/$defs/Thing" }, { $ref: "#/components/schemas/Thing" }],
    [
      { type: "object", allOf: [{ additionalProperties: {} }] },
      { type: "object", additionalProperties: true }
    ],
    [
      { type: "array", prefixItems: [{ type: "string" }], items: { type: "string" }, minItems: 1 },
      { type: "array", items: { type: "string" }, minItems: 1 }
    ],
    [{ properties: { const: { type: "string" } } }, { properties: { const: { type: "string" } } }]
  ])("%j", (schema, expected) => {
    expect(schema30(schema)).toEqual(expected)
  })
})
