import * as Predicate from "effect/Predicate"
import { kindOf } from "@tollgate/contract/jsonSchema/subschemas"

/** An object of a document that somebody else wrote. */
export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields | undefined => (Predicate.isObject(value) ? value : undefined)

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

/** Keywords that define or describe something beside the value. They are not carried. */
const left = new Set(["$defs", "definitions", "contentSchema", "additionalItems"])

/** Whether the value of a keyword is a schema, a list of schemas or schemas by name. */
export const subschemasOf = (keyword: string) => (left.has(keyword) ? undefined : kindOf(keyword))

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
