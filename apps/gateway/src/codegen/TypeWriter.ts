import {
  comment,
  fieldName,
  quoted,
  type Field,
  fieldsOf,
  hasFields,
  isJson,
  type Json,
  list,
  object,
  text
} from "./text.ts"

const unknown = "unknown"

/** How a type is written: `open` answers can be read beyond their named fields, inputs cannot be misspelt. */
export interface Place {
  readonly indent: string
  readonly open: boolean
  readonly depth: number
  /** The component that is being written, where a reference to itself would be circular. */
  readonly alias?: string | undefined
  /** Whether the compiler has to look into lists here. */
  readonly intersected?: boolean
}

const deepest = 32
const mostNodes = 20_000
const mostValues = 1_000
const width = 100

const inner = ({ depth, indent, open }: Place): Place => ({ indent: `${indent}  `, open, depth: depth + 1 })

const literal = (value: unknown): string => {
  if (typeof value === "string") return quoted(value)
  if (value === null || typeof value === "boolean") return String(value)
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? String(value) : "number"
  return unknown
}

const simple: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null"
}

/** Writes JSON Schemas as types. What a type cannot say is left out: the gateway checks it. */
export class TypeWriter {
  #nodes = 0
  /** Types that need parentheses beside others, by what they consist of. */
  readonly #compound = new Map<string, { readonly by: "|" | "&"; readonly parts: ReadonlyArray<string> }>()

  readonly #nameOf: (reference: string) => string | undefined
  readonly #isCircular: (reference: string, alias: string) => boolean

  /** `nameOf` is the type that a reference means; `isCircular`, whether it would make an alias of itself. */
  constructor(
    nameOf: (reference: string) => string | undefined,
    isCircular: (reference: string, alias: string) => boolean
  ) {
    this.#nameOf = nameOf
    this.#isCircular = isCircular
  }

  /** Each operation has its own bound, so that a large one does not shorten the others. */
  begin(): this {
    this.#nodes = 0
    return this
  }

  declaration(name: string, schema: unknown, place: Pick<Place, "alias" | "open">): string {
    const written = this.begin().type(schema, { indent: "", depth: 0, ...place })
    return isInterface(schema) ? `export interface ${name} ${written}\n` : `export type ${name} = ${written}\n`
  }

  type(schema: unknown, place: Place): string {
    if (schema === false) return "never"
    if (!isJson(schema) || place.depth > deepest || ++this.#nodes > mostNodes) return unknown
    const intersected = place.intersected === true || isIntersection(schema)
    return this.#parts(schema, { ...place, intersected })
  }

  #parts(schema: Json, place: Place): string {
    const parts = [
      ...this.#reference(schema, place),
      ...this.#values(schema, place),
      ...this.#alternatives(schema, place),
      ...list(schema["allOf"]).map((part) => this.type(part, { ...place, depth: place.depth + 1 }))
    ].filter((type) => type !== unknown)
    const type = parts.length === 0 ? unknown : this.#joined(parts, "&", place.indent)
    return schema["nullable"] === true && type !== unknown && type !== "null"
      ? this.#joined([type, "null"], "|", place.indent)
      : type
  }

  /** The fields of an object, one on each line. */
  fields(fields: ReadonlyArray<Field>, place: Place): string {
    return fields
      .map(({ description, name, required, schema }) => {
        const written = this.type(schema, inner(place))
        const mark = required ? "" : "?"
        return `${comment([description], place.indent)}${place.indent}readonly ${fieldName(name)}${mark}: ${written}\n`
      })
      .join("")
  }

