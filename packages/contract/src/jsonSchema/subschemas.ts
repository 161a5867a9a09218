import { isJsonSchema } from "./JsonSchemaDocument.ts"

const one = [
  "items",
  "additionalProperties",
  "propertyNames",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contentSchema",
  "additionalItems"
]
const lists = ["allOf", "anyOf", "oneOf", "prefixItems"]
const named = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]

type Kind = "one" | "list" | "named"

const kinds = new Map<string, Kind>([
  ...one.map((keyword) => [keyword, "one"] as const),
  ...lists.map((keyword) => [keyword, "list"] as const),
  ...named.map((keyword) => [keyword, "named"] as const)
])

/** Whether the value of a keyword is a schema, a list of schemas or schemas by name. `undefined`: it is data. */
export const kindOf = (keyword: string): Kind | undefined => kinds.get(keyword)

/** Applies `f` to each value. Returns the same list or object if nothing changes. */
const mapValues = (values: object, f: (value: unknown) => unknown): object => {
  let changed: object | undefined
  for (const [key, value] of Object.entries(values)) {
    const next = f(value)
    if (next === value) continue
    changed ??= Array.isArray(values) ? [...(values as ReadonlyArray<unknown>)] : { ...values }
    Object.defineProperty(changed, key, { value: next, configurable: true, enumerable: true, writable: true })
  }
  return changed ?? values
}

/** Applies `f` to each reference in a schema. What has none is not copied. */
export const mapReferences = (schema: unknown, f: (reference: string) => string): unknown => {
  if (!isJsonSchema(schema)) return schema
  const inner = (value: unknown): unknown => mapReferences(value, f)
  let changed: Record<string, unknown> | undefined
  for (const key in schema) {
    const value = schema[key]
    let next = value
    if (key === "$ref") next = typeof value === "string" ? f(value) : value
    else if (typeof value === "object" && value !== null) {
      const kind = kindOf(key)
      if (kind === "one") next = inner(value)
      else if (kind !== undefined && (kind === "list") === Array.isArray(value)) next = mapValues(value, inner)
    }
    if (next !== value) (changed ??= { ...schema })[key] = next
  }
  return changed ?? schema
}
