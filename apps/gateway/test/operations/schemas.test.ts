import { describe, expect, it } from "vitest"
import { answer, body, get, imported, openapi } from "./documents.ts"

const is30 = { openapi: "3.0.3" }
const text = { type: "string" }

describe("a schema of an OpenAPI document", () => {
  it("is written once under its name, with what it refers to, and no others are written", () => {
    const Pet = {
      allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { friend: { $ref: "#/components/schemas/Pet" } } }]
    }
    const { schema, schemas, told } = answer({ $ref: "#/components/schemas/Pet" }, { Unused: {}, Pet, Base: text })
    expect(schema).toEqual({ $ref: "#/schemas/Pet" })
    expect(schemas).toEqual({
      Base: text,
      Pet: { allOf: [{ $ref: "#/schemas/Base" }, { properties: { friend: { $ref: "#/schemas/Pet" } } }] }
    })
    expect(Object.keys(schemas)).toEqual(["Base", "Pet"])
    expect(told).toEqual([])
  })

  it("keeps what JSON Schema has, and says what else there was", () => {
    const { findings, schema } = answer({
      type: ["object", "null"],
      properties: { a: { type: "string", format: "date", default: "x", deprecated: true, xml: {} } },
      patternProperties: { "^x-": text },
      additionalProperties: false,
      discriminator: { propertyName: "a" },
      oneOf: [{ const: 1 }, true],
      not: false,
      "x-internal": 1
    })
    expect(schema).toEqual({
      type: ["object", "null"],
      properties: { a: { type: "string", format: "date", default: "x", deprecated: true } },
      patternProperties: { "^x-": text },
      additionalProperties: false,
      oneOf: [{ const: 1 }, {}],
      not: false
    })
    expect([...findings.counts]).toEqual([
      ["xml", 1],
      ["discriminator", 1],
      ["x-… (extensions)", 1]
    ])
  })

  it("of OpenAPI 3.0 means the same in JSON Schema", () => {
    const schemas = { Pet: text }
    const of = (schema: object) => answer(schema, schemas, is30).schema
    expect(of({ type: "string", nullable: true, enum: ["a"] })).toEqual({ type: ["string", "null"], enum: ["a", null] })
    expect(of({ nullable: true, allOf: [text] })).toEqual({ anyOf: [{ allOf: [text] }, { type: "null" }] })
    expect(of({ nullable: true, oneOf: [text] })).toEqual({ oneOf: [text, { type: "null" }] })
    expect(of({ nullable: true, $ref: "#/components/schemas/Pet" })).toEqual({
      anyOf: [{ $ref: "#/schemas/Pet" }, { type: "null" }]
    })
    expect(of({ $ref: "#/components/schemas/Pet", minLength: 3 })).toEqual({ $ref: "#/schemas/Pet" })
    expect(of({ minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false })).toEqual({
      exclusiveMinimum: 1,
      maximum: 9
    })
    expect(of({ type: "string", example: "a" })).toEqual({ type: "string", examples: ["a"] })
  })

  it("of OpenAPI 3.1 keeps what stands beside a reference", () => {
    expect(answer({ $ref: "#/components/schemas/Pet", minLength: 3 }, { Pet: text }).schema).toEqual({
      $ref: "#/schemas/Pet",
      minLength: 3
    })
  })

  it("keeps short examples", () => {
    const { findings, schema } = answer({ type: "string", example: "a", examples: ["b", { c: 1 }, "d", "e"] })
    expect(schema).toEqual({ type: "string", examples: ["a", "b", "d"] })
    expect(findings.counts.get("examples that are lists, objects or long")).toBe(1)
  })

  it("in a body does not demand what only answers have", () => {
    const Pet = {
      type: "object",
      required: ["id", "name"],
      properties: { id: { type: "integer", readOnly: true }, name: text, friend: { $ref: "#/components/schemas/Pet" } }
    }
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } }
    const { operations, schemas } = imported(
      openapi(
        { "/a": { post: { requestBody: { content }, responses: { "201": { content } } } } },
        { components: { schemas: { Pet } } }
      )
    )
    expect(operations[0]).toMatchObject({
      body: { schema: { $ref: "#/schemas/Pet_request" } },
      answer: { schema: { $ref: "#/schemas/Pet" } }
    })
    expect(schemas).toMatchObject({
      Pet: { required: ["id", "name"], properties: { friend: { $ref: "#/schemas/Pet" } } },
      Pet_request: { required: ["name"], properties: { friend: { $ref: "#/schemas/Pet_request" } } }
    })
  })

  it("may be anywhere in the document", () => {
    const { schema, schemas } = answer(
      { $ref: "#/components/schemas/Pet/properties/a~1b" },
      { Pet: { properties: { "a/b": text } } }
    )
    expect(schema).toEqual({ $ref: "#/schemas/Pet_properties_a_b" })
    expect(schemas).toEqual({ Pet_properties_a_b: text })
  })

  it.each([
    ["other.yaml#/Pet", "refers to another document"],
    ["https://example.com/pet.json", "refers to another document"],
    ["#Pet", "refers to an anchor, not to a path"],
    ["#/components/schemas/None", "refers to something that is not in the document"],
    ["#/components/schemas/constructor", "refers to something that is not in the document"],
    ["#/components/schemas/%zz", "is not encoded correctly"],
    ["#/components/schemas/A", "refers to itself"]
  ])("that refers to %s is told, and any value passes there", ($ref, problem) => {
    const { schema, told } = answer(
      { properties: { a: { $ref } } },
      { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } }
    )
    expect(schema).toEqual({ properties: { a: {} } })
    expect(told).toEqual([
      `paths["/a"].get.responses["200"].content["application/json"].schema.properties.a: ${problem}: any value passes here`
    ])
  })

  it("that is one of itself is broken up", () => {
    const { schemas, told } = answer(
      { $ref: "#/components/schemas/A" },
      {
        A: { anyOf: [{ $ref: "#/components/schemas/B" }, text] },
        B: { allOf: [{ $ref: "#/components/schemas/A" }], properties: { a: { $ref: "#/components/schemas/A" } } }
      }
    )
    expect(schemas).toEqual({ A: { anyOf: [{}, text] } })
    expect(told).toEqual(["components.schemas.A.anyOf[0]: leads back to itself without end: left out"])
  })

  it("with a pattern that can hold the gateway loses it", () => {
    const { schema, told } = answer({
      properties: { a: { pattern: "^(a+)+$" }, b: { pattern: "^a+$" } },
      patternProperties: { "(a*)*": text }
    })
    expect(schema).toEqual({ properties: { a: {}, b: { pattern: "^a+$" } }, patternProperties: {} })
    expect(told).toEqual([
      expect.stringMatching(/properties\.a\.pattern: the pattern can match one text in very many ways: left out/),
      expect.stringMatching(
        /patternProperties\["\(a\*\)\*"\]: the pattern can match one text in very many ways: left out/
      )
    ])
  })

  it.each([
    [{ type: "file" }, {}],
    [{ required: true }, {}],
    [{ minimum: "1", maxLength: -1, enum: [], multipleOf: 0 }, {}],
    [{ properties: [], allOf: {} }, { properties: {} }],
    ["text", {}],
    [null, {}]
  ])("that is not valid loses what is wrong: %o", (given, schema) => {
    const result = answer({ properties: { a: given } })
    expect(result.schema).toEqual({ properties: { a: schema } })
  })

  it("nested without end is cut, and any value passes there", () => {
    let deep: object = text
    for (let i = 0; i < 60; i++) deep = { items: deep }
    const { schema, told } = answer(deep)
    expect(told).toEqual([expect.stringContaining("is nested deeper than 50 levels: any value passes here")])
    expect(JSON.stringify(schema).split("items")).toHaveLength(52)
  })

  it("may have any name", () => {
    const document = JSON.parse(
      `{"openapi":"3.1.0","paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/__proto__"}}}},"responses":{}}}},
        "components":{"schemas":{"__proto__":{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["toString"]}}}}`
    ) as Record<string, unknown>
    const { schemas } = imported(document)
    expect(JSON.stringify(schemas)).toBe(
      '{"__proto__":{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["toString"]}}'
    )
    expect(Object.getPrototypeOf(schemas)).toBe(Object.prototype)
  })
})

