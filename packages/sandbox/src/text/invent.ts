import * as Predicate from "effect/Predicate"
import { type IntGenerator, pick } from "./hash.ts"

// A schema may refer to itself or ask for a huge value.
const maxDepth = 8
const mostValues = 500

const words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven"] as const

const formats: Readonly<Record<string, string>> = {
  date: "2026-01-15",
  "date-time": "2026-01-15T12:00:00Z",
  time: "12:00:00Z",
  email: "someone@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000"
}

type Fields = { readonly [name: PropertyKey]: unknown }

const own = (value: Fields, key: string): unknown => (Object.hasOwn(value, key) ? value[key] : undefined)

const scalars = (value: unknown): ReadonlyArray<unknown> =>
  (Array.isArray(value) ? value : []).filter((item) => !Predicate.isObjectOrArray(item))

const finite = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined

const size = (value: unknown, fallback: number, most: number): number =>
  Math.min(most, Math.max(0, Math.floor(finite(value) ?? fallback)))

/** Gemini writes types in upper case, and JSON Schema may list several. */
const typeOf = (schema: Fields): string => {
  const type = own(schema, "type")
  const given = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string" && one !== "null")
  if (typeof given[0] === "string") return given[0].toLowerCase()
  return Predicate.isObject(own(schema, "properties")) ? "object" : type === "null" ? "null" : "string"
}

const string = (schema: Fields, nextInt: IntGenerator): string => {
  const format = own(schema, "format")
  if (typeof format === "string" && Object.hasOwn(formats, format)) return formats[format] ?? ""
  const text = pick(nextInt, words)
  return text
    .repeat(Math.ceil(size(own(schema, "minLength"), 1, 256) / text.length) || 1)
    .slice(0, size(own(schema, "maxLength"), 256, 256))
}

const number = (schema: Fields, nextInt: IntGenerator): number => {
  const below = finite(own(schema, "exclusiveMaximum"))
  const most = finite(own(schema, "maximum")) ?? (below === undefined ? Infinity : Math.ceil(below) - 1)
  const above = finite(own(schema, "exclusiveMinimum"))
  const least = finite(own(schema, "minimum")) ?? (above === undefined ? Math.min(1, most) : Math.floor(above) + 1)
  return Math.min(most, least + nextInt(9))
}

/** Invents a value for a JSON schema. It respects types, enums, required properties and sizes. */
export const invent = (root: unknown, nextInt: IntGenerator): unknown => {
  let values = 0

  const refer = (pointer: string): unknown =>
    pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((value, key) => (Predicate.isObject(value) ? own(value, key) : undefined), root)

  const make = (schema: unknown, depth: number): unknown => {
    if (depth > maxDepth || ++values > mostValues) return null
    if (!Predicate.isObject(schema)) return pick(nextInt, words)
    const ref = own(schema, "$ref")
    if (typeof ref === "string") return make(refer(ref), depth + 1)
    const [choice, ...choices] = Object.hasOwn(schema, "const")
      ? scalars([schema["const"]])
      : scalars(own(schema, "enum"))
    if (choice !== undefined) return pick(nextInt, [choice, ...choices])
    for (const key of ["anyOf", "oneOf", "allOf"]) {
      const options = own(schema, key)
      if (Array.isArray(options) && options.length > 0) return make(options[0], depth + 1)
    }
    switch (typeOf(schema)) {
      case "object": {
        const properties = own(schema, "properties")
        const required = own(schema, "required")
        const names = (Array.isArray(required) ? required : []).filter((name) => typeof name === "string")
        return Object.fromEntries(
          names
            .slice(0, mostValues)
            .map((name) => [name, make(Predicate.isObject(properties) ? own(properties, name) : undefined, depth + 1)])
        )
      }
      case "array": {
        const length = Math.max(1, size(own(schema, "minItems"), 1, 16))
        return Array.from({ length: size(own(schema, "maxItems"), length, length) }, () =>
          make(own(schema, "items"), depth + 1)
        )
      }
      case "integer":
        return Math.ceil(number(schema, nextInt))
      case "number":
        return number(schema, nextInt)
      case "boolean":
        return nextInt(2) === 0
      case "null":
        return null
      default:
        return string(schema, nextInt)
    }
  }

  return make(root, 0)
}

/** Invents the arguments of a tool call, which are always an object. */
export const inventArguments = (schema: unknown, nextInt: IntGenerator): Readonly<Record<string, unknown>> => {
  const made = invent(schema, nextInt)
  return Predicate.isObject(made) ? made : {}
}
