import type { Source } from "../../src/codegen/file.ts"
import * as fc from "fast-check"

type Json = Readonly<Record<string, unknown>>

/** Texts that would end a comment, a string or a line, or that mean something to an object. */
const hostileTexts = [
  "*/ } export const broken = 1 /*",
  "`${process.exit(1)}`",
  "line\nline\r\u2028\u2029line",
  '"; throw new Error("x") //',
  "__proto__",
  "constructor",
  "toString",
  "a b-c",
  "0start",
  "\u202e\u2066bidi\ud800",
  "\\",
  "</script>",
  "readonly",
  ""
]

const name = fc.oneof(
  fc.constantFrom("a", "b", "city", "new", "get", "Item", ...hostileTexts),
  fc.string({ maxLength: 8 })
)

const components = ["Item", "Tree", "openai_error", "Record", "ReadonlyArray", "CallFunction", "a/b~c", "WeatherAInput"]

/** Any JSON Schema, sensible or not. */
const schemas = fc.letrec<{ schema: unknown }>((tie) => {
  const text = fc.constantFrom(...hostileTexts)
  const literals = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.constant({ a: 1 }))
  const parts = fc.record(
    {
      type: fc.oneof(
        fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "null", "nonsense"),
        fc.array(fc.constantFrom("string", "null", "object", "array"), { maxLength: 3 })
      ),
      properties: fc.dictionary(name, tie("schema"), { maxKeys: 4 }),
      required: fc.array(name, { maxLength: 3 }),
      additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
      patternProperties: fc.dictionary(name, tie("schema"), { maxKeys: 1 }),
      items: tie("schema"),
      prefixItems: fc.array(tie("schema"), { maxLength: 3 }),
      minItems: fc.nat(4),
      enum: fc.array(literals, { maxLength: 4 }),
      const: literals,
      anyOf: fc.array(tie("schema"), { maxLength: 3 }),
      oneOf: fc.array(tie("schema"), { maxLength: 3 }),
      allOf: fc.array(tie("schema"), { maxLength: 3 }),
      nullable: fc.boolean(),
      description: text,
      $ref: fc.constantFrom(
        ...components.map((name) => `#/components/schemas/${name}`),
        "#/components/schemas/Missing",
        "#/paths",
        "https://elsewhere.example/schema",
        "%"
      )
    },
    { requiredKeys: [] }
  )
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthIdentifier: "schema" },
      fc.constantFrom<unknown>({}, true, false, 5, { type: "string" }),
      parts
    )
  }
}).schema

/** An operation object as a gateway writes it. */
export const operation = (id: string, parts: Json = {}): Json => ({
  operationId: id,
  summary: "An operation",
  "x-price-contract": "per_request",
  "x-price": "0.01 USD per call",
  "x-replay-class": "billed",
  "x-error-family": "data",
  "x-declared-errors": [400, 401, 402, 404, 409, 422, 429, 500, 502, 503],
  ...parts
})

export const documentOf = (paths: Json, schemas: Json = {}): Json => ({
  openapi: "3.0.3",
  info: { title: "Test gateway", version: "1" },
  paths,
  components: { schemas }
})

export const sourceOf = (document: unknown): Source => ({ document, hash: "0".repeat(64) })

const answering = (schema: unknown, event?: unknown, isPaged = false): Json => ({
  "200": {
    ...(isPaged ? { headers: { link: { schema: { type: "string" } } } } : {}),
    content: {
      "application/json": { schema },
      ...(event === undefined ? {} : { "text/event-stream": { "x-item-schema": event } })
    }
  }
})

const ids = [
  "weather.a",
  "weather_a",
  "weather.a_",
  "delete",
  "api",
  "then",
  "2fa",
  "quote",
  "constructor",
  "__proto__",
  "x.stream",
  "x.pages",
  "x.operation",
  "x"
]

/** The document of a gateway whose operations have any schemas and any texts. */
export const anyDocument = fc
  .record({
    components: fc.array(schemas, { minLength: components.length, maxLength: components.length }),
    operations: fc.array(
      fc.record({
        summary: fc.constantFrom(...hostileTexts),
        parameters: fc.array(
          fc.record({ in: fc.constantFrom("path", "query", "header"), name, schema: schemas, required: fc.boolean() }),
          { maxLength: 3 }
        ),
        body: fc.option(schemas),
        answer: schemas,
        event: fc.option(schemas),
        isPaged: fc.boolean(),
        errors: fc.constantFrom([], [400], [400, 401, 404, 429, 500, 503], ["x", 7])
      }),
      { minLength: ids.length, maxLength: ids.length }
    )
  })
  .map(({ components: shared, operations }) =>
    documentOf(
      Object.fromEntries(
        operations.map(({ answer, body, errors, event, isPaged, parameters, summary }, i) => [
          `/p${i}`,
          {
            post: operation(ids[i] ?? "", {
              summary,
              description: summary,
              parameters,
              "x-declared-errors": errors,
              ...(body === null ? {} : { requestBody: { content: { "application/json": { schema: body } } } }),
              responses: answering(answer, event ?? undefined, isPaged)
            })
          }
        ])
      ),
      Object.fromEntries(components.map((name, i) => [name, shared[i]]))
    )
  )

const things = (i: number) => ({ type: "array", items: { $ref: `#/components/schemas/Thing${i % 100}` } })
const binary = { type: "string", format: "binary" }

/** Lists in pages, uploads, pictures, streams and plain reads, in turn. */
const kinds: ReadonlyArray<(i: number) => Json> = [
  (i) => ({ responses: answering(things(i), undefined, true) }),
  (i) => ({
    requestBody: {
      content: {
        "multipart/form-data": { schema: { type: "object", properties: { file: binary, things: things(i) } } }
      }
    },
    responses: answering(things(i))
  }),
  () => ({ responses: { "200": { content: { "image/png": { schema: binary } } } } }),
  (i) => ({ responses: answering(things(i), { $ref: `#/components/schemas/Thing${i % 100}` }) }),
  (i) => ({ responses: answering({ $ref: `#/components/schemas/Thing${i % 100}` }) })
]

/** A gateway that offers this many operations. */
export const largeDocument = (count: number): Json =>
  documentOf(
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `/apis/v1/group${i % 40}/{id}/thing${i}`,
        {
          post: operation(`group${i % 40}.thing${i}`, {
            parameters: [
              { in: "path", name: "id", required: true, schema: { type: "string" } },
              {
                in: "query",
                name: "tags",
                style: "form",
                explode: true,
                schema: { type: "array", items: { type: "string" } }
              },
              { in: "query", name: "page", schema: { type: "integer" } }
            ],
            ...kinds[i % kinds.length]?.(i)
          })
        }
      ])
    ),
    Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [
        `Thing${i}`,
        {
          type: "object",
          required: ["id"],
          properties: { id: { type: "string" }, next: { $ref: `#/components/schemas/Thing${(i + 1) % 100}` } }
        }
      ])
    )
  )
