import * as Predicate from "effect/Predicate"

// What a JSON schema asks of its values.

/** More are not made. */
export const mostValues = 500

export type Fields = { readonly [name: PropertyKey]: unknown }

export const own = (value: Fields, key: string): unknown => (Object.hasOwn(value, key) ? value[key] : undefined)

const scalars = (value: unknown): ReadonlyArray<unknown> =>
  (Array.isArray(value) ? value : []).filter((item) => !Predicate.isObjectOrArray(item))

export const finite = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined

export const size = (value: unknown, fallback: number, most: number): number =>
  Math.min(most, Math.max(0, Math.floor(finite(value) ?? fallback)))

/** Gemini writes types in upper case, and JSON Schema may list several. */
export const typeOf = (schema: Fields): string => {
  const type = own(schema, "type")
  const given = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string" && one !== "null")
  if (typeof given[0] === "string") return given[0].toLowerCase()
  return Predicate.isObject(own(schema, "properties")) ? "object" : type === "null" ? "null" : "string"
}

export const requiredOf = (schema: Fields): ReadonlyArray<string> => {
  const required = own(schema, "required")
  return (Array.isArray(required) ? required : []).filter((name) => typeof name === "string").slice(0, mostValues)
}

export const propertyOf = (schema: Fields, name: string): unknown => {
  const properties = own(schema, "properties")
  return Predicate.isObject(properties) ? own(properties, name) : undefined
}

export const constantsOf = (schema: Fields): ReadonlyArray<unknown> =>
  Object.hasOwn(schema, "const") ? scalars([schema["const"]]) : scalars(own(schema, "enum"))

export const optionsOf = (schema: Fields): ReadonlyArray<unknown> => {
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const options = own(schema, key)
    if (Array.isArray(options) && options.length > 0) return options
  }
  return []
}

/** `#/$defs/Node`, or `#` for the whole schema. */
export const referred = (root: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, key) => (Predicate.isObject(value) ? own(value, key) : undefined), root)

/** Whether a value of a part of this schema exists that is at most `levels` deep. A recursive schema has endless ones too. */
export const fitsWithin = (root: unknown) => {
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
