import * as Schema from "effect/Schema"
import { type Json, schema30 } from "./schema30.ts"

/** Collects the named schemas that a document refers to. */
export class Components {
  readonly schemas: Record<string, unknown> = {}

  /** Returns the JSON schema of the encoded side. */
  add(schema: Schema.Constraint): unknown {
    const document = Schema.toJsonSchemaDocument(schema)
    for (const [name, definition] of Object.entries(document.definitions)) this.schemas[name] ??= schema30(definition)
    return schema30(document.schema)
  }

  /** The fields of a struct, each with its schema and whether it is required. */
  fields(schema: Schema.Constraint): ReadonlyArray<{ name: string; required: boolean; schema: unknown }> {
    const struct = this.add(schema) as Json
    const required = Array.isArray(struct.required) ? (struct.required as ReadonlyArray<unknown>) : []
    return Object.entries((struct.properties ?? {}) as Json).map(([name, property]) => ({
      name,
      required: required.includes(name),
      schema: property
    }))
  }
}
