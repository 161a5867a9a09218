import { followed, isJsonSchema, type JsonSchema, type JsonSchemaDocument } from "./JsonSchemaDocument.ts"
import { propertiesOf, typesOf } from "./properties.ts"

const given = (schema: JsonSchema): unknown => {
  for (const key of ["example", "default", "const"]) if (schema[key] !== undefined) return schema[key]
  for (const key of ["examples", "enum"]) {
    const list = schema[key]
    if (Array.isArray(list) && list[0] !== undefined) return list[0]
  }
  return undefined
}

const deepest = 6
/** A document may multiply its schemas. Those beyond are shown as `null`. */
const mostValues = 500

/** The smallest value of a JSON Schema, by its examples where it has some. A text is the name of its field. */
export const sampleOf = (document: JsonSchemaDocument, name: string): unknown =>
  sampleAt(document, name, 0, { values: mostValues })

const sampleAt = (document: JsonSchemaDocument, name: string, depth: number, left: { values: number }): unknown => {
  const schema = followed(document)
  if (typeof schema === "boolean") return name
  const example = given(schema)
  if (example !== undefined) return example
  // Only bodies that are not JSON have files.
  if (schema["format"] === "binary") return { base64: "aGVsbG8=", filename: "hello.txt" }
  if (depth > deepest || --left.values < 0) return null
  const object = propertiesOf(document)
  if (object !== undefined) {
    return Object.fromEntries(
      object.named
        .filter(({ required }) => required)
        .map((property) => [property.name, sampleAt(property.document, property.name, depth + 1, left)])
    )
  }
  const [choice]: ReadonlyArray<unknown> = [schema["allOf"], schema["anyOf"], schema["oneOf"]].flatMap((list) =>
    Array.isArray(list) ? [list[0] as unknown] : []
  )
  if (isJsonSchema(choice)) return sampleAt({ ...document, schema: choice }, name, depth + 1, left)
  const [type] = typesOf(document) ?? []
  const { items, minimum } = schema
  switch (type) {
    case "integer":
    case "number":
      // A safe integer is no bound that its author set.
      return typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER ? minimum : 1
    case "boolean":
      return true
    case "array":
      return isJsonSchema(items) ? [sampleAt({ ...document, schema: items }, name, depth + 1, left)] : []
    case "object":
      return {}
    case "null":
      return null
    default:
      return name
  }
}
