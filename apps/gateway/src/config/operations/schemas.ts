import { attempt } from "@tollgate/contract/attempt"
import {
  isJsonSchema,
  type JsonSchema,
  type JsonSchemaDocument,
  referenced
} from "@tollgate/contract/jsonSchema/JsonSchemaDocument"
import { kindOf, mapReferences } from "@tollgate/contract/jsonSchema/subschemas"
import { didYouMean, type Path, type Problem } from "../text/Problem.ts"

type Written = JsonSchema | boolean

const ofFile = "#/schemas/"
const ofDefinitions = "#/$defs/"

const types = ["null", "boolean", "object", "array", "number", "string", "integer"]

const text = { is: (value: unknown) => typeof value === "string", expected: "expected a text" }
const flag = { is: (value: unknown) => typeof value === "boolean", expected: "expected true or false" }
const number = { is: (value: unknown) => Number.isFinite(value), expected: "expected a number" }
const count = {
  is: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  expected: "expected a whole number"
}
const anything = { is: () => true, expected: "" }
const isType = (value: unknown): boolean =>
  (Array.isArray(value) ? value : [value]).every((name) => types.includes(name as string))

/** Keywords whose value is not a schema, and what the value may be. */
export const valueKeywords: ReadonlyMap<
  string,
  { readonly is: (value: unknown) => boolean; readonly expected: string }
> = new Map([
  ["type", { is: isType, expected: `expected ${types.join(", ")} or a list of them` }],
  ["title", text],
  ["description", text],
  ["enum", { is: (value) => Array.isArray(value) && value.length > 0, expected: "expected a list of values" }],
  ["const", anything],
  ["default", anything],
  ["format", text],
  ["minLength", count],
  ["maxLength", count],
  ["pattern", text],
  ["minimum", number],
  ["maximum", number],
  ["exclusiveMinimum", number],
  ["exclusiveMaximum", number],
  ["multipleOf", { is: (value) => number.is(value) && Number(value) > 0, expected: "expected a number above 0" }],
  ["minItems", count],
  ["maxItems", count],
  ["uniqueItems", flag],
  ["minContains", count],
  ["maxContains", count],
  ["minProperties", count],
  ["maxProperties", count],
  ["required", { is: (value) => Array.isArray(value) && value.every(text.is), expected: "expected a list of names" }],
  ["dependentRequired", { is: isJsonSchema, expected: "expected lists of names by name" }],
  ["deprecated", flag],
  ["readOnly", flag],
  ["writeOnly", flag],
  ["contentEncoding", text],
  ["contentMediaType", text]
])

const isPattern = (text: string): boolean => attempt(() => new RegExp(text, "u") instanceof RegExp) ?? false

const valueProblem = (key: string, value: unknown): string | undefined => {
  if (key === "pattern" && !(typeof value === "string" && isPattern(value))) return "expected a regular expression"
  const known = valueKeywords.get(key)
  if (known === undefined || known.is(value)) return undefined
  const wrong = key === "type" ? [value].flat().find((name) => !types.includes(name as string)) : undefined
  return known.expected + (typeof wrong === "string" ? didYouMean(wrong, types) : "")
}

const notSchemas = { list: "expected a list of JSON Schemas", named: "expected JSON Schemas by name" }

const expectedSchema = "expected a JSON Schema: an object, true or false"

/** The schemas of one file: its section `schemas`, and what its operations hold themselves. */
export class SchemaFile {
  readonly problems: Array<Problem> = []
  readonly #definitions: Record<string, JsonSchema> = {}

