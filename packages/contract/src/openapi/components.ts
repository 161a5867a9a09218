import type * as Schema from "effect/Schema"
import { documentOf } from "../jsonSchema/documentOf.ts"
import { type JsonSchemaDocument, referenceTokens } from "../jsonSchema/JsonSchemaDocument.ts"
import { mapReferences } from "../jsonSchema/subschemas.ts"
import { described30 } from "./jsonSchema30.ts"
import { type Json, schema30 } from "./jsonSchema.ts"

export interface Field {
  readonly name: string
  readonly required: boolean
  readonly schema: unknown
}

/** Collects the named parts that a document refers to. */
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

  /** The fields of a struct. */
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
