import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { jsonSchemaOf } from "../jsonSchema/fromJsonSchema.ts"
import { sampleOf } from "../jsonSchema/sampleOf.ts"

/** A field is sampled by its name, which tells a reader more than any text would. */
const sampleOfAst = (ast: SchemaAST.AST, name: string): unknown => {
  switch (ast._tag) {
    case "Objects":
      return Object.fromEntries(
        ast.propertySignatures
          .filter(({ type }) => !SchemaAST.isOptional(type))
          .map(({ name, type }) => [name, sampleOfAst(type, String(name))])
      )
    case "Arrays":
      return [...ast.elements, ...ast.rest]
        .slice(0, Math.max(1, ast.elements.length))
        .map((item) => sampleOfAst(item, name))
    case "Union":
      return ast.types[0] === undefined ? null : sampleOfAst(ast.types[0], name)
    case "Literal":
      return ast.literal
    case "Number":
      return 1
    case "Boolean":
      return true
    case "String":
      return name
    default: {
      const described = jsonSchemaOf(Schema.make(ast))
      return described === undefined ? null : sampleOf(described, name)
    }
  }
}

/** The smallest value of a schema as a caller writes it: the required fields, each with a value of its type. */
export const sample = (schema: Schema.Constraint): unknown => sampleOfAst(Schema.toEncoded(schema).ast, "text")
