import * as Schema from "effect/Schema"
import { type Json, schema30 } from "./schema30.ts"

interface Field {
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

  /** Returns the JSON schema of the encoded side. */
  add(schema: Schema.Constraint): unknown {
    const document = Schema.toJsonSchemaDocument(schema)
    for (const [name, definition] of Object.entries(document.definitions)) this.schemas[name] ??= schema30(definition)
    return schema30(document.schema)
  }

  /** Adds a part once, and returns a reference to it. */
  refer(kind: "schemas" | "headers" | "responses", name: string, make: () => unknown): { readonly $ref: string } {
    this[kind][name] ??= make()
    return { $ref: `#/components/${kind}/${name}` }
  }

  /** The fields of a struct, and the schema of all others if it is open. */
  fields(schema: Schema.Constraint): { readonly named: ReadonlyArray<Field>; readonly others: unknown } {
    const struct = this.add(schema) as Json
    const required = Array.isArray(struct.required) ? (struct.required as ReadonlyArray<unknown>) : []
    return {
      named: Object.entries((struct.properties ?? {}) as Json).map(([name, property]) => ({
        name,
        required: required.includes(name),
        schema: property
      })),
      others: struct.additionalProperties === false ? undefined : struct.additionalProperties
    }
  }
}
