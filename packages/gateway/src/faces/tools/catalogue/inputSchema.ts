import type { Bound } from "@tollgate/contract/Operation"
import { jsonSchema } from "@tollgate/contract/openapi/jsonSchema"
import * as Schema from "effect/Schema"
import { type Field, fieldsOf } from "./fields.ts"

type Json = Readonly<Record<string, unknown>>

/** Values of the address are text on the wire; a caller writes what they mean. */
const schemaOf = ({ part, schema }: Field): Schema.Constraint => (part === "body" ? schema : Schema.toType(schema))

const open = {
  body: "Fields that are not named here are sent in the body unchanged.",
  query: "Parameters that are not named here are sent in the query unchanged."
}

const places = { path: "path", query: "query", header: "headers", body: "body" }

const renamed = ({ isWhole, name, part, sentAs }: Field): string | undefined => {
  if (isWhole === true) return "The whole body."
  return name === sentAs ? undefined : `Sent as ${sentAs} in the ${places[part]}.`
}

const descriptionOf = (field: Field, own: unknown): string =>
  [own, field.description, renamed(field)].filter((text) => typeof text === "string").join(" ")

/** The JSON Schema (2020-12) of an operation's flat `arguments`. */
export const inputSchema = (operation: Bound): Json => {
  const { byName, others } = fieldsOf(operation)
  const definitions: Record<string, unknown> = {}
  const properties: Record<string, unknown> = {}
  const required: Array<string> = []
  for (const field of byName.values()) {
    const property = jsonSchema(schemaOf(field))
    Object.assign(definitions, property.definitions)
    const description = descriptionOf(field, property.schema.description)
    properties[field.name] = description === "" ? property.schema : { ...property.schema, description }
    if (field.required) required.push(field.name)
  }
  return {
    type: "object",
    ...(others === undefined ? {} : { description: open[others] }),
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: others === "query" ? { type: ["string", "number", "boolean"] } : others === "body",
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}
