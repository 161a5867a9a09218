import { type Fields, listOf } from "./values.ts"

const isText = (value: unknown): boolean => typeof value === "string"
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value)
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const isBoolean = (value: unknown): boolean => typeof value === "boolean"
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

const types = new Set(["string", "number", "integer", "boolean", "array", "object", "null"])
const isType = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 && value.every(isType) : typeof value === "string" && types.has(value)

/** Keywords of JSON Schema whose value is not a schema, and what the value may be. */
export const plain: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["type", isType],
  ["title", isText],
  ["description", isText],
  ["enum", (value: unknown) => Array.isArray(value) && value.length > 0],
  ["const", () => true],
  ["default", () => true],
  ["format", isText],
  ["minLength", isCount],
  ["maxLength", isCount],
  ["pattern", isText],
  ["minimum", isNumber],
  ["maximum", isNumber],
  ["exclusiveMinimum", isNumber],
  ["exclusiveMaximum", isNumber],
  ["multipleOf", (value: unknown) => isNumber(value) && (value as number) > 0],
  ["minItems", isCount],
  ["maxItems", isCount],
  ["uniqueItems", isBoolean],
  ["minContains", isCount],
  ["maxContains", isCount],
  ["minProperties", isCount],
  ["maxProperties", isCount],
  ["required", isTexts],
  ["dependentRequired", (value: unknown) => typeof value === "object" && value !== null],
  ["deprecated", isBoolean],
  ["readOnly", isBoolean],
  ["writeOnly", isBoolean],
  ["contentEncoding", isText],
  ["contentMediaType", isText]
])

/** Keywords whose value is a schema. */
export const one: ReadonlySet<string> = new Set([
  "items",
  "additionalProperties",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties"
])

/** Keywords whose value is a list of schemas. */
export const several: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"])

/** Keywords whose value is an object of schemas. */
export const named: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"])

/** Keywords whose schemas apply to the same value: a reference that returns through them never ends. */
export const inPlace: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "not", "if", "then", "else"])

const nothing = { type: "null" }

/** `nullable: true` of OpenAPI 3.0 in JSON Schema. */
export const withNull = (schema: Fields): Fields => {
  const { type } = schema
  if (typeof type === "string") {
    const values = listOf(schema.enum)
    return {
      ...schema,
      type: [type, "null"],
      // Documents seldom list null among the values, but mean it.
      ...(values.length > 0 && !values.includes(null) ? { enum: [...values, null] } : {})
    }
  }
  for (const key of ["anyOf", "oneOf"] as const) {
    if (Array.isArray(schema[key])) return { ...schema, [key]: [...schema[key], nothing] }
  }
  return schema.$ref === undefined && schema.allOf === undefined ? schema : { anyOf: [schema, nothing] }
}
