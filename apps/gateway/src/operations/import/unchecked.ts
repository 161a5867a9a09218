import { isJsonSchema } from "@tollgate/contract/described/JsonSchemaDocument"
import { SchemaFile } from "../../config/operations/schemas.ts"
import { formatPath, type Path } from "../../config/text/Problem.ts"
import type { Imported } from "./imported.ts"
import { field, type Fields, listOf } from "./values.ts"

/** The schemas of an entry that requests are checked by, each with its place in it. */
const schemasOf = (entry: Fields): ReadonlyArray<readonly [path: Path, schema: unknown]> => [
  ...listOf(entry.parameters).map((parameter, i) => [["parameters", i, "schema"], field(parameter, "schema")] as const),
  [["body", "schema"], field(entry.body, "schema")],
  [["answer", "schema"], field(entry.answer, "schema")]
]

/** The parts of the written schemas that the gateway will not check, because a value could take long. */
export const uncheckedParts = ({ operations, schemas }: Pick<Imported, "operations" | "schemas">) => {
  const file = new SchemaFile(schemas)
  for (const entry of operations) {
    for (const [path, schema] of schemasOf(entry)) {
      if (isJsonSchema(schema)) file.document(schema, [String(entry.id), ...path])
    }
  }
  return file.unchecked.map(({ message, path }) => `${formatPath(path)}: ${message}`)
}
