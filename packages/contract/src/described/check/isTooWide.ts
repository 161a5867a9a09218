import { isJsonSchema, type JsonSchema, type JsonSchemaDocument, referenced } from "../JsonSchemaDocument.ts"
import { bounds } from "./Bounds.ts"

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
