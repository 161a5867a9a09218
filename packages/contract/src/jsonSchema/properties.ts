import { followed, isJsonSchema, type JsonSchema, type JsonSchemaDocument } from "./JsonSchemaDocument.ts"

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value
}

/** More schemas than this are not looked at: a document may multiply them. */
const mostTypes = 100

/** The types of JSON values that a schema allows, as far as it says. `undefined`: any. */
export const typesOf = (
  document: JsonSchemaDocument,
  left: { schemas: number } = { schemas: mostTypes }
): ReadonlySet<string> | undefined => {
  const schema = followed(document)
  if (typeof schema === "boolean" || --left.schemas < 0) return undefined
  const { type } = schema
  if (typeof type === "string") return new Set([type])
  if (Array.isArray(type)) return new Set(type.map(String))
  if (Array.isArray(schema["enum"])) return new Set(schema["enum"].map(typeOf))
  if ("const" in schema) return new Set([typeOf(schema["const"])])
  const inner = (list: unknown) =>
    (Array.isArray(list) ? list : [])
      .filter((item) => isJsonSchema(item))
      .map((item) => (left.schemas <= 0 ? undefined : typesOf({ ...document, schema: item }, left)))
  const all = inner(schema["allOf"]).find((types) => types !== undefined)
  if (all !== undefined) return all
  const some = [...inner(schema["anyOf"]), ...inner(schema["oneOf"])]
  return some.length === 0 || some.includes(undefined)
    ? undefined
    : new Set(some.flatMap((types) => [...(types ?? [])]))
}

interface Property {
  readonly name: string
  readonly required: boolean
  readonly document: JsonSchemaDocument
}

/** More schemas than this are not looked at: a document may multiply them. */
const mostSchemas = 1_000

const schemasIn = (value: unknown): ReadonlyArray<JsonSchema | boolean> =>
  Array.isArray(value) ? value.filter((item) => isJsonSchema(item) || typeof item === "boolean") : []

interface Shape {
  readonly properties: Map<string, JsonSchema | boolean>
  readonly required: Set<string>
  isOpen: boolean
  isObject: boolean
  readonly seen: Set<JsonSchema>
}

const collect = (document: JsonSchemaDocument, shape: Shape): void => {
  const schema = followed(document)
  if (typeof schema === "boolean" || shape.seen.has(schema) || shape.seen.size > mostSchemas) return
  shape.seen.add(schema)
  const { properties, required } = schema
  if (schema["type"] === "object" || isJsonSchema(properties)) shape.isObject = true
  if (schema["additionalProperties"] === false) shape.isOpen = false
  if (isJsonSchema(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      if (isJsonSchema(property) || typeof property === "boolean") shape.properties.set(name, property)
    }
  }
  for (const name of Array.isArray(required) ? required : []) shape.required.add(String(name))
  for (const part of schemasIn(schema["allOf"])) collect({ ...document, schema: part }, shape)
}

/** The properties of the objects that a schema describes, those of `allOf` included. `undefined`: it describes others. */
export const propertiesOf = (
  document: JsonSchemaDocument
): { readonly named: ReadonlyArray<Property>; readonly isOpen: boolean } | undefined => {
  const shape: Shape = { properties: new Map(), required: new Set(), isOpen: true, isObject: false, seen: new Set() }
  collect(document, shape)
  if (!shape.isObject) return undefined
  return {
    named: [...shape.properties].map(([name, schema]) => ({
      name,
      required: shape.required.has(name),
      document: { ...document, schema }
    })),
    isOpen: shape.isOpen
  }
}
