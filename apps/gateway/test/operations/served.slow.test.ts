import { execFile } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { folder } from "../program.ts"
import type { Fields } from "../../src/operations/import/values.ts"
import { adminToken, sell } from "./selling.ts"

const run = promisify(execFile)
const redocly = join(import.meta.dirname, "../../node_modules/.bin/redocly")

/** What the validator finds wrong with a document, besides matters of taste. */
const lint = async (document: unknown): Promise<ReadonlyArray<string>> => {
  const cwd = folder()
  writeFileSync(join(cwd, "served.json"), JSON.stringify(document))
  writeFileSync(join(cwd, "redocly.yaml"), rules)
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
  const options = { cwd, env, maxBuffer: 1 << 28 }
  const { stdout } = await run(redocly, ["lint", "--format=json", "--max-problems=1000", "served.json"], options).catch(
    (failed: { readonly stdout: string }) => failed
  )
  const { problems } = JSON.parse(stdout) as { problems: ReadonlyArray<Problem> }
  return problems.map(({ location: [at], message, ruleId }) => `${at?.pointer} ${ruleId}: ${message.slice(0, 200)}`)
}

interface Problem {
  readonly ruleId: string
  readonly message: string
  readonly location: ReadonlyArray<{ readonly pointer: string }>
}

const rules = `rules:
  struct: error
  spec-strict-refs: error
  no-unresolved-refs: error
  no-duplicated-tag-names: error
  nullable-type-sibling: error
  no-enum-type-mismatch: error
  no-example-value-and-externalValue: error
  no-invalid-media-type-examples: error
  no-invalid-parameter-examples: error
  no-identical-paths: error
  operation-operationId-unique: error
  operation-operationId-url-safe: error
  operation-parameters-unique: error
  path-declaration-must-exist: error
  path-not-include-query: error
  path-parameters-defined: error
  security-defined: error
`

const written = (document: unknown): string => {
  const file = join(folder(), "document.json")
  writeFileSync(file, JSON.stringify(document))
  return file
}

const answer = (schema: unknown): Fields => ({
  responses: { "200": { description: "ok", content: { "application/json": { schema } } } }
})

const json = (schema: unknown): Fields => ({ requestBody: { content: { "application/json": { schema } } } })

const document = (openapi: string, paths: Fields, components: Fields = {}): Fields => ({
  openapi,
  info: { title: "Odd", version: "1" },
  paths,
  components
})

/** A path for each schema, which both the body and the answer have. */
const both = (schemas: Readonly<Record<string, unknown>>): Fields =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      `/${name}`,
      { post: { operationId: name, ...json(schema), ...answer(schema) } }
    ])
  )

