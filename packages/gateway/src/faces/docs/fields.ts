import { jsonSchema } from "@tollgate/contract/openapi/jsonSchema"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"

/** One field of a request or an answer. */
export interface Field {
  /** With the names of the objects around it: `output.task_id`, `results[].index`. */
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly note: string
}

type Json = Readonly<Record<string, unknown>>

const deepest = 4
/** A document from elsewhere may have any number of them, and multiply them by references. */
const mostFields = 500
const mostTypes = 8
const mostValues = 50

const record = (value: unknown): Json => (Predicate.isObject(value) ? (value as Json) : {})
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const longestChain = 32

/** Follows a reference, and leaves out that the value may be null. */
const plain = (
  schema: Json,
  definitions: Json,
  left = longestChain
): { readonly schema: Json; readonly isNullable: boolean } => {
  if (left === 0) return { schema: {}, isNullable: false }
  const reference = schema.$ref
  if (typeof reference === "string")
    return plain(record(definitions[reference.replace(/^.*\//, "")]), definitions, left - 1)
  const kinds = list(schema.anyOf).map(record)
  const [only, ...others] = kinds.filter(({ type }) => type !== "null")
  if (only === undefined || others.length > 0) return { schema, isNullable: false }
  return { schema: plain(only, definitions, left - 1).schema, isNullable: kinds.length > 1 }
}

const typeOf = (schema: Json, definitions: Json, depth = 0): string => {
  if (depth > deepest) return "any"
  if (schema.type === "array") {
    const { schema: items } = plain(record(schema.items), definitions)
    return `array of ${typeOf(items, definitions, depth + 1)}`
  }
  if (typeof schema.type === "string") return schema.type
  const kinds = list(schema.anyOf)
  if (kinds.length === 0) return "any"
  const shown = kinds
    .slice(0, mostTypes)
    .map((one) => typeOf(plain(record(one), definitions).schema, definitions, depth + 1))
  return [...new Set(shown), ...(kinds.length > mostTypes ? ["others"] : [])].join(" or ")
}

const valuesOf = (values: ReadonlyArray<unknown>): string => {
  const shown = values.slice(0, mostValues).map((value) => JSON.stringify(value))
  return [...shown, ...(values.length > mostValues ? [`and ${values.length - mostValues} more`] : [])].join(", ")
}

const noteOf = (schema: Json, isNullable: boolean): string => {
  const { description, format, minimum, minItems, title } = schema
  const values = list(schema.enum)
  return [
    ...(typeof description === "string" ? [description] : []),
    ...(typeof title === "string" ? [title] : []),
    ...(values.length === 0 ? [] : [valuesOf(values)]),
    ...(typeof format === "string" && format !== "int64" ? [format] : []),
    ...(typeof minimum === "number" ? [`${minimum} or more`] : []),
    ...(typeof minItems === "number" ? [`at least ${minItems}`] : []),
    ...(isNullable ? ["may be null"] : [])
  ].reduce((text, part) => (text === "" ? part : `${text}${/[.!?:]$/.test(text) ? " " : "; "}${part}`), "")
}

const inside = (
  schema: Json,
  definitions: Json,
  name: string,
  depth: number,
  left: { fields: number }
): Array<Field> => {
  if (depth > deepest) return []
  if (schema.type === "array") {
    const { schema: items } = plain(record(schema.items), definitions)
    return inside(items, definitions, `${name}[]`, depth + (items.type === "array" ? 1 : 0), left)
  }
  const required = new Set(list(schema.required))
  const found: Array<Field> = []
  for (const [key, value] of Object.entries(record(schema.properties))) {
    if (--left.fields < 0) break
    const { isNullable, schema: own } = plain(record(value), definitions)
    const full = name === "" ? key : `${name}.${key}`
    found.push({
      name: full,
      type: typeOf(own, definitions),
      required: required.has(key),
      note: noteOf(own, isNullable)
    })
    for (const field of inside(own, definitions, full, depth + 1, left)) found.push(field)
  }
  return found
}

/** The fields of a schema as they are on the wire, and of the objects inside. */
export const fieldsIn = (schema: Schema.Constraint): ReadonlyArray<Field> => {
  const { definitions, schema: top } = jsonSchema(schema)
  return inside(plain(top, definitions).schema, definitions, "", 0, { fields: mostFields })
}
