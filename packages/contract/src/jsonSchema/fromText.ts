import { attempt } from "../attempt.ts"
import * as Schema from "effect/Schema"
import * as Transformation from "effect/SchemaTransformation"
import { bounds } from "./check/SchemaNode.ts"
import { fromJsonSchema } from "./fromJsonSchema.ts"
import { followed, isJsonSchema, type JsonSchemaDocument } from "./JsonSchemaDocument.ts"
import { propertiesOf, typesOf } from "./properties.ts"

const isNumber = /^-?\d{1,15}(?:\.\d{1,15})?$/

/** A program cannot hold it exactly, so it stays text. */
const isLongInteger = (value: unknown): boolean => typeof value === "string" && /^-?\d{16,40}$/.test(value)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const itemsOf = (document: JsonSchemaDocument): JsonSchemaDocument => {
  const schema = followed(document)
  const items = typeof schema === "object" ? schema["items"] : undefined
  return { ...document, schema: isJsonSchema(items) || typeof items === "boolean" ? items : true }
}

/** How many levels a value counts that is not of a type that its schema names: it is written and read again. */
const levelsOfOther = 64

/** `undefined`: it is too deep. */
const written = (value: object): string | undefined => attempt(() => JSON.stringify(value))

/** Reads the texts within a list or an object. What is deeper than a check goes stays as it is. */
const readWithin = (document: JsonSchemaDocument, value: object, level: number): unknown => {
  const types = typesOf(document)
  if (Array.isArray(value) && types?.has("array") === true) return readItems(document, value, level)
  if (!Array.isArray(value) && types?.has("object") === true) return fieldReader(document, level)(value)
  const text = written(value)
  return text === undefined ? value : reader(document, level + levelsOfOther)(text)
}

/** A reader is made for a field when it is there, because a schema may contain itself. */
const fieldReader = (document: JsonSchemaDocument, level: number): ((value: unknown) => unknown) => {
  let named: ReadonlyMap<string, JsonSchemaDocument> | undefined
  const read = (name: string, value: unknown): unknown => {
    named ??= new Map(propertiesOf(document)?.named.map((property) => [property.name, property.document]))
    const own = named.get(name)
    if (own === undefined || value === null || level >= bounds.levels) return value
    if (typeof value === "string") return reader(own, level + 1)(value)
    return typeof value === "object" ? readWithin(own, value, level + 1) : value
  }
  return (value) =>
    isJsonSchema(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, read(name, inner)]))
      : value
}

const readItems = (
  document: JsonSchemaDocument,
  list: ReadonlyArray<unknown>,
  level: number
): ReadonlyArray<unknown> => {
  const readItem = reader(itemsOf(document), level, true)
  return list.map((item) => (typeof item === "string" ? readItem(item) : item))
}

/** A list in a list is written as JSON, and a schema may contain itself. */
const reader = (document: JsonSchemaDocument, level = 0, isItem = false): ((text: string) => unknown) => {
  const types = typesOf(document)
  if (types === undefined) return (text) => text
  const has = (type: string) => types.has(type)
  const readFields = has("object") ? fieldReader(document, level) : undefined
  return (text) => {
    if ((has("integer") || has("number")) && isNumber.test(text)) return Number(text)
    if (has("boolean") && (text === "true" || text === "false")) return text === "true"
    if (has("array") && !isItem) {
      const list = text.startsWith("[") ? parsed(text) : text.split(",")
      return Array.isArray(list) ? readItems(document, list, level) : list
    }
    if (readFields !== undefined && text.startsWith("{")) return readFields(parsed(text))
    return has("array") && text.startsWith("[") ? parsed(text) : text
  }
}

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  if (Array.isArray(value) && value.length > 0 && value.every(isScalar)) {
    const texts = value.map(String)
    if (texts.every((text) => !text.includes(",") && !text.startsWith("["))) return texts.join(",")
  }
  return isScalar(value) ? String(value) : JSON.stringify(value)
}

/** Text in an address or a header, and for programs a value of a JSON Schema. A list has commas, or is JSON. */
export const fromText = (document: JsonSchemaDocument): Schema.Codec<unknown, string> => {
  let read: ((text: string) => unknown) | undefined
  let isInteger: boolean | undefined
  const passes = (value: unknown) => isLongInteger(value) && (isInteger ??= typesOf(document)?.has("integer") ?? false)
  return Schema.String.pipe(
    Schema.decodeTo(
      fromJsonSchema(document, passes),
      Transformation.transform({ decode: (text) => (read ??= reader(document))(text), encode: textOf })
    )
  )
}