  constructor(schemas: unknown) {
    const written = isJsonSchema(schemas) ? Object.entries(schemas) : []
    for (const [name, schema] of written) {
      const value = typeof schema === "boolean" ? (schema ? {} : { not: {} }) : this.#normal(schema)
      Object.defineProperty(this.#definitions, name, { value, enumerable: true })
    }
    for (const [name, definition] of Object.entries(this.#definitions)) {
      this.#check(definition, ["schemas", name], this.#definitions)
    }
    this.#refuseEndless()
  }

  /** The document of a schema at this place. Its own `$defs` come with it. */
  document(written: Written, path: Path): JsonSchemaDocument {
    if (typeof written === "boolean") return { schema: written, definitions: this.#definitions }
    const own = isJsonSchema(written["$defs"]) ? written["$defs"] : undefined
    if (own === undefined) return this.#checked(this.#normal(written), path, this.#definitions)
    const { $defs: _, ...rest } = written
    const scope = path.slice(0, 2).join("_")
    const scoped = (schema: unknown) =>
      mapReferences(schema, (reference) =>
        reference.startsWith(ofDefinitions)
          ? `${ofDefinitions}${scope}_${reference.slice(ofDefinitions.length)}`
          : reference
      )
    const definitions = {
      ...this.#definitions,
      ...Object.fromEntries(
        Object.entries(own).map(([name, schema]) => [`${scope}_${name}`, this.#normal(scoped(schema))])
      )
    }
    for (const name of Object.keys(own)) {
      this.#check(definitions[`${scope}_${name}`], [...path, "$defs", name], definitions)
    }
    return this.#checked(this.#normal(scoped(rest)), path, definitions)
  }

  #normal(schema: unknown): JsonSchema {
    return mapReferences(schema, (reference) =>
      reference.startsWith(ofFile) ? ofDefinitions + reference.slice(ofFile.length) : reference
    ) as JsonSchema
  }

  #checked(schema: JsonSchema, path: Path, definitions: JsonSchemaDocument["definitions"]): JsonSchemaDocument {
    this.#check(schema, path, definitions)
    return { schema, definitions }
  }

  #check(schema: unknown, path: Path, definitions: JsonSchemaDocument["definitions"]): void {
    this.#walk(schema, [...path], definitions)
  }

  /** `at` is the place of the schema. It is one list for the whole walk, which most schemas have no use for. */
  #walk(schema: unknown, at: Array<PropertyKey>, definitions: JsonSchemaDocument["definitions"]): void {
    if (typeof schema === "boolean") return
    if (!isJsonSchema(schema)) return this.#add([...at], expectedSchema)
    const inner = (name: PropertyKey, value: unknown) => {
      at.push(name)
      this.#walk(value, at, definitions)
      at.pop()
    }
    for (const [key, value] of Object.entries(schema)) {
      const kind = kindOf(key)
      if (kind === "one") {
        inner(key, value)
        continue
      }
      at.push(key)
      if (key === "$ref") this.#checkReference(value, at, definitions)
      else if (kind === "list" && Array.isArray(value)) value.forEach((item, i) => inner(i, item))
      else if (kind === "named" && isJsonSchema(value)) {
        for (const [name, item] of Object.entries(value)) inner(name, item)
      } else {
        const problem = kind === undefined ? valueProblem(key, value) : notSchemas[kind]
        if (problem !== undefined) this.#add([...at], problem)
      }
      at.pop()
    }
  }

  #checkReference(value: unknown, path: Path, definitions: JsonSchemaDocument["definitions"]): void {
    if (typeof value !== "string" || !value.startsWith(ofDefinitions)) {
      this.#add([...path], 'expected a reference to the section schemas of this file, such as "#/schemas/Place"')
    } else if (referenced(value, definitions) === undefined) {
      const name = value.slice(ofDefinitions.length)
      this.#add([...path], `there is no such schema${didYouMean(name, Object.keys(definitions))}`)
    }
  }

  /** A schema that is itself, or one of several that it must be, has no values that could be checked. */
  #refuseEndless(): void {
    const state = new Map<string, "open" | "done">()
    const visit = (name: string): boolean => {
      if (state.has(name)) return state.get(name) === "open"
      state.set(name, "open")
      const isEndless = sameValue(this.#definitions[name]).some(
        (reference) => Object.hasOwn(this.#definitions, reference) && visit(reference)
      )
      state.set(name, "done")
      return isEndless
    }
    for (const name of Object.keys(this.#definitions)) {
      if (visit(name)) this.#add(["schemas", name], "this schema refers to itself without end")
    }
  }

  #add(path: Path, message: string): void {
    this.problems.push({ path, message })
  }
}

/** The definitions that describe the same value as the schema, not a part of it. */
const sameValue = (schema: unknown): ReadonlyArray<string> => {
  if (!isJsonSchema(schema)) return []
  const { $ref: reference } = schema
  const inner = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"].flatMap((key) => {
    const value = schema[key]
    return (Array.isArray(value) ? value : [value]).flatMap(sameValue)
  })
  return typeof reference === "string" ? [reference.slice(ofDefinitions.length), ...inner] : inner
}
