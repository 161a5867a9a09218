import { type Event, list, object } from "../events/Event.ts"
import * as Predicate from "effect/Predicate"

/** What a protocol accepts of JSON Schema for an answer. */
export interface Dialect {
  /** Constraints. Others are told to the model in the description. */
  readonly keywords: ReadonlySet<string>
  /** `closed`: every object lists all its properties. */
  readonly objects: "closed" | "open"
  /** `all`: a property that may be missing is sent as one that may be null. */
  readonly required: "all" | "as given"
}

const structure = new Set("$ref type description enum items anyOf properties required $defs definitions".split(" "))

/** Not constraints: nothing is lost without them. */
const annotations = new Set("$schema $id $comment title default examples readOnly writeOnly deprecated".split(" "))

/** These change what an object or list is, so a description cannot replace them. */
const shapes = new Set(
  "allOf not if then else patternProperties propertyNames prefixItems contains dependentSchemas unevaluatedProperties".split(
    " "
  )
)

const isShape = (schema: Event): boolean =>
  Object.keys(schema).some((key) => shapes.has(key) || key === "properties" || key === "$ref" || key === "anyOf")

const mapValues = (record: unknown, f: (value: unknown) => unknown): Event =>
  Object.fromEntries(Object.entries(object(record)).map(([key, value]) => [key, f(value)]))

/** Moves constraints in `allOf` to the schema itself, `const` to `enum` and `oneOf` to `anyOf`. */
const plainForm = (schema: Event): Event => {
  const { allOf, const: only, oneOf, ...rest } = schema
  const checks = list(allOf)
  const isOfChecks = !checks.some(isShape)
  const said = isOfChecks ? [schema, ...checks].flatMap(({ description }) => description ?? []) : []
  return {
    ...(isOfChecks ? Object.assign({}, ...checks) : allOf === undefined ? {} : { allOf }),
    ...rest,
    ...(said.length === 0 ? {} : { description: said.join("; ") }),
    ...("const" in schema ? { enum: [only] } : {}),
    ...(oneOf === undefined ? {} : { anyOf: oneOf })
  }
}

const isNullable = (schema: unknown): boolean => {
  const { anyOf, type } = object(schema)
  return type === "null" || (Array.isArray(type) && type.includes("null")) || list(anyOf).some(isNullable)
}

/** Follows a reference within the document. */
export const resolve = (root: Event, schema: unknown): Event => {
  const { $ref } = object(schema)
  if (typeof $ref !== "string" || !$ref.startsWith("#")) return object(schema)
  const unescaped = (key: string) => key.replaceAll("~1", "/").replaceAll("~0", "~")
  return $ref
    .split("/")
    .slice(1)
    .reduce<Event>((value, key) => object(value[unescaped(key)]), root)
}

/**
 * Writes a schema in a protocol's dialect. `isExact` is false if the dialect cannot say what the schema means, such as an
 * object with any keys.
 */
export const inDialect = (
  root: Event,
  { keywords, objects, required }: Dialect
): { readonly schema: Event; readonly isExact: boolean } => {
  let isExact = true

  const propertiesOf = ({ additionalProperties, properties, required: named }: Event): Event => {
    const isOpen = Predicate.isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
    if (objects === "open") {
      return additionalProperties === undefined || !isOpen
        ? { properties: mapValues(properties, convert) }
        : { properties: mapValues(properties, convert), additionalProperties: convert(additionalProperties) }
    }
    isExact &&= !isOpen && (properties !== undefined || additionalProperties === false)
    const names = Object.keys(object(properties))
    const given = new Set(Array.isArray(named) ? named : [])
    const optional = (name: string, schema: unknown) =>
      required === "as given" || given.has(name) || isNullable(schema)
        ? convert(schema)
        : { anyOf: [convert(schema), { type: "null" }] }
    return {
      properties: Object.fromEntries(
        Object.entries(object(properties)).map(([name, schema]) => [name, optional(name, schema)])
      ),
      required: required === "all" ? names : names.filter((name) => given.has(name)),
      additionalProperties: false
    }
  }

  const convert = (value: unknown): Event => {
    const schema = plainForm(object(value))
    const out: Record<string, unknown> = {}
    const told: Array<string> = []
    for (const [key, inner] of Object.entries(schema)) {
      if (key === "items") out[key] = convert(inner)
      else if (key === "anyOf" || (key === "prefixItems" && keywords.has(key))) out[key] = list(inner).map(convert)
      else if (key === "$defs" || key === "definitions") out[key] = mapValues(inner, convert)
      else if (structure.has(key) || keywords.has(key)) out[key] = inner
      else if (shapes.has(key)) isExact = false
      else if (key !== "additionalProperties" && !annotations.has(key) && !isSafeLimit(inner))
        told.push(`${key}: ${JSON.stringify(inner)}`)
    }
    if (told.length > 0) out["description"] = [schema["description"], told.join(", ")].filter(Boolean).join("; ")
    const isKnown = ["type", "enum", "anyOf", "$ref", "properties"].some((key) => key in schema)
    isExact &&= isKnown
    return schema["type"] === "object" || "properties" in schema ? { ...out, ...propertiesOf(schema) } : out
  }

  return { schema: convert(root), isExact }
}

/** Libraries write the range of safe integers, which says nothing to a model. */
const isSafeLimit = (value: unknown): boolean =>
  typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER
