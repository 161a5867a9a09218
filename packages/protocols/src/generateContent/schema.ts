import { isMissing, type Json, list, Malformed, object } from "../json.ts"
import { camel } from "./names.ts"

const deepest = 100

const counts = new Set(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"])

const orNull = ({ anyOf, enum: values, type, ...rest }: Json): Json => ({
  ...rest,
  ...(typeof type === "string" ? { type: [type, "null"] } : {}),
  ...(Array.isArray(values) ? { enum: [...(values as ReadonlyArray<unknown>), null] } : {}),
  ...(Array.isArray(anyOf) ? { anyOf: [...(anyOf as ReadonlyArray<unknown>), { type: "null" }] } : {})
})

/** Google's own schemas write types in capitals, `nullable`, and counts as texts. */
export const readSchema = (given: unknown, at: string, depth = 0): Json => {
  if (depth > deepest) throw new Malformed(at, "a schema that is less deep")
  const within = (value: unknown, name: string): Json => readSchema(value, `${at}.${name}`, depth + 1)
  const { nullable, propertyOrdering: _, ...fields } = camel(object(given, at), at)
  const read = (name: string, value: unknown): unknown => {
    if (name === "type") return typeof value === "string" ? value.toLowerCase() : value
    if (name === "items") return within(value, name)
    if (name === "anyOf") return list(value, `${at}.${name}`).map((each) => within(each, name))
    if (name === "properties") {
      const properties = Object.entries(object(value, `${at}.${name}`))
      return Object.fromEntries(properties.map(([property, each]) => [property, within(each, property)]))
    }
    return counts.has(name) && typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value
  }
  const schema = Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      isMissing(value) || value === "TYPE_UNSPECIFIED" ? [] : [[name, read(name, value)]]
    )
  )
  return nullable === true ? orNull(schema) : schema
}
