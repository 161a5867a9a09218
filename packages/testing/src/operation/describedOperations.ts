import { fromJsonSchema } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import { fromText } from "@tollgate/contract/jsonSchema/fromText"
import type { JsonSchema } from "@tollgate/contract/jsonSchema/JsonSchemaDocument"
import type { Operation } from "@tollgate/contract/Operation"
import { OpenQuery } from "@tollgate/contract/QueryStyle"
import * as Schema from "effect/Schema"
import { manyOperations, type WrittenOperation } from "./manyOperations.ts"
import { customOperation } from "./customOperation.ts"

type Definitions = Readonly<Record<string, JsonSchema>>

const inDefinitions = (value: unknown): JsonSchema =>
  JSON.parse(JSON.stringify(value).replaceAll("#/schemas/", "#/$defs/")) as JsonSchema

const fieldsIn = (operation: WrittenOperation, part: string, definitions: Definitions) =>
  Object.fromEntries(
    operation.parameters
      .filter((parameter) => parameter.in === part)
      .map(({ name, required, schema }) => {
        const text = fromText({ schema: inDefinitions(schema), definitions })
        return [part === "header" ? name.toLowerCase() : name, required === true ? text : Schema.optionalKey(text)]
      })
  )

const toOperation = (written: WrittenOperation, definitions: Definitions): Operation => {
  const { answer, body, category, description, id, method, path, summary } = written
  return customOperation({
    id,
    category,
    summary,
    description,
    method,
    path,
    request: {
      path: Schema.Struct(fieldsIn(written, "path", definitions)),
      query: OpenQuery(fieldsIn(written, "query", definitions)),
      header: Schema.Struct(fieldsIn(written, "header", definitions)),
      ...(body === undefined ? {} : { body: fromJsonSchema({ schema: inDefinitions(body.schema), definitions }) })
    },
    success: fromJsonSchema({ schema: inDefinitions(answer.schema), definitions })
  })
}

/** The operations of a made-up API, as the contract has them. */
export const describedOperations = (count: number): ReadonlyArray<Operation> => {
  const { operations, schemas } = manyOperations(count)
  const definitions = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inDefinitions(schema)]))
  return operations.map((written) => toOperation(written, definitions))
}
