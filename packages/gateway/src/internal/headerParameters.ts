import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

const none: ReadonlyArray<string> = []
const declaredNames = new WeakMap<Schema.Constraint, ReadonlyArray<string>>()

/** The names of the parameters that the operation takes from headers, in lower case. */
export const headerParameters = (schema: Schema.Constraint | undefined): ReadonlyArray<string> => {
  if (schema === undefined) return none
  const known = declaredNames.get(schema)
  if (known !== undefined) return known
  const encoded = SchemaAST.toEncoded(schema.ast)
  const names =
    encoded._tag === "Objects" ? encoded.propertySignatures.map(({ name }) => String(name).toLowerCase()) : none
  declaredNames.set(schema, names)
  return names
}
