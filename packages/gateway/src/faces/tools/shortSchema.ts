import * as Predicate from "effect/Predicate"

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value)

/** A description of this many characters is shown whole. */
const longestText = 200
/** How many characters the arguments may have together before the largest are shown in outline. */
const mostCharacters = 3_000

/** What a schema without names inside can say in short. */
const kept = ["type", "enum", "const", "format", "minimum", "maximum", "maxLength", "minItems", "maxItems", "default"]

const shortText = (text: string): string => (text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`)

/** The bounds of a JavaScript integer say nothing about a field. */
const isBound = (name: string, value: unknown): boolean =>
  (name === "minimum" && value === Number.MIN_SAFE_INTEGER) || (name === "maximum" && value === Number.MAX_SAFE_INTEGER)

const typeIn = (schema: Json, definitions: Json): unknown => {
  const { $ref } = schema
  const found = typeof $ref === "string" ? definitions[$ref.slice($ref.lastIndexOf("/") + 1)] : undefined
  return isJson(found) ? found["type"] : schema["type"]
}

const shortProperty = (schema: Json, definitions: Json): Json => {
  const { description } = schema
  const type = typeIn(schema, definitions)
  return {
    ...Object.fromEntries(
      Object.entries(schema).filter(([name, value]) => kept.includes(name) && !isBound(name, value))
    ),
    ...(type === undefined ? {} : { type }),
    ...(typeof description === "string" ? { description: shortText(description) } : {})
  }
}

/** The definitions that a schema names, and those that they name. */
const named = (value: unknown, definitions: Json, found = new Map<string, unknown>()): Map<string, unknown> => {
  if (Array.isArray(value)) for (const inner of value) named(inner, definitions, found)
  if (!isJson(value)) return found
  for (const [name, inner] of Object.entries(value)) {
    if (name !== "$ref" || typeof inner !== "string") {
      named(inner, definitions, found)
      continue
    }
    const of = inner.slice(inner.lastIndexOf("/") + 1)
    if (found.has(of) || !Object.hasOwn(definitions, of)) continue
    found.set(of, definitions[of])
    named(definitions[of], definitions, found)
  }
  return found
}

/** Without what says nothing. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!isJson(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => !isBound(name, inner))
      .map(([name, inner]) => [name, plain(inner)])
  )
}

const sizeOf = (schema: unknown, definitions: Json): number =>
  JSON.stringify(schema).length + JSON.stringify([...named(schema, definitions)]).length

/** The type alone, which is the least that can be said. */
const typeOnly = (schema: Json, definitions: Json): Json => {
  const type = typeIn(schema, definitions)
  return type === undefined ? {} : { type }
}

/**
 * An input schema with an outline of its largest arguments, and the names of those. Arguments in `whole` stay as they are.
 * If the outlines are too many, optional arguments have their type only.
 */
export const shortSchema = (
  { $defs, properties, ...rest }: Json,
  whole: ReadonlySet<string>
): { readonly schema: Json; readonly outlined: ReadonlyArray<string> } => {
  const definitions = isJson($defs) ? $defs : {}
  const required = new Set(Array.isArray(rest["required"]) ? rest["required"] : [])
  const shown = new Map(
    Object.entries(isJson(properties) ? properties : {}).map(([name, schema]) => [name, plain(schema)])
  )
  const outlined: Array<string> = []
  const sizes = [...shown].map(([name, schema]) => ({ name, size: sizeOf(schema, definitions) }))
  let size = sizes.reduce((sum, one) => sum + one.size, 0)
  const shorten = (name: string, of: (schema: Json, definitions: Json) => Json) => {
    const schema = shown.get(name)
    if (size <= mostCharacters || !isJson(schema) || whole.has(name)) return
    const short = of(schema, definitions)
    size -= sizeOf(schema, definitions) - sizeOf(short, definitions)
    shown.set(name, short)
    if (!outlined.includes(name)) outlined.push(name)
  }
  for (const { name } of sizes.toSorted((a, b) => b.size - a.size)) shorten(name, shortProperty)
  for (const { name } of sizes.toReversed()) if (!required.has(name)) shorten(name, typeOnly)
  const used = named(Object.fromEntries(shown), definitions)
  return {
    schema: {
      ...rest,
      properties: Object.fromEntries(shown),
      ...(used.size === 0 ? {} : { $defs: plain(Object.fromEntries(used)) })
    },
    outlined
  }
}
