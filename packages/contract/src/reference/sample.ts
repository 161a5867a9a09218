import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** A field is sampled by its name, which tells a reader more than any text would. */
const sampleOf = (ast: SchemaAST.AST, name: string): unknown => {
  switch (ast._tag) {
    case "Objects":
      return Object.fromEntries(
        ast.propertySignatures
          .filter(({ type }) => !SchemaAST.isOptional(type))
          .map(({ name, type }) => [name, sampleOf(type, String(name))])
      )
    case "Arrays":
      return [...ast.elements, ...ast.rest]
        .slice(0, Math.max(1, ast.elements.length))
        .map((item) => sampleOf(item, name))
    case "Union":
      return ast.types[0] === undefined ? null : sampleOf(ast.types[0], name)
    case "Literal":
      return ast.literal
    case "Number":
      return 1
    case "Boolean":
      return true
    case "String":
      return name
    default:
      return null
  }
}

/** The smallest value of a schema as a caller writes it: the required fields, each with a value of its type. */
export const sample = (schema: Schema.Constraint): unknown => sampleOf(Schema.toEncoded(schema).ast, "text")