const odd30 = document(
  "3.0.3",
  both({
    nullable: { type: "string", nullable: true },
    nullable_enum: { type: "string", enum: ["a", null], nullable: true },
    nullable_alone: { nullable: true },
    nullable_reference: { allOf: [{ $ref: "#/components/schemas/Node" }], nullable: true },
    nullable_one_of: { oneOf: [{ type: "string" }, { $ref: "#/components/schemas/Node" }], nullable: true },
    exclusive: { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
    recursive: { $ref: "#/components/schemas/Node" },
    around: { $ref: "#/components/schemas/A" },
    beside: { $ref: "#/components/schemas/Node", description: "ignored", nullable: true },
    discriminated: {
      oneOf: [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/B" }],
      discriminator: { propertyName: "kind", mapping: { a: "#/components/schemas/A" } }
    },
    xml: { type: "object", xml: { name: "x" }, externalDocs: { url: "https://a.example" }, properties: {} },
    untyped_items: { type: "array", items: {} },
    required_twice: { type: "object", required: ["a", "a"], properties: { a: { type: "string", readOnly: true } } },
    example: { type: "integer", example: "not a number", default: "neither" },
    empty_enum: { type: "string", enum: [] }
  }),
  {
    schemas: {
      Node: { type: "object", nullable: true, properties: { next: { $ref: "#/components/schemas/Node" } } },
      A: { type: "object", properties: { b: { $ref: "#/components/schemas/B" }, kind: { type: "string" } } },
      B: { type: "object", properties: { a: { $ref: "#/components/schemas/A" } }, additionalProperties: false },
      "odd name/with~things": { type: "string" }
    }
  }
)

const odd31 = document(
  "3.1.0",
  both({
    nullable: { nullable: true },
    types: { type: ["string", "integer", "null"], enum: ["a", 1, null] },
    only_null: { type: "null" },
    null_list: { type: ["null"] },
    one_or_null: { oneOf: [{ $ref: "#/components/schemas/Tree" }, { type: "null" }] },
    nothing: false,
    anything: true,
    constant: { const: null },
    constant_object: { const: { a: 1 } },
    exclusive: { type: "number", exclusiveMinimum: 1, minimum: 0, exclusiveMaximum: 9 },
    tuple: { type: "array", prefixItems: [{ type: "string" }, { type: "null" }], items: false },
    contains: { type: "array", contains: { type: "string" }, minContains: 1, unevaluatedItems: false },
    // Spread, because an object with `then` looks like a promise.
    conditional: {
      if: { properties: { a: { const: 1 } } },
      ...(JSON.parse('{"then":{"required":["b"]}}') as object),
      else: { required: ["c"] }
    },
    dependent: { type: "object", dependentRequired: { a: ["b"] }, dependentSchemas: { a: { required: ["c"] } } },
    patterns: { type: "object", patternProperties: { "^x": { type: "null" } }, propertyNames: { pattern: "^x" } },
    unevaluated: { allOf: [{ $ref: "#/components/schemas/Tree" }], unevaluatedProperties: false },
    reference_beside: { $ref: "#/components/schemas/Tree", description: "kept", minProperties: 1 },
    definitions: { $defs: { Own: { type: "string" } }, type: "object", properties: { a: { $ref: "#/$defs/Own" } } },
    dynamic: { $dynamicRef: "#node", $dynamicAnchor: "node", type: "object" },
    content: { type: "string", contentEncoding: "base64", contentMediaType: "image/png", contentSchema: {} },
    examples: { type: "integer", examples: ["text", null, 7] },
    deep_null: { type: "object", properties: { a: { type: "array", items: { type: ["null", "object"] } } } },
    no_types: { type: [] },
    proto: { type: "object", properties: JSON.parse('{"__proto__":{"type":"string"},"constructor":{}}') as object },
    multiple: { type: "integer", multipleOf: 0.5, minLength: 3 },
    any_null: { anyOf: [{ type: "null" }, { const: "a" }], type: ["string", "null"] },
    all_null: { allOf: [{ type: ["string", "null"] }, { nullable: true }] },
    not_null: { not: { type: "null" } },
    large: { type: "integer", minimum: -(2 ** 63), maximum: 2 ** 63 }
  }),
  {
    schemas: {
      Tree: { type: "object", properties: { leaves: { type: "array", items: { $ref: "#/components/schemas/Tree" } } } }
    }
  }
)

const parameter = (name: string, at: string, more: Fields = {}): Fields => ({
  name,
  in: at,
  schema: { type: "string" },
  ...more
})
const list = { type: "array", items: { type: ["string", "null"] } }
const object = { type: "object", properties: { a: { type: "integer" } }, additionalProperties: { type: "string" } }

const oddParameters = document("3.1.0", {
  "/styles/{id}": {
    get: {
      operationId: "styles",
      parameters: [
        parameter("id", "path", { required: true, schema: { type: ["string", "integer"] } }),
        parameter("pipes", "query", { style: "pipeDelimited", schema: list }),
        parameter("spaces", "query", { style: "spaceDelimited", schema: list }),
        parameter("deep", "query", { style: "deepObject", explode: true, schema: object }),
        parameter("form", "query", { style: "form", explode: true, schema: list }),
        parameter("commas", "query", { style: "form", explode: false, schema: list }),
        parameter("content", "query", { schema: undefined, content: { "application/json": { schema: object } } }),
        parameter("example", "query", { schema: { type: "integer" }, example: "seven" }),
        parameter("examples", "query", { examples: { a: { value: 1 }, b: { $ref: "#/components/examples/None" } } }),
        parameter("allowed", "query", { allowReserved: true, allowEmptyValue: true, deprecated: true }),
        parameter("filter[name]", "query"),
        parameter("X-List", "header", { schema: list }),
        parameter("Accept", "header"),
        parameter("session", "cookie"),
        parameter("nullable", "query", { schema: { type: ["integer", "null"], default: null } })
      ],
      ...answer({})
    }
  },
  "/{a}/{b}.{c}": { get: { operationId: "three", ...answer({}) } },
  "/{a}/{b}.{c}/": { get: { operationId: "slash", ...answer({}) } },
  "/same/{x}": { get: answer({}), put: { operationId: "same id", ...answer({}) } },
  "/same/{y}": { post: { operationId: "same id", ...answer({}) } },
  "/odd:verb": { post: { operationId: "odd:verb()", tags: ["One", "one", "O N E"], ...answer({}) } }
})

const oddBodies = document("3.2.0", {
  "/multipart": {
    post: {
      operationId: "multipart",
      requestBody: {
        content: {
          "multipart/form-data": {
            schema: {
              type: "object",
              properties: {
                file: { type: "string", contentMediaType: "image/png" },
                note: { type: ["string", "null"] }
              }
            },
            encoding: { file: { contentType: "image/png" } }
          }
        }
      },
      ...answer({})
    }
  },
  "/binary": {
    put: {
      operationId: "binary",
      requestBody: { content: { "application/octet-stream": {} } },
      responses: {
        "200": { description: "ok", content: { "image/png": { schema: { type: "string", format: "binary" } } } }
      }
    }
  },
  "/form": {
    post: {
      operationId: "form",
      requestBody: {
        content: { "application/x-www-form-urlencoded": { schema: { type: "object", properties: { a: list } } } }
      },
      responses: { "204": { description: "nothing" } }
    }
  },
  "/stream": {
    get: {
      operationId: "stream",
      responses: { "200": { description: "ok", content: { "text/event-stream": { itemSchema: { type: "object" } } } } }
    },
    query: { operationId: "query", ...answer({}) },
    additionalOperations: { COPY: { operationId: "copy", ...answer({}) } }
  },
  "/querystring": {
    get: {
      operationId: "querystring",
      parameters: [
        { name: "all", in: "querystring", content: { "application/x-www-form-urlencoded": { schema: object } } }
      ],
      ...answer({})
    }
  },
  "/patch": {
    patch: {
      operationId: "patch",
      requestBody: { required: true, content: { "application/merge-patch+json": { schema: object } } },
      responses: {
        "200": { description: "ok", headers: { Link: { schema: { type: "string" } } }, content: { "*/*": {} } }
      }
    }
  },
  "/nothing": { delete: { operationId: "nothing" } }
})

const octokit = process.env.OCTOKIT_OPENAPI ?? ""
if (!existsSync(octokit))
  console.log("Not run: GitHub's document as it is served. Set OCTOKIT_OPENAPI, as in octokit.slow.test.ts")

describe("the document that a gateway serves after an import is valid", () => {
  it.each([
    ["of OpenAPI 3.0 with odd schemas", odd30, 14],
    ["of OpenAPI 3.1 with odd schemas", odd31, 26],
    ["with odd parameters and paths", oddParameters, 5],
    ["of OpenAPI 3.2 with bodies of all kinds", oddBodies, 5]
  ])("%s", async (_, given, least) => {
    const { contract, file } = await sell(written(given), "--price", "0.002")
    const { operations } = JSON.parse(readFileSync(file, "utf8")) as { operations: ReadonlyArray<unknown> }
    expect(operations.length).toBeGreaterThanOrEqual(least)
    const served = await contract()
    expect(JSON.stringify(served)).toContain("/apis/v1/api/")
    expect(await lint(served)).toEqual([])
  })

  it("besides the documents of the account and of the admin", async () => {
    const { address, key } = await sell(written(odd31), "--price", "free")
    const served = async (path: string, credential: string): Promise<unknown> => {
      const answer = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${credential}` } })
      expect(answer.status).toBe(200)
      return answer.json()
    }
    expect(await lint(await served("/account/v1/openapi.json", key))).toEqual([])
    expect(await lint(await served("/admin/v1/openapi.json", adminToken))).toEqual([])
  })

  it.runIf(existsSync(octokit))("of GitHub", async () => {
    const { contract } = await sell(octokit, "--price", "0.002")
    expect(await lint(await contract())).toEqual([])
  })
})
