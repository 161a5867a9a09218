import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Parser from "effect/SchemaParser"
import { compile } from "./compile.ts"
import type { JsonSchemaDocument } from "./JsonSchemaDocument.ts"

const annotation = "@tollgate/contract/JsonSchema"

/**
 * A schema that checks values by a JSON Schema and passes them on unchanged. It is compiled at its first use, because a
 * gateway may have a thousand operations and most of them are called rarely. What cannot be checked passes.
 */
export const fromJsonSchema = (
  document: JsonSchemaDocument,
  /** Says which values need no check. */
  passes?: (value: unknown) => boolean
): Schema.Codec<unknown, unknown> => {
  let check: ReturnType<typeof checkOf> | undefined
  return Schema.declareConstructor<unknown>()(
    [],
    () => (value, _ast, options) => {
      if (passes?.(value) === true) return Effect.succeed(value)
      const checked = (check ??= checkOf(document))
      const checking = Effect.suspend(() => checked(value, { ...options, onExcessProperty: "error" }))
      return Effect.as(Effect.catchDefect(checking, orTooDeep), value)
    },
    { [annotation]: document }
  )
}

/** A schema that contains itself follows a value down to where the stack ends. */
const orTooDeep = (defect: unknown) =>
  defect instanceof RangeError
    ? Effect.fail(new SchemaIssue.InvalidValue({ message: "The value is nested too deep to be checked" }))
    : Effect.die(defect)

const checkOf = (document: JsonSchemaDocument) => Parser.decodeUnknownEffect(compile(document))

const isDocument = (value: unknown): value is JsonSchemaDocument =>
  typeof value === "object" && value !== null && "schema" in value && "definitions" in value

/** The JSON Schema that a schema was made from, also if the schema is optional or is read from a text. */
export const jsonSchemaOf = ({ ast }: Schema.Constraint): JsonSchemaDocument | undefined => {
  const document = ast.annotations?.[annotation]
  return isDocument(document) ? document : undefined
}
