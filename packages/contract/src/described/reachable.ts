import { type JsonSchema, type JsonSchemaDocument, referenceTokens } from "./JsonSchemaDocument.ts"
import { mapReferences } from "./subschemas.ts"

/** The document with only those definitions that its schema needs. */
export const reachable = ({ definitions, schema }: JsonSchemaDocument): JsonSchemaDocument => {
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