  #enclosed(type: string): string {
    return this.#compound.has(type) ? `(${type})` : type
  }

  #partsOf(type: string, by: "|" | "&"): ReadonlyArray<string> {
    const compound = this.#compound.get(type)
    return compound?.by === by ? compound.parts : [type]
  }

  /** Parts of a union or an intersection, each once. */
  #joined(types: ReadonlyArray<string>, by: "|" | "&", indent: string): string {
    const parts = [...new Set(types.flatMap((type) => this.#partsOf(type, by)))]
    if (parts.length < 2) return parts[0] ?? unknown
    const written = parts.map((type) => this.#enclosed(type))
    const line = written.join(` ${by} `)
    const joined =
      line.length <= width || line.includes("\n") ? line : written.map((type) => `\n${indent}  ${by} ${type}`).join("")
    this.#compound.set(joined, { by, parts })
    return joined
  }

  #reference(schema: Json, { alias }: Place): ReadonlyArray<string> {
    const reference = text(schema["$ref"])
    if (reference === undefined) return []
    const name = this.#nameOf(reference)
    return name === undefined || (alias !== undefined && this.#isCircular(reference, alias)) ? [] : [name]
  }

  #alternatives(schema: Json, place: Place): ReadonlyArray<string> {
    return [schema["anyOf"], schema["oneOf"]].filter(Array.isArray).map((members: ReadonlyArray<unknown>) => {
      const types = members.map((member) => this.type(member, { ...place, depth: place.depth + 1 }))
      return types.length === 0 || types.includes(unknown) ? unknown : this.#joined(types, "|", place.indent)
    })
  }

  #values(schema: Json, place: Place): ReadonlyArray<string> {
    if ("const" in schema) return [literal(schema["const"])]
    const values = schema["enum"]
    if (Array.isArray(values) && values.length <= mostValues) {
      const types = values.map(literal)
      return [types.length === 0 ? "never" : types.includes(unknown) ? unknown : this.#joined(types, "|", place.indent)]
    }
    const given = schema["type"]
    const types = Array.isArray(given) ? given : given === undefined ? this.#impliedType(schema) : [given]
    if (types.length === 0) return []
    const written = types.map((type) => this.#typed(String(type), schema, place))
    return [written.includes(unknown) ? unknown : this.#joined(written, "|", place.indent)]
  }

  #impliedType(schema: Json): ReadonlyArray<string> {
    if (hasFields(schema) || isJson(schema["additionalProperties"])) return ["object"]
    return schema["items"] === undefined && schema["prefixItems"] === undefined ? [] : ["array"]
  }

  #typed(type: string, schema: Json, place: Place): string {
    if (type === "array") return this.#array(schema, place)
    if (type === "object") return this.#object(schema, place)
    if (type === "string" && schema["format"] === "binary" && !place.open) return "FileInput"
    return Object.hasOwn(simple, type) ? (simple[type] ?? unknown) : unknown
  }

  #array(schema: Json, place: Place): string {
    const alias = place.intersected === true ? place.alias : undefined
    const within = { ...place, alias, depth: place.depth + 1 }
    const first = list(schema["prefixItems"])
    if (first.length === 0 || first.length > 20) return `ReadonlyArray<${this.type(schema["items"], within)}>`
    // Without `minItems` an array may be shorter than its first items.
    const fewest = typeof schema["minItems"] === "number" ? schema["minItems"] : 0
    const items = first.map((item, i) => {
      const written = this.type(item, within)
      return i < fewest ? written : `${this.#enclosed(written)}?`
    })
    const rest = schema["items"] === false ? [] : [`...ReadonlyArray<${this.type(schema["items"], within)}>`]
    return `readonly [${[...items, ...rest].join(", ")}]`
  }

  #object(schema: Json, place: Place): string {
    const within = inner(place)
    const others = schema["additionalProperties"]
    if (!hasFields(schema)) {
      if (others === false && schema["patternProperties"] === undefined) return "{}"
      const values = isJson(others) ? this.type(others, within) : unknown
      return `{ readonly [name: string]: ${values} }`
    }
    const rest = this.#isOpen(schema, place) ? `${within.indent}readonly [name: string]: unknown\n` : ""
    return `{\n${this.fields(fieldsOf(schema), within)}${rest}${place.indent}}`
  }

  #isOpen(schema: Json, { open }: Place): boolean {
    const others = schema["additionalProperties"]
    return isJson(others) || schema["patternProperties"] !== undefined || (open && others === true)
  }
}

/** Whether a type has to be several things at once. */
export const isIntersection = (schema: Json): boolean => {
  const { $ref, allOf, anyOf, const: value, enum: values, oneOf, properties, type } = schema
  const own = [type, values, value, properties].some((part) => part !== undefined)
  const parts = [$ref, anyOf, oneOf].filter((part) => part !== undefined).length + list(allOf).length
  return parts + (own ? 1 : 0) > 1
}

const isInterface = (schema: unknown): boolean => {
  const { $ref, allOf, anyOf, const: value, enum: values, nullable, oneOf, type } = object(schema)
  const others = [$ref, allOf, anyOf, oneOf, values, value].some((part) => part !== undefined)
  return !others && nullable !== true && (type === "object" || type === undefined) && hasFields(object(schema))
}
