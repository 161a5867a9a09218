import type * as Schema from "effect/Schema"
import { documentOf } from "../jsonSchema/documentOf.ts"
import { sampleOf } from "../jsonSchema/sampleOf.ts"

/** The smallest value of a schema as a caller writes it: the required fields, each with a value of its type. */
export const sample = (schema: Schema.Constraint): unknown => sampleOf(documentOf(schema), "text")
