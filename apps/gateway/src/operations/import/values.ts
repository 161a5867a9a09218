/** An object of a document that somebody else wrote. */
export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

/** Own fields only: a document may name `constructor` or `__proto__`. */
export const field = (value: unknown, name: string): unknown => {
  const fields = fieldsOf(value)
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined
}

export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(fieldsOf(value) ?? {})

/** Text that is not blank. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined

/** Without the fields that are undefined. */
export const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** For messages and keys. An object of a document may have a `toString` of its own. */
export const shown = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")

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

const start = "#/schemas/"

const namesIn = (root: unknown): ReadonlySet<string> => {
  const names = new Set<string>()
  const stack = [root]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value !== "object" || value === null) continue
    const reference = fieldsOf(value)?.$ref
    if (typeof reference === "string" && reference.startsWith(start)) names.add(reference.slice(start.length))
    // A list may be longer than a call can have arguments.
    for (const part of Object.values(value)) stack.push(part)
  }
  return names
}

/** The names of the schemas that operations refer to, directly or through another. */
export const usedSchemas = (operations: ReadonlyArray<Fields>, schemas: Fields): ReadonlySet<string> => {
  const used = new Set(namesIn(operations))
  for (const name of used) {
    for (const other of namesIn(Object.hasOwn(schemas, name) ? schemas[name] : undefined)) used.add(other)
  }
  return used
}

export const pickSchemas = (schemas: Fields, isKept: (name: string) => boolean): Fields =>
  Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => isKept(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )
