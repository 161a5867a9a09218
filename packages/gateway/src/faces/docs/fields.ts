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

const record = (value: unknown): Json => (Predicate.isObject(value) ? (value as Json) : {})
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Follows a reference, and leaves out that the value may be null. */
const plain = (schema: Json, definitions: Json): { readonly schema: Json; readonly isNullable: boolean } => {
  const reference = schema.$ref
  if (typeof reference === "string") return plain(record(definitions[reference.replace(/^.*\//, "")]), definitions)
  const kinds = list(schema.anyOf).map(record)
  const [only, ...others] = kinds.filter(({ type }) => type !== "null")
  if (only === undefined || others.length > 0) return { schema, isNullable: false }
  return { schema: plain(only, definitions).schema, isNullable: kinds.length > 1 }
}

const typeOf = (schema: Json, definitions: Json): string => {
  if (schema.type === "array") {
    const { schema: items } = plain(record(schema.items), definitions)
    return `array of ${typeOf(items, definitions)}`
  }
  if (typeof schema.type === "string") return schema.type
  return list(schema.anyOf).length > 0
    ? list(schema.anyOf)
        .map((one) => typeOf(plain(record(one), definitions).schema, definitions))
        .join(" or ")
    : "any"
}

const noteOf = (schema: Json, isNullable: boolean): string => {
  const { description, format, minimum, minItems, title } = schema
  const values = list(schema.enum)
  return [
    ...(typeof description === "string" ? [description] : []),
    ...(typeof title === "string" ? [title] : []),
    ...(values.length === 0 ? [] : [values.map((value) => JSON.stringify(value)).join(", ")]),
    ...(typeof format === "string" && format !== "int64" ? [format] : []),
    ...(typeof minimum === "number" ? [`${minimum} or more`] : []),
    ...(typeof minItems === "number" ? [`at least ${minItems}`] : []),
    ...(isNullable ? ["may be null"] : [])
  ].reduce((text, part) => (text === "" ? part : `${text}${/[.!?:]$/.test(text) ? " " : "; "}${part}`), "")
}

const inside = (schema: Json, definitions: Json, name: string, depth: number): ReadonlyArray<Field> => {
  if (depth > deepest) return []
  if (schema.type === "array") {
    const { schema: items } = plain(record(schema.items), definitions)
    return inside(items, definitions, `${name}[]`, depth)
  }
  const required = new Set(list(schema.required))
  return Object.entries(record(schema.properties)).flatMap(([key, value]) => {
    const { isNullable, schema: own } = plain(record(value), definitions)
    const full = name === "" ? key : `${name}.${key}`
    const field = {
      name: full,
      type: typeOf(own, definitions),
      required: required.has(key),
      note: noteOf(own, isNullable)
    }
    return [field, ...inside(own, definitions, full, depth + 1)]
  })
}

/** The fields of a schema as they are on the wire, and of the objects inside. */
export const fieldsIn = (schema: Schema.Constraint): ReadonlyArray<Field> => {
  const { definitions, schema: top } = jsonSchema(schema)
  return inside(plain(top, definitions).schema, definitions, "", 0)
}
