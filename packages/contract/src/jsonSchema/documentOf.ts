import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { jsonSchemaOf } from "./fromJsonSchema.ts"
import { type JsonSchema, type JsonSchemaDocument, referenceTokens } from "./JsonSchemaDocument.ts"
import { mapReferences } from "./subschemas.ts"

/** The document with only those definitions that its schema needs. */
const reachable = ({ definitions, schema }: JsonSchemaDocument): JsonSchemaDocument => {
  const found: Record<string, JsonSchema> = {}
  const left: Array<unknown> = [schema]
  while (left.length > 0) {
    mapReferences(left.pop(), (reference) => {
      const name = referenceTokens(reference)?.[0]
      const definition = name !== undefined && Object.hasOwn(definitions, name) ? definitions[name] : undefined
      if (name !== undefined && definition !== undefined && !Object.hasOwn(found, name)) {
        Object.defineProperty(found, name, { value: definition, enumerable: true })
        left.push(definition)
      }
      return reference
    })
  }
  return { schema, definitions: found }
}

/** The fields of a struct that have JSON Schemas of their own. */
const fieldsIn = ({ ast }: Schema.Constraint): ReadonlyArray<readonly [name: string, document: JsonSchemaDocument]> =>
  ast._tag === "Objects"
    ? ast.propertySignatures.flatMap(({ name, type }) => {
        const document = jsonSchemaOf(Schema.make(type))
        return document === undefined ? [] : [[String(name), reachable(document)] as const]
      })
    : []

export interface KnownDocument extends JsonSchemaDocument {
  /** It has the words of somebody else's JSON Schema. */
  readonly isDescribed: boolean
}

/** The schema of the fields that a struct does not name. `undefined`: it has to be derived. */
const restOf = ({ indexSignatures }: SchemaAST.Objects): JsonSchema | false | undefined => {
  const [rest, ...others] = indexSignatures
  if (rest === undefined) return false
  return others.length === 0 && rest.type._tag === "String" && rest.type.checks === undefined
    ? { type: "string" }
    : undefined
}

/** The JSON Schema of a struct whose fields all have their own. `undefined`: it has to be derived. */
const structOf = ({ ast }: Schema.Constraint, fields: ReturnType<typeof fieldsIn>): JsonSchema | undefined => {
  if (ast._tag !== "Objects" || ast.propertySignatures.length !== fields.length) return undefined
  const rest = restOf(ast)
  if (rest === undefined) return undefined
  const required = ast.propertySignatures.flatMap(({ name, type }) =>
    SchemaAST.isOptional(type) ? [] : [String(name)]
  )
  return { type: "object", ...(required.length === 0 ? {} : { required }), additionalProperties: rest }
}

/** The JSON Schema of a schema's encoded side: the one it was made from, or else one that is derived. */
export const documentOf = (schema: Schema.Constraint): KnownDocument => {
  const own = jsonSchemaOf(schema)
  if (own !== undefined) return { ...reachable(own), isDescribed: true }
  const fields = fieldsIn(schema)
  const struct = fields.length === 0 ? undefined : structOf(schema, fields)
  const { definitions, schema: derived } =
    struct === undefined ? Schema.toJsonSchemaDocument(schema) : { schema: struct, definitions: {} }
  if (fields.length === 0) return { schema: derived, definitions, isDescribed: false }
  return {
    schema: {
      ...derived,
      properties: {
        ...(derived["properties"] as JsonSchema | undefined),
        ...Object.fromEntries(fields.map(([name, document]) => [name, document.schema]))
      }
    },
    definitions: Object.assign({}, definitions, ...fields.map(([, document]) => document.definitions)),
    isDescribed: true
  }
}
