import { describe, expect, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll } from "vitest"
import * as Catalogue from "../src/Catalogue.ts"
import { defaults } from "../src/Names.ts"
import * as OpenApi from "../src/openapi/OpenApi.ts"
import { schema30 } from "../src/openapi/schema30.ts"
import { operations } from "../src/operations.ts"

const run = promisify(execFile)
const bin = (name: string) => join(import.meta.dirname, "../node_modules/.bin", name)

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

  it("can be limited to one operation and the schemas it refers to", () => {
    for (const { id } of catalogue.bound) {
      const text = OpenApi.source(catalogue, id)
      const document = OpenApi.document(catalogue, id)
      expect(Object.keys(document.paths)).toHaveLength(1)
      const referred = [...text.matchAll(/#\/components\/schemas\/([\w.-]+)/g)].map(([, name]) => name)
      expect(new Set(referred), id).toEqual(new Set(Object.keys(document.components.schemas)))
    }
  })
})

describe("linters accept the document", { timeout: 60_000 }, () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "openapi-"))
    writeFileSync(join(folder, "openapi.json"), OpenApi.source(catalogue))
    writeFileSync(join(folder, "one.json"), OpenApi.source(catalogue, "rerank"))
    writeFileSync(join(folder, ".spectral.json"), `{"extends":["spectral:oas"]}`)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it("redocly", async () => {
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
    await run(bin("redocly"), ["lint", "--extends=recommended", "--max-problems=5", "openapi.json", "one.json"], {
      cwd: folder,
      env
    })
  })

  it("spectral", async () => {
    await run(bin("spectral"), ["lint", "--fail-severity=error", "openapi.json", "one.json"], { cwd: folder })
  })
})

describe("converting a schema to OpenAPI 3.0", () => {
  it.each([
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, { type: "string", nullable: true }],
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
