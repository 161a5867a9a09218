import { isObject } from "../json.ts"

export type JsonSchema = Readonly<Record<string, unknown>>

/** The control that a value gets. What no control fits is edited as JSON. */
export type Shape =
  | { readonly kind: "choice"; readonly values: ReadonlyArray<string | number> }
  | { readonly kind: "text" }
  | { readonly kind: "number"; readonly whole: boolean }
  | { readonly kind: "yes-no" }
  | { readonly kind: "list"; readonly item: "text" | "number" | "whole" }
  | { readonly kind: "group"; readonly fields: ReadonlyArray<NamedField> }
  | { readonly kind: "file" }
  | { readonly kind: "json" }

export interface NamedField {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
}

const json: Shape = { kind: "json" }
const deepest = 3

const isChoice = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number"

const schemaOf = (value: unknown): JsonSchema => (isObject(value) ? value : {})

export const fieldsOf = (schema: JsonSchema): ReadonlyArray<NamedField> => {
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  return Object.entries(schemaOf(schema["properties"])).map(([name, inner]) => ({
    name,
    schema: schemaOf(inner),
    required: required.includes(name)
  }))
}

const listOf = (items: JsonSchema): Shape => {
  if (items["enum"] !== undefined) return json
  if (items["type"] === "string") return { kind: "list", item: "text" }
  if (items["type"] === "number") return { kind: "list", item: "number" }
  return items["type"] === "integer" ? { kind: "list", item: "whole" } : json
}

/** The control for a schema of JSON Schema 2020-12. */
export const shapeOf = (schema: JsonSchema, depth = 0): Shape => {
  const { enum: values, type } = schema
  if (Array.isArray(values)) return values.every(isChoice) ? { kind: "choice", values } : json
  if (["anyOf", "oneOf", "allOf", "$ref", "const"].some((keyword) => keyword in schema)) return json
  switch (type) {
    case "string":
      return { kind: "text" }
    case "number":
      return { kind: "number", whole: false }
    case "integer":
      return { kind: "number", whole: true }
    case "boolean":
      return { kind: "yes-no" }
    case "array":
      return listOf(schemaOf(schema["items"]))
    case "object": {
      if (schema["format"] === "binary") return { kind: "file" }
      const fields = fieldsOf(schema)
      return fields.length > 0 && depth < deepest ? { kind: "group", fields } : json
    }
    default:
      return json
  }
}

/** A schema for an argument that the operation does not name, from its value. */
export const schemaOfValue = (value: unknown): JsonSchema => {
  if (typeof value === "string") return { type: "string" }
  if (typeof value === "number") return { type: "number" }
  if (typeof value === "boolean") return { type: "boolean" }
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string")) {
    return { type: "array", items: { type: "string" } }
  }
  return {}
}
