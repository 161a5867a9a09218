import { oncePer } from "@tollgate/contract/oncePer"
import { jsonSchema } from "@tollgate/contract/openapi/jsonSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type IntGenerator, pick, seededInts } from "../SeededRandom.ts"

// What a JSON schema asks of its values.

/** More are not made. */
const mostValues = 500

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

const requiredOf = (schema: Fields): ReadonlyArray<string> => {
  const required = own(schema, "required")
  return (Array.isArray(required) ? required : []).filter((name) => typeof name === "string").slice(0, mostValues)
}

const propertyOf = (schema: Fields, name: string): unknown => {
  const properties = own(schema, "properties")
  return Predicate.isObject(properties) ? own(properties, name) : undefined
}

const constantsOf = (schema: Fields): ReadonlyArray<unknown> =>
  Object.hasOwn(schema, "const") ? scalars([schema["const"]]) : scalars(own(schema, "enum"))

const optionsOf = (schema: Fields): ReadonlyArray<unknown> => {
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const options = own(schema, key)
    if (Array.isArray(options) && options.length > 0) return options
  }
  return []
}

/** `#/$defs/Node`, or `#` for the whole schema. */
const referred = (root: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, key) => (Predicate.isObject(value) ? own(value, key) : undefined), root)

/** Whether a value of a part of this schema exists that is at most `levels` deep. A recursive schema has endless ones too. */
const fitsWithin = (root: unknown) => {
  const known = new Map<object, Array<boolean>>()
  const decide = (schema: Fields, levels: number): boolean => {
    const ref = own(schema, "$ref")
    if (typeof ref === "string") return fits(referred(root, ref), levels - 1)
    if (constantsOf(schema).length > 0) return true
    const options = optionsOf(schema)
    if (options.length > 0) return options.some((option) => fits(option, levels - 1))
    switch (typeOf(schema)) {
      case "object":
        return requiredOf(schema).every((name) => fits(propertyOf(schema, name), levels - 1))
      case "array":
        return size(own(schema, "minItems"), 0, 16) === 0 || fits(own(schema, "items"), levels - 1)
      default:
        return true
    }
  }
  const fits = (schema: unknown, levels: number): boolean => {
    if (levels < 0) return false
    if (!Predicate.isObject(schema)) return true
    const decided = known.get(schema) ?? []
    known.set(schema, decided)
    return (decided[levels] ??= decide(schema, levels))
  }
  return fits
}

// A schema may refer to itself or ask for a huge value. From `manyValues` on the smallest value that fits is chosen.
const maxDepth = 14
const manyValues = 60

const words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven"] as const

const formats: Readonly<Record<string, string>> = {
  date: "2026-01-15",
  "date-time": "2026-01-15T12:00:00Z",
  time: "12:00:00Z",
  email: "someone@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000"
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

/** Invents a value for a JSON schema; recursion ends where it may. `namesOf`: the properties an object gets. */
export const invent = (root: unknown, nextInt: IntGenerator, namesOf = requiredOf): unknown => {
  const fits = fitsWithin(root)
  let values = 0

  /** The first option whose value can be finished, or the one that is finished soonest. */
  const chosen = (options: ReadonlyArray<unknown>, left: number): unknown => {
    for (let levels = values > manyValues ? 0 : left; levels <= left; levels++) {
      const found = options.findIndex((option) => fits(option, levels))
      if (found >= 0) return options[found]
    }
    return options[0]
  }

  const make = (schema: unknown, depth: number): unknown => {
    if (depth > maxDepth || ++values > mostValues) return null
    if (!Predicate.isObject(schema)) return pick(nextInt, words)
    const ref = own(schema, "$ref")
    if (typeof ref === "string") return make(referred(root, ref), depth + 1)
    const [choice, ...choices] = constantsOf(schema)
    if (choice !== undefined) return pick(nextInt, [choice, ...choices])
    const options = optionsOf(schema)
    if (options.length > 0) return make(chosen(options, maxDepth - depth - 1), depth + 1)
    switch (typeOf(schema)) {
      case "object":
        return Object.fromEntries(namesOf(schema).map((name) => [name, make(propertyOf(schema, name), depth + 1)]))
      case "array": {
        const items = own(schema, "items")
        const ends = values <= manyValues && fits(items, maxDepth - depth - 1)
        const length = Math.max(ends ? 1 : 0, size(own(schema, "minItems"), ends ? 1 : 0, 16))
        return Array.from({ length: size(own(schema, "maxItems"), length, length) }, () => make(items, depth + 1))
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

const schemaOf = oncePer((schema: Schema.Constraint) => jsonSchema(schema).schema)

/** Invents all that a schema describes. */
export const inventWhole = <A>(schema: Schema.Codec<A, unknown>, seed: string): A => {
  const made = invent(schemaOf(schema), seededInts(seed), ({ properties }) => Object.keys(properties ?? {}))
  return Schema.decodeUnknownSync(schema)(made)
}

export const inventArguments = (schema: unknown, nextInt: IntGenerator): Readonly<Record<string, unknown>> => {
  const made = invent(schema, nextInt)
  return Predicate.isObject(made) ? made : {}
}
