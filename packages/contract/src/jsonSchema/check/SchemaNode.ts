import { oncePer } from "../../oncePer.ts"
import { isJsonSchema, type JsonSchema, type JsonSchemaDocument, referenced } from "../JsonSchemaDocument.ts"
import { type Matcher, matcherOf } from "./pattern.ts"

/** What a check may cost, whatever a document says and a caller sends. */
export const bounds = {
  /** The values of an `enum`. A longer one is not checked. */
  values: 10_000,
  /** The schemas that `allOf`, `anyOf`, `oneOf` and references apply to one value. Beyond it the list is not checked. */
  schemas: 1_000,
  /** The levels of a value. A deeper one is refused. */
  levels: 256,
  /** How deep the schemas that are applied may be in each other. Beyond it a value passes. */
  depth: 1_000,
  /** The schemas that are applied to all parts of a value, and the patterns to its names. Beyond it a value passes. */
  steps: 50_000,
  /** The characters that patterns compare in a value. Beyond it they are not applied. */
  matching: 2_000_000,
  /** The entries of `patternProperties`. Beyond it they are not checked. */
  patterns: 50
}

const lists = ["allOf", "anyOf", "oneOf"]

/** The schemas that apply to the same value as this one does. */
const besides = (schema: JsonSchema, definitions: JsonSchemaDocument["definitions"]): ReadonlyArray<unknown> => {
  const reference = schema["$ref"]
  const found = lists.flatMap((key) => (Array.isArray(schema[key]) ? (schema[key] as ReadonlyArray<unknown>) : []))
  return typeof reference === "string" ? [referenced(reference, definitions), ...found] : found
}

/** Whether the lists of a schema, with all that they lead to, apply more schemas to one value than are checked. */
export const isTooWide = (schema: JsonSchema, definitions: JsonSchemaDocument["definitions"]): boolean => {
  if (!lists.some((key) => Array.isArray(schema[key]))) return false
  const found = new Set<JsonSchema>([schema])
  for (const one of found) {
    for (const other of besides(one, definitions)) if (isJsonSchema(other)) found.add(other)
    if (found.size > bounds.schemas) return true
  }
  return false
}

type Definitions = JsonSchemaDocument["definitions"]

const isPrimitive = (value: unknown): boolean => typeof value !== "object" || value === null

const isComparable = (values: unknown): values is ReadonlyArray<unknown> =>
  Array.isArray(values) && values.length <= bounds.values && values.every(isPrimitive)

const scalars = ["string", "number", "integer", "boolean", "null"]

/** Whether the items of a list can be compared by a look-up. Objects would be compared each with each. */
const areQuicklyCompared = (items: unknown): boolean =>
  isJsonSchema(items) && typeof items["type"] === "string" && scalars.includes(items["type"])

const valuesOf = (schema: JsonSchema): ReadonlySet<unknown> | undefined => {
  if (Object.hasOwn(schema, "const") && isPrimitive(schema["const"])) return new Set([schema["const"]])
  return isComparable(schema["enum"]) ? new Set(schema["enum"]) : undefined
}

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

const listOf = (value: unknown): ReadonlyArray<unknown> | undefined => (Array.isArray(value) ? value : undefined)

const objectOf = (value: unknown): JsonSchema | undefined => (isJsonSchema(value) ? value : undefined)

/** `undefined`: one of them is not applied, which may be the one that allows a name. */
const matchersOf = (patterns: unknown): ReadonlyArray<readonly [Matcher, schema: unknown]> | undefined => {
  const entries = Object.entries(objectOf(patterns) ?? {})
  if (entries.length > bounds.patterns) return undefined
  const found = entries.flatMap(([pattern, schema]) => {
    const matcher = matcherOf(pattern)
    return matcher === undefined ? [] : [[matcher, schema] as const]
  })
  return found.length === entries.length ? found : undefined
}

/** One schema, read for quick checks. What is inside of it is read when it is needed. */
const nodeOf = (schema: JsonSchema, definitions: Definitions) => {
  const { $ref: reference, items, pattern, type } = schema
  const patterns = matchersOf(schema["patternProperties"])
  const isChecked = !isTooWide(schema, definitions)
  return {
    types: typeof type === "string" ? [type] : listOf(type),
    values: valuesOf(schema),
    minLength: numberOf(schema["minLength"]) ?? 0,
    maxLength: numberOf(schema["maxLength"]) ?? Infinity,
    pattern: typeof pattern === "string" ? matcherOf(pattern) : undefined,
    minimum: numberOf(schema["minimum"]),
    maximum: numberOf(schema["maximum"]),
    exclusiveMinimum: numberOf(schema["exclusiveMinimum"]),
    exclusiveMaximum: numberOf(schema["exclusiveMaximum"]),
    multipleOf: numberOf(schema["multipleOf"]),
    minItems: numberOf(schema["minItems"]) ?? 0,
    maxItems: numberOf(schema["maxItems"]) ?? Infinity,
    isUnique: schema["uniqueItems"] === true && areQuicklyCompared(items),
    prefixItems: listOf(schema["prefixItems"]),
    items,
    required: listOf(schema["required"]),
    minProperties: numberOf(schema["minProperties"]) ?? 0,
    maxProperties: numberOf(schema["maxProperties"]) ?? Infinity,
    properties: objectOf(schema["properties"]),
    patterns,
    additionalProperties: patterns === undefined ? undefined : schema["additionalProperties"],
    propertyNames: schema["propertyNames"],
    reference: typeof reference === "string" ? referenced(reference, definitions) : undefined,
    allOf: isChecked ? listOf(schema["allOf"]) : undefined,
    anyOf: isChecked ? listOf(schema["anyOf"]) : undefined,
    oneOf: isChecked ? listOf(schema["oneOf"]) : undefined
  }
}

export type SchemaNode = Readonly<ReturnType<typeof nodeOf>>

/** The nodes of a document's schemas, each made once. */
export const nodesOf = oncePer((definitions: Definitions) =>
  oncePer((schema: JsonSchema) => nodeOf(schema, definitions))
)
