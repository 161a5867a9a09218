import type * as Schema from "effect/Schema"
import { documentOf } from "../jsonSchema/documentOf.ts"
import { type JsonSchemaDocument, referenceTokens, isJsonSchema } from "../jsonSchema/JsonSchemaDocument.ts"
import { mapReferences, kindOf } from "../jsonSchema/subschemas.ts"
import { type Json, schema30, onlyNull } from "./jsonSchema.ts"

/** What a schema of OpenAPI 3.0 may have, besides what `schema30` converts. */
const known = new Set([
  "title",
  "description",
  "default",
  "format",
  "enum",
  "const",
  "type",
  "nullable",
  "readOnly",
  "writeOnly",
  "deprecated",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "required",
  "items",
  "properties",
  "additionalProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "not"
])

const anything = {}
const nothing = { not: {} }

const typed = (type: unknown): object => {
  if (!Array.isArray(type)) return { type }
  const others = type.filter((name) => name !== "null")
  const nullable = others.length < type.length ? { nullable: true } : {}
  if (others.length === 1) return { type: others[0] as unknown, ...nullable }
  return others.length === 0 ? onlyNull : { anyOf: others.map((name) => described30({ type: name })), ...nullable }
}

const isNull = (schema: unknown): boolean => isJsonSchema(schema) && schema["type"] === "null"

/** OpenAPI 3.0 has `nullable` for an alternative that is null. */
const alternatives = (key: string, members: ReadonlyArray<unknown>): object => ({
  ...(members.every(isNull) ? onlyNull : { [key]: members.filter((member) => !isNull(member)).map(described30) }),
  ...(members.some(isNull) ? { nullable: true } : {})
})

const inner = (key: string, value: unknown): unknown => {
  const kind = kindOf(key)
  if (kind === "one") return typeof value === "boolean" && key !== "items" ? value : described30(value)
  if (kind === "list" && Array.isArray(value)) return value.map(described30)
  return kind === "named" && isJsonSchema(value)
    ? Object.fromEntries(Object.entries(value).map(([name, property]) => [name, described30(property)]))
    : value
}

/** OpenAPI 3.0 allows `nullable` only beside a type: null is an alternative instead. A word of 3.0 in JSON Schema means nothing. */
const withoutType = ({ anyOf, nullable, oneOf }: Record<string, unknown>, isOnlyNull: boolean): object => {
  const none = { nullable: undefined }
  if (nullable !== true) return none
  if (Array.isArray(anyOf)) return { ...none, anyOf: [...(anyOf as ReadonlyArray<unknown>), onlyNull] }
  if (Array.isArray(oneOf)) return { ...none, oneOf: [...(oneOf as ReadonlyArray<unknown>), onlyNull] }
  return isOnlyNull ? onlyNull : none
}

/** Leaves out of any JSON Schema what OpenAPI 3.0 cannot express, so that `schema30` can convert the rest. */
export const described30 = (schema: unknown): unknown => {
  if (!isJsonSchema(schema)) return schema === false ? nothing : anything
  if (typeof schema["$ref"] === "string") return { $ref: schema["$ref"] }
  const out: Record<string, unknown> = {}
  const [example] = Array.isArray(schema["examples"]) ? schema["examples"] : [schema["example"]]
  for (const [key, value] of Object.entries(schema)) {
    // Alternatives of its own say more than several types.
    if (key === "type" && Array.isArray(value) && schema["anyOf"] !== undefined) continue
    else if (key === "type") Object.assign(out, typed(value))
    else if ((key === "anyOf" || key === "oneOf") && Array.isArray(value)) Object.assign(out, alternatives(key, value))
    else if (key.startsWith("x-")) out[key] = value
    else if (known.has(key)) out[key] = inner(key, value)
  }
  // A list says what its items are, and `null` alone is no type of OpenAPI 3.0.
  if (out["type"] === "array") out["items"] ??= anything
  const isOnlyNull = out["type"] === "null"
  if (isOnlyNull) {
    delete out["type"]
    out["nullable"] = true
  }
  if (out["nullable"] !== undefined && out["type"] === undefined) Object.assign(out, withoutType(out, isOnlyNull))
  if (Array.isArray(out["required"]) && out["required"].length === 0) delete out["required"]
  return example === undefined ? out : { ...out, example }
}

export interface Field {
  readonly name: string
  readonly required: boolean
  readonly schema: unknown
}

export class Components {
  readonly schemas: Record<string, unknown> = {}
  readonly headers: Record<string, unknown> = {}
  readonly responses: Record<string, unknown> = {}
  readonly securitySchemes: Record<string, unknown> = {}
  /** What each schema was made from: definitions of different files may have the same name. */
  readonly #sources = new Map<string, object>()

  /** Many operations have the same schemas. */
  readonly #added = new Map<Schema.Constraint, unknown>()

  /** Returns the JSON schema of the encoded side. */
  add(schema: Schema.Constraint): unknown {
    const known = this.#added.get(schema) ?? this.#convert(schema)
    this.#added.set(schema, known)
    return known
  }

  #convert(schema: Schema.Constraint): unknown {
    const { definitions, isDescribed, schema: root } = documentOf(schema)
    if (isDescribed) return this.#described({ definitions, schema: root })
    for (const [name, definition] of Object.entries(definitions)) {
      this.schemas[name] ??= schema30(definition)
      if (!this.#sources.has(name)) this.#sources.set(name, derived)
    }
    return schema30(root)
  }

  /** Adds a part once, and returns a reference to it. */
  refer(kind: "schemas" | "headers" | "responses", name: string, make: () => unknown): { readonly $ref: string } {
    if (kind === "schemas") this.#sources.set(name, derived)
    this[kind][name] ??= make()
    return { $ref: `#/components/${kind}/${name}` }
  }

  fields(schema: Schema.Constraint): ReadonlyArray<Field> {
    const struct = this.add(schema) as Json
    const required = Array.isArray(struct.required) ? (struct.required as ReadonlyArray<unknown>) : []
    return Object.entries((struct.properties ?? {}) as Json).map(([name, property]) => ({
      name,
      required: required.includes(name),
      schema: property
    }))
  }

  #described({ definitions, schema }: JsonSchemaDocument): unknown {
    const names = new Map(Object.entries(definitions).map(([name, source]) => [name, this.#nameFor(name, source)]))
    const convert = (written: unknown) =>
      schema30(
        mapReferences(described30(written), (reference) => {
          const [first = "", ...rest] = referenceTokens(reference) ?? []
          return `#/$defs/${[names.get(first) ?? first, ...rest].map(encodeURIComponent).join("/")}`
        })
      )
    for (const [name, source] of Object.entries(definitions)) this.schemas[names.get(name) ?? name] ??= convert(source)
    return convert(schema)
  }

  #nameFor(name: string, source: object): string {
    const plain = name.replace(/[^\w.-]+/g, "_")
    let free = plain
    for (let i = 2; this.#sources.has(free) && this.#sources.get(free) !== source; i++) free = `${plain}_${i}`
    this.#sources.set(free, source)
    return free
  }
}

/** Stands for the contract's own schemas, which have names of their own. */
const derived = {}
