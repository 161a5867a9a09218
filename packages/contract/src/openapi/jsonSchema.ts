import type * as Schema from "effect/Schema"
import { documentOf } from "../described/documentOf.ts"
import { flatten, isJson, isUnbounded, type Json } from "./schema30.ts"

const isEmpty = (value: unknown): boolean => isJson(value) && Object.keys(value).length === 0

const shorten = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(shorten)
  if (!isJson(schema)) return schema
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(flatten(schema))) {
    if ((key === "minimum" || key === "maximum") && isUnbounded(value)) continue
    else if (key === "prefixItems") continue
    else if (key === "additionalProperties" && (value === true || isEmpty(value))) continue
    else if (key === "properties" && isJson(value))
      out[key] = Object.fromEntries(Object.entries(value).map(([name, property]) => [name, shorten(property)]))
    else if (key === "enum" || key === "required" || key === "examples" || key === "default" || key === "const")
      out[key] = value
    else out[key] = shorten(value)
  }
  return out
}

const objectOf = (schema: Json | boolean): Json => {
  if (typeof schema === "object") return schema
  return schema ? {} : { not: {} }
}

/** The JSON Schema (2020-12) of the encoded side, without what says nothing. `definitions` belong under `$defs`. */
export const jsonSchema = (schema: Schema.Constraint): { readonly schema: Json; readonly definitions: Json } => {
  const document = documentOf(schema)
  if (document.isDescribed) return { schema: objectOf(document.schema), definitions: document.definitions }
  return {
    schema: shorten(document.schema) as Json,
    definitions: Object.fromEntries(
      Object.entries(document.definitions).map(([name, definition]) => [name, shorten(definition)])
    )
  }
}
