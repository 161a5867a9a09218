import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { documentOf } from "../jsonSchema/documentOf.ts"

export type Json = { readonly [key: string]: unknown }

export const isJson = (value: unknown): value is Json => Predicate.isObject(value)

const isNull = (schema: unknown): boolean => isJson(schema) && schema.type === "null"

/** What says nothing to a reader: a bound of every safe integer, and the items that a tuple begins with. */
const saysNothing = (key: string, value: unknown): boolean =>
  key === "prefixItems" ||
  ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER)

/** Keywords whose values are not schemas. */
const data = new Set(["enum", "required", "examples", "default", "const"])

/** Converts the schemas in the value of a keyword. */
const within = (key: string, value: unknown, convert: (schema: unknown) => unknown): unknown => {
  if (data.has(key)) return value
  return key === "properties" && isJson(value)
    ? Object.fromEntries(Object.entries(value).map(([name, property]) => [name, convert(property)]))
    : convert(value)
}

/** Merges members of `allOf` that contradict no keyword into the schema itself. */
const flatten = (schema: Json): Json => {
  if (!Array.isArray(schema.allOf)) return schema
  const { allOf, ...own } = schema
  let merged: Json = own
  const unmerged: Array<unknown> = []
  for (const part of allOf) {
    const fits = isJson(part) && Object.entries(part).every(([key, value]) => !(key in merged) || merged[key] === value)
    if (fits) merged = { ...merged, ...part }
    else unmerged.push(part)
  }
  return unmerged.length === 0 ? merged : { ...merged, allOf: unmerged }
}

/** OpenAPI 3.0 allows `nullable` only beside a type. */
export const onlyNull = { type: "string", enum: [null], nullable: true }

const nullable = (schema: Json): Json => {
  if (!Array.isArray(schema.anyOf) || !schema.anyOf.some(isNull)) return schema
  const { anyOf, ...own } = schema
  const others = (anyOf as ReadonlyArray<unknown>).filter((member) => !isNull(member))
  const only = others[0]
  if (others.length !== 1 || !isJson(only) || !("type" in only)) return { ...own, anyOf: [...others, onlyNull] }
  const values = Array.isArray(only.enum) ? { enum: [...(only.enum as ReadonlyArray<unknown>), null] } : {}
  return { ...own, ...only, ...values, nullable: true }
}

/** Converts JSON Schema 2020-12 to the dialect of OpenAPI 3.0, which has no null type, const or tuples. */
export const schema30 = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(schema30)
  if (!isJson(schema)) return schema
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(flatten(nullable(flatten(schema))))) {
    if (saysNothing(key, value)) continue
    else if (key === "const") out.enum = [value]
    else if (key === "$ref") out.$ref = String(value).replace("#/$defs/", "#/components/schemas/")
    else if (key === "exclusiveMinimum" || key === "exclusiveMaximum") {
      out[key === "exclusiveMinimum" ? "minimum" : "maximum"] = value
      out[key] = true
    } else if (key === "additionalProperties" && isEmpty(value)) out[key] = true
    else out[key] = within(key, value, schema30)
  }
  return out
}

const isEmpty = (value: unknown): boolean => isJson(value) && Object.keys(value).length === 0

const shorten = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(shorten)
  if (!isJson(schema)) return schema
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(flatten(schema))) {
    if (saysNothing(key, value)) continue
    if (key === "additionalProperties" && (value === true || isEmpty(value))) continue
    out[key] = within(key, value, shorten)
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
