import { followed, isJsonSchema, type JsonSchemaDocument } from "./JsonSchemaDocument.ts"

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value
}

/** More schemas than this are not looked at: a document may multiply them. */
const mostSchemas = 100

/** The types of JSON values that a schema allows, as far as it says. `undefined`: any. */
export const typesOf = (
  document: JsonSchemaDocument,
  left: { schemas: number } = { schemas: mostSchemas }
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
