import { jsonSchemaOf } from "@tollgate/contract/described/fromJsonSchema"
import { isJsonSchema, type JsonSchemaDocument } from "@tollgate/contract/described/JsonSchemaDocument"
import { propertiesOf } from "@tollgate/contract/described/properties"
import { categoryDescription } from "@tollgate/contract/openapi/OpenApi"
import type { Bound } from "@tollgate/contract/Operation"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { fieldsOf } from "./fields.ts"
import type { WeightedText } from "./WordIndex.ts"

const maxDepth = 4

const describedBy = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const description = SchemaAST.resolveAt<string>("description")(ast)
  return description === undefined ? [] : [description]
}

/** The names and descriptions of the fields of a schema, and of the objects inside. */
const fieldWords = (ast: SchemaAST.AST, depth = 0): ReadonlyArray<string> => {
  if (depth > maxDepth) return []
  const inside = (inner: SchemaAST.AST) => fieldWords(inner, depth + 1)
  switch (ast._tag) {
    case "Objects":
      return ast.propertySignatures.flatMap(({ name, type }) => [String(name), ...describedBy(type), ...inside(type)])
    case "Arrays":
      return [...ast.elements, ...ast.rest].flatMap(inside)
    case "Union":
      return ast.types.flatMap(inside)
    case "Suspend":
      return inside(ast.thunk())
    default:
      return []
  }
}

const wordsOfSchema = (schema: Schema.Constraint): ReadonlyArray<string> => {
  const described = jsonSchemaOf(schema)
  return described === undefined
    ? [...describedBy(schema.ast), ...fieldWords(SchemaAST.toEncoded(schema.ast))]
    : describedWords(described)
}

const wordsIn = (schemas: ReadonlyArray<Schema.Constraint>): string => schemas.flatMap(wordsOfSchema).join(" ")

/** The names and descriptions in a JSON Schema, without those of other definitions, which many operations may share. */
const describedWords = (document: JsonSchemaDocument, depth = 0): ReadonlyArray<string> => {
  const { schema } = document
  if (typeof schema === "boolean") return []
  const { description, items } = schema
  const own = typeof description === "string" ? [description] : []
  if (depth > 1 || schema["$ref"] !== undefined) return own
  if (isJsonSchema(items)) return [...own, ...describedWords({ ...document, schema: items }, depth + 1)]
  const properties = propertiesOf(document)?.named ?? []
  return [...own, ...properties.flatMap(({ document, name }) => [name, ...describedWords(document, depth + 1)])]
}

/** The parts of a path that say something: no versions, no parameters. */
const pathWords = (path: string): string => path.replace(/\{[^}]+\}|\bv\d+(?:beta)?\b|\bapis?\b/g, " ")

/** Fields by which lists are read in pages say nothing about what an operation does. */
const paging =
  /^(?:cursor|offset|limit|after|before|page|per_?page|page_?(?:size|token|number)|next_?(?:page_?)?token|max_?results)$/i

/** The first sentence of a description says what an operation does. Others also say who may call it, and what else there is. */
const inTwo = (description: string): readonly [first: string, more: string] => {
  const end = description.search(/\n\s*\n|(?<=[.:!?])\s/)
  return end === -1 ? [description, ""] : [description.slice(0, end), description.slice(end)]
}

/** What a search looks at, by how much it says about an operation. */
export const documentOf = (
  operation: Bound,
  models: ReadonlyArray<string>,
  asked = ""
): ReadonlyArray<WeightedText> => {
  const fields = [...fieldsOf(operation).byName.values()].filter(({ name }) => !paging.test(name))
  const [first, more] = inTwo(operation.description ?? "")
  return [
    { kind: "id", weight: 2.5, text: operation.id },
    { kind: "summary", weight: 3, text: operation.summary, isTitle: true },
    { kind: "description", weight: 1, text: first },
    { kind: "moreDescription", weight: 0.5, text: more },
    { kind: "asked", weight: 1, text: asked },
    { kind: "category", weight: 1.5, text: operation.category },
    { kind: "categoryDescription", weight: 0.3, text: categoryDescription(operation.category) },
    { kind: "path", weight: 0.8, text: pathWords(operation.path), isTitle: true },
    { kind: "names", weight: 1.5, text: fields.map(({ name }) => name).join(" ") },
    { kind: "fields", weight: 0.5, text: wordsIn(fields.map(({ schema }) => schema)) },
    { kind: "answer", weight: 0.4, text: wordsIn([operation.success]) },
    { kind: "models", weight: 0.5, text: models.join(" ") }
  ]
}
