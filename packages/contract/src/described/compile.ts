import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { fromJsonSchemaDocument } from "effect/SchemaRepresentation"
import { costlyUnions } from "./costlyUnions.ts"
import { isJsonSchema, type JsonSchema, type JsonSchemaDocument } from "./JsonSchemaDocument.ts"
import { patternProblem } from "./pattern/patternProblem.ts"

/** Documents repeat their patterns. */
const known = new Map<string, boolean>()
const mostKnown = 10_000

/**
 * Whether a pattern can be matched in time that grows with the text alone. A document from elsewhere may have patterns that take
 * minutes, and callers choose the text.
 */
export const isLinear = (pattern: string): boolean => {
  let linear = known.get(pattern)
  if (linear === undefined) {
    if (known.size >= mostKnown) known.clear()
    known.set(pattern, (linear = patternProblem(pattern) === undefined))
  }
  return linear
}

/** Keywords that Effect cannot check. */
const unchecked = [
  "not",
  "if",
  "then",
  "else",
  "contains",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedItems",
  "unevaluatedProperties",
  "$dynamicRef",
  "$id"
]

const unions = ["allOf", "anyOf", "oneOf"]

const isPrimitive = (value: unknown): boolean => typeof value !== "object" || value === null

const without = (schema: JsonSchema, isLeftOut: (key: string, value: unknown) => boolean): JsonSchema =>
  Object.entries(schema).some(([key, value]) => isLeftOut(key, value))
    ? Object.fromEntries(Object.entries(schema).filter(([key, value]) => !isLeftOut(key, value)))
    : schema

const scalars = ["string", "number", "integer", "boolean", "null"]

/** Objects are compared each with each. */
const isQuicklyCompared = (items: unknown): boolean =>
  isJsonSchema(items) && typeof items["type"] === "string" && scalars.includes(items["type"])

const simplified = (schema: JsonSchema, costly: ReadonlySet<unknown>): JsonSchema => {
  const { additionalProperties, items, patternProperties } = schema
  // Effect has no type for the keys that no pattern matches.
  const hasOpenPatterns =
    patternProperties !== undefined &&
    (additionalProperties !== false ||
      !isJsonSchema(patternProperties) ||
      !Object.keys(patternProperties).every(isLinear))
  return without(schema, (key, value) => {
    if (costly.has(value)) return true
    if (key === "uniqueItems") return !isQuicklyCompared(items)
    if (key === "const") return !isPrimitive(value)
    if (key === "enum") return !Array.isArray(value) || !value.every(isPrimitive)
    if (key === "pattern") return typeof value !== "string" || !isLinear(value)
    if (key === "patternProperties" || key === "additionalProperties") return hasOpenPatterns
    return unchecked.includes(key)
  })
}

const withoutUnions = (schema: JsonSchema, costly: ReadonlySet<unknown>): JsonSchema =>
  without(simplified(schema, costly), (key) => unions.includes(key))

/** Checks what Effect can check: all that a document says, else all but its unions, else nothing. */
export const compile = ({ definitions, schema }: JsonSchemaDocument): Schema.Codec<unknown, unknown> => {
  if (typeof schema === "boolean") return schema ? Schema.Unknown : Schema.Never
  const costly = costlyUnions({ definitions, schema })
  for (const simplify of [simplified, withoutUnions]) {
    const onEnter = (schema: JsonSchema) => simplify(schema, costly)
    const compiled = Result.try(() =>
      fromJsonSchemaDocument({ dialect: "draft-2020-12", schema, definitions }, { onEnter, patterns: "apply" })
    )
    if (Result.isSuccess(compiled)) return compiled.success as Schema.Codec<unknown, unknown>
  }
  return Schema.Unknown
}
