import type { JsonSchema } from "@tollgate/contract/jsonSchema/JsonSchemaDocument"
import * as fc from "fast-check"

/** A schema, and a value that it takes by construction: nothing here asks the gateway's own check. */
interface Fitting {
  readonly schema: JsonSchema
  readonly value: unknown
}

const names = ["a", "b", "toString", "__proto__", "constructor", "длина"]

const fits = <A>(schema: JsonSchema, value: fc.Arbitrary<A>): fc.Arbitrary<Fitting> =>
  value.map((value) => ({ schema, value }))

const letters = fc.stringMatching(/^[a-z]{1,20}$/)

const scalar: fc.Arbitrary<Fitting> = fc.oneof(
  fits({ type: "string" }, fc.string()),
  fits({ type: "string", minLength: 1, maxLength: 20 }, letters),
  fits({ type: "string", pattern: "^[a-z]+$" }, letters),
  fits({ type: "string", pattern: "^(a+)+$" }, fc.constant("aaaa")),
  fits({ type: "integer", minimum: -5, exclusiveMaximum: 100 }, fc.integer({ min: -5, max: 99 })),
  fits(
    { type: "number", multipleOf: 0.5 },
    fc.integer({ min: -9, max: 9 }).map((half) => half / 2)
  ),
  fits({ type: ["boolean", "null"] }, fc.constantFrom(true, false, null)),
  fits({ enum: ["x", 1, null] }, fc.constantFrom("x", 1, null)),
  fits({ const: "x" }, fc.constant("x")),
  fits({}, fc.jsonValue({ maxDepth: 2 })),
  fits(
    { $ref: "#/$defs/Tree" },
    fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.record({ kids: fc.array(tie("tree"), { maxLength: 2, depthIdentifier: "tree" }) }, { requiredKeys: [] })
    })).tree
  )
)

/** Schemas that refer to each other and to themselves. */
export const definitions: Readonly<Record<string, JsonSchema>> = {
  Tree: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/Tree" } } } }
}

/** No generated value is this one, so that exactly one member of a `oneOf` fits. */
const nobody: JsonSchema = { const: "a value that no body has" }

const objectOf = (members: ReadonlyArray<readonly [string, Fitting]>, isClosed: boolean): Fitting => ({
  schema: {
    type: "object",
    properties: Object.fromEntries(members.map(([name, { schema }]) => [name, schema])),
    required: members.map(([name]) => name),
    ...(isClosed ? { additionalProperties: false } : {})
  },
  value: Object.fromEntries(members.map(([name, { value }]) => [name, value]))
})

const fitting: fc.Arbitrary<Fitting> = fc.letrec<{ any: Fitting }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    scalar,
    fc.tuple(tie("any"), tie("any")).map(([one, other]) => ({ ...one, schema: { anyOf: [other.schema, one.schema] } })),
    tie("any").map((one) => ({ ...one, schema: { oneOf: [nobody, one.schema, nobody] } })),
    tie("any").map((one) => ({ ...one, schema: { allOf: [{}, one.schema, true] } })),
    fc.array(tie("any"), { maxLength: 3 }).map((items) => ({
      schema: { type: "array", items: { anyOf: [nobody, ...items.map(({ schema }) => schema)] }, maxItems: 3 },
      value: items.map(({ value }) => value)
    })),
    fc
      .tuple(
        fc.subarray(names),
        fc.array(tie("any"), { minLength: names.length, maxLength: names.length }),
        fc.boolean()
      )
      .map(([chosen, values, isClosed]) =>
        objectOf(
          chosen.map((name, i) => [name, values[i] ?? { schema: {}, value: null }]),
          isClosed
        )
      )
  )
})).any

/** The schema of a body, and the same fields in a body that it takes. `must` is required to be an integer. */
export interface Body {
  readonly schema: JsonSchema
  readonly fields: Readonly<Record<string, unknown>>
}

/** `free` names fields that anything may be in, as far as the schema says. */
export const fittingBody = (free: ReadonlyArray<string>): fc.Arbitrary<Body> =>
  fc.tuple(fitting, fitting, fc.integer(), fc.boolean()).map(([one, other, must, isClosed]) => {
    const { schema, value } = objectOf(
      [
        ["one", one],
        ["other", other],
        ["must", { schema: { type: "integer" }, value: must }]
      ],
      isClosed
    )
    const properties = { ...Object(schema).properties, ...Object.fromEntries(free.map((name) => [name, {}])) }
    return { schema: { ...Object(schema), properties }, fields: { ...Object(value) } }
  })

const scalarSchema = fc.constantFrom<JsonSchema>(
  { type: "string", minLength: 1, maxLength: 5 },
  { type: "string", pattern: "^(a+)+$" },
  { type: "integer", minimum: 0 },
  { type: "number", multipleOf: 0.1 },
  { enum: ["a", 1, null] },
  { not: {} },
  {}
)

/** Any schema. It may refer to itself, and need not take anything. */
export const anySchema: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    scalarSchema,
    fc.constantFrom<JsonSchema>({ $ref: "#/$defs/Tree" }, { $ref: "#/$defs/Any" }),
    fc
      .tuple(fc.constantFrom("allOf", "anyOf", "oneOf"), fc.array(tie("schema"), { minLength: 1, maxLength: 4 }))
      .map(([key, members]) => ({ [key]: members })),
    tie("schema").map((items) => ({ type: "array", items, maxItems: 5 })),
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