describe("an answer of an OpenAPI document", () => {
  const json = (schema: object) => ({ content: { "application/json": { schema } } })
  const answerOf = (responses: object, components = {}) =>
    imported(openapi({ "/a": get({ responses }) }, { components })).operations[0]?.answer

  it("is the first of success that has JSON", () => {
    expect(answerOf({ "404": json({ const: 4 }), "204": {}, "201": json({ const: 2 }), default: json({}) })).toEqual({
      schema: { const: 2 }
    })
    expect(answerOf({ "2XX": { content: { "application/hal+json": { schema: text } } } })).toEqual({ schema: text })
    expect(answerOf({ "200": { $ref: "#/components/responses/r" } }, { responses: { r: json(text) } })).toEqual({
      schema: text
    })
  })

  it("of another type than JSON keeps its type", () => {
    expect(answerOf({ "200": { content: { "image/png; q=1": {}, "text/html": {} } } })).toEqual({ type: "image/png" })
  })

  it("without content passes as it is, and this is counted", () => {
    const { findings, operations } = imported(openapi({ "/a": get({ responses: { "204": {} } }) }))
    expect(operations[0]).not.toHaveProperty("answer")
    expect(findings.counts.get("answers without content")).toBe(1)
    expect(body({ content: { "application/json": { schema: text } } }).operations[0]).not.toHaveProperty("answer")
  })
})
