import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mismatchOf } from "./check/Check.ts"
import { toIssue } from "./check/Mismatch.ts"
import type { JsonSchemaDocument } from "./JsonSchemaDocument.ts"

const annotation = "@tollgate/contract/JsonSchema"

/**
 * A schema that checks values by a JSON Schema and passes them on unchanged. Nothing of it is read before its first use, because
 * a gateway may have a thousand operations and most of them are called rarely. What cannot be checked passes.
 */
export const fromJsonSchema = (
  document: JsonSchemaDocument,
  /** Says which values need no check. */
  passes?: (value: unknown) => boolean
): Schema.Codec<unknown, unknown> =>
  Schema.declareConstructor<unknown>()(
    [],
    () => (value) => {
      const found = passes?.(value) === true ? undefined : mismatchOf(document, value)
      return found === undefined ? Effect.succeed(value) : Effect.fail(toIssue(found))
    },
    { [annotation]: document }
  )

const isDocument = (value: unknown): value is JsonSchemaDocument =>
  typeof value === "object" && value !== null && "schema" in value && "definitions" in value

/** The JSON Schema that a schema was made from, also if the schema is optional or is read from a text. */
export const jsonSchemaOf = ({ ast }: Pick<Schema.Constraint, "ast">): JsonSchemaDocument | undefined => {
  const document = ast.annotations?.[annotation]
  return isDocument(document) ? document : undefined
}
